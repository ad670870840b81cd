import type { Alerts, Silence } from "../api/alerts.js";
import { endSilence, fetchAlerts, startSilence } from "../api/alerts.js";
import { Field } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { EndsField, endsAt } from "../components/ends-field.js";
import { textIn } from "../components/form-text.js";
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

/** Ends all silences of alerts. */
export async function endSilences(alerts: readonly Alert[]): Promise<void> {
  const { silences } = await fetchAlerts();
  for (const { id, rule, subject } of silences)
    if (alerts.some((one) => one.rule === rule && one.subject === subject)) await endSilence(id);
}

interface SilenceDialogProps {
  /** All are silenced. */
  readonly alerts: readonly Alert[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Acknowledges alerts: webhooks are not told of them for a while. */
export function SilenceDialog({ alerts, onClose, onDone }: SilenceDialogProps) {
  const submit = async (form: FormData): Promise<void> => {
    const given = { reason: textIn(form, "reason"), ends_at: endsAt(form) };
    for (const { rule, subject } of alerts) await startSilence({ rule, subject, ...given });
    onDone();
  };
  return (
    <FormDialog title="Silence" action="Silence" busyAction="Silencing…" onClose={onClose} onSubmit={submit}>
      <p>
        <Plain text={alerts.map(({ title }) => title).join("; ")} />
      </p>
      <EndsField open="Until it resolves" />
      <Field label="Reason" name="reason" required maxLength={500}>
        <small>Shown to operators. If the alert still fires when the silence ends, webhooks are told.</small>
      </Field>
    </FormDialog>
  );
}
