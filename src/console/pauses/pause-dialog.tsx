import { signal } from "@preact/signals";
import { useId, useState } from "preact/hooks";
import { reloadAttention } from "../api/attention.js";
import { listPauses, startPause } from "../api/pauses.js";
import { listProviders } from "../api/providers.js";
import { Field, Suggestions } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { show } from "../components/overlay.js";
import { useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import type { PauseChoice } from "./pause-choices.js";

interface PauseQuestion {
  /** At least one; the first is chosen at first. */
  readonly choices: readonly PauseChoice[];
  /** That is offered. */
  readonly reason?: string;
}

/** How often pauses were changed here. */
const changes = signal(0);

/** Pauses in force, fetched again whenever one was begun or ended here. */
export const usePauses = () => useResource(`pauses ${changes.value}`, listPauses);

export function pausesChanged(): void {
  changes.value += 1;
  // What needs attention lists them, too.
  void reloadAttention();
}

/** Opens the dialog over any page. */
export const openPause = (question: PauseQuestion): void => show(<PauseDialog {...question} />);

const close = (): void => show(null);

/** Hours, or nothing: until somebody ends it. */
const ENDS: readonly (readonly [hours: string, label: string])[] = [
  ["1", "1 hour"],
  ["4", "4 hours"],
  ["24", "1 day"],
  ["", "Until an operator ends it"],
];
const HOUR_MS = 3_600_000;

/** Takes something out of use for a while, or has another model answer in its place. */
function PauseDialog({ choices, reason = "" }: PauseQuestion) {
  const [chosen, setChosen] = useState(0);
  const choice = choices[chosen] ?? choices[0];
  const submit = async (form: FormData): Promise<void> => {
    if (choice === undefined) return;
    const redirect = choice.kind === "model" ? textIn(form, "redirect") : "";
    const hours = textIn(form, "ends");
    await startPause({
      kind: choice.kind,
      target: choice.target,
      reason: textIn(form, "reason"),
      redirect_to: redirect || null,
      ends_at: hours === "" ? null : new Date(Date.now() + Number(hours) * HOUR_MS).toISOString(),
    });
    close();
    pausesChanged();
  };
  return (
    <FormDialog
      title={choices.length === 1 ? `Pause ${choice?.label}` : "Pause"}
      action="Pause"
      busyAction="Pausing…"
      look="danger"
      onClose={close}
      onSubmit={submit}
    >
      {choices.length > 1 && (
        <fieldset class="scope-list">
          <legend class="field-name">What</legend>
          {choices.map(({ label, target }, at) => (
            <label key={target} class="tick">
              <input type="radio" name="what" checked={at === chosen} onChange={() => setChosen(at)} />
              <span>
                <Plain text={label} />
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {choice?.kind === "model" && <RedirectField />}
      <fieldset class="scope-list">
        <legend class="field-name">Duration</legend>
        {ENDS.map(([hours, label], at) => (
          <label key={hours} class="tick">
            <input type="radio" name="ends" value={hours} defaultChecked={at === 0} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <Field label="Reason" name="reason" required maxLength={500} defaultValue={reason}>
        <small>Shown to operators, not to callers.</small>
      </Field>
    </FormDialog>
  );
}

const textIn = (form: FormData, name: string): string => String(form.get(name) ?? "").trim();

/** Any other name is allowed: the gateway says when it knows no such model. */
function RedirectField() {
  const providers = useResource("providers", listProviders);
  const id = useId();
  const names = (providers.value?.data ?? []).flatMap(({ models }) => models.map(({ model }) => model));
  return (
    <>
      <Field label="Model that answers instead" name="redirect" list={id} maxLength={256} placeholder="none">
        <small>Empty: requests that name the paused model are refused, or go to their fallbacks.</small>
      </Field>
      <Suggestions id={id} values={names} />
    </>
  );
}
