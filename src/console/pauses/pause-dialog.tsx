import { signal } from "@preact/signals";
import { useId, useState } from "preact/hooks";
import { reloadAttention } from "../api/attention.js";
import { listPauses, startPause } from "../api/pauses.js";
import { listProviders } from "../api/providers.js";
import { Field, Suggestions } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { EndsField, endsAt } from "../components/ends-field.js";
import { textIn } from "../components/form-text.js";
import { show } from "../components/overlay.js";
import { useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { choicesFor, type PauseChoice } from "./pause-choices.js";

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

/** Opens it from a menu, for a model at a provider or at all. */
export const pauseItem = (model: string, provider: string | null) => ({
  label: "Pause or redirect…",
  onSelect: () => openPause({ choices: choicesFor(model, provider) }),
});

const close = (): void => show(null);

/** Takes something out of use for a while, or has another model answer in its place. */
function PauseDialog({ choices, reason = "" }: PauseQuestion) {
  const [chosen, setChosen] = useState(0);
  const choice = choices[chosen] ?? choices[0];
  const submit = async (form: FormData, signal: AbortSignal): Promise<void> => {
    if (choice === undefined) return;
    const redirect = choice.kind === "model" ? textIn(form, "redirect") : "";
    await startPause({
      kind: choice.kind,
      target: choice.target,
      reason: textIn(form, "reason"),
      redirect_to: redirect || null,
      ends_at: endsAt(form),
    });
    if (!signal.aborted) close();
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
      <EndsField open="Until an operator ends it" />
      <Field label="Reason" name="reason" required maxLength={500} defaultValue={reason}>
        <small>Shown to operators, not to callers.</small>
      </Field>
    </FormDialog>
  );
}

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
