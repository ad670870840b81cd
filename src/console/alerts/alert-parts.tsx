import type { Alerts, Silence } from "../api/alerts.js";
import { endSilence, startSilence } from "../api/alerts.js";
import { Field } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { Moment, Plain } from "../components/text.js";

export type Alert = Pick<Alerts["firing"][number], "rule" | "subject" | "title" | "detail" | "target">;

/** What a rule finds, in a word. */
export const RULE_PILLS: Readonly<Record<Alert["rule"], readonly [look: "bad" | "warn", label: string]>> = {
  budget: ["warn", "budget"],
  budget_forecast: ["warn", "budget"],
  spend_rise: ["warn", "spend"],
  error_rate: ["bad", "failing"],
  provider_down: ["bad", "down"],
  key_near_limit: ["warn", "near limit"],
};

/** Where an alert is dealt with. */
export function alertPath({ target }: Pick<Alert, "target">): string {
  if (target === null) return "/?range=24h";
  if (target.type === "budget")
    return `/alerts?${new URLSearchParams({ tab: "budgets", budget: target.id })}`;
  if (target.type === "key") return `/keys/${target.id}`;
  return `/failures?${new URLSearchParams({ range: "1h", q: target.id })}`;
}

/** Who knows of an alert, and until when webhooks are not told of it. */
export const SilenceText = ({ of }: { readonly of: Silence }) => (
  <span class="muted" title={of.reason}>
    acknowledged by <Plain text={of.created_by_name ?? of.created_by} />,{" "}
    {of.ends_at === null ? (
      "until it resolves"
    ) : (
      <>
        ends <Moment at={of.ends_at} />
      </>
    )}
  </span>
);

/** Ends the silence of an alert, or asks for one. */
export const silenceItem = (
  silence: Silence | null,
  { onAsk, onDone }: { readonly onAsk: () => void; readonly onDone: () => void },
) =>
  silence === null
    ? { label: "Silence…", onSelect: onAsk }
    : { label: "End silence", onSelect: () => void endSilence(silence.id).then(onDone, onDone) };

const ENDS: readonly (readonly [hours: string, label: string])[] = [
  ["1", "1 hour"],
  ["24", "1 day"],
  ["", "until it resolves"],
];
const HOUR_MS = 3_600_000;

interface SilenceDialogProps {
  /** All are silenced. */
  readonly alerts: readonly Alert[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Acknowledges alerts: webhooks are not told of them for a while. */
export function SilenceDialog({ alerts, onClose, onDone }: SilenceDialogProps) {
  const submit = async (form: FormData): Promise<void> => {
    const hours = String(form.get("ends"));
    const ends_at = hours === "" ? null : new Date(Date.now() + Number(hours) * HOUR_MS).toISOString();
    const reason = String(form.get("reason"));
    for (const { rule, subject } of alerts) await startSilence({ rule, subject, reason, ends_at });
    onDone();
  };
  return (
    <FormDialog title="Silence" action="Silence" busyAction="Silencing…" onClose={onClose} onSubmit={submit}>
      <p>
        <Plain text={alerts.map(({ title }) => title).join("; ")} />
      </p>
      <fieldset class="scope-list">
        <legend class="field-name">Duration</legend>
        {ENDS.map(([hours, label], at) => (
          <label key={hours} class="tick">
            <input type="radio" name="ends" value={hours} defaultChecked={at === 0} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <Field label="Reason" name="reason" required maxLength={500}>
        <small>Shown to operators. If the alert still fires when the silence ends, webhooks are told.</small>
      </Field>
    </FormDialog>
  );
}
