import { z } from "zod";
import { variableName } from "../../../foundation/secrets.js";
import { field, whole } from "../../settings/field.js";

const badName = { error: "it must be a letter and up to 63 letters, digits, dots, dashes or underscores" };
const badUrl = { error: "it must be an http or https URL" };
const badForm = { error: "it must be `slack` or `json`" };

/** Where alerts are sent. */
export const webhookFields = {
  name: z.string(badName).regex(/^[a-z][\w.-]{0,63}$/i, badName),
  form: z.enum(["slack", "json"], badForm),
  url: z.url({ protocol: /^https?$/, ...badUrl }).optional(),
  url_env: variableName.optional(),
  secret_env: variableName.optional(),
};

const webhookSchema = z
  .strictObject(webhookFields)
  .refine(({ url, url_env: variable }) => (url === undefined) !== (variable === undefined), {
    error: "it needs either `url` or `url_env`",
  });

const addressedSchema = z.object({
  webhooks: z.array(
    z.looseObject({ name: z.string(), url: z.string().optional(), url_env: z.string().optional() }),
  ),
});

/**
 * Webhooks that are given without an address have that of their name.
 *
 * @param known has the addresses; like `alerts`, it need not be valid
 */
export function withAddresses<Alerts>(alerts: Alerts, known: unknown): Alerts {
  const webhooks = addressedSchema.safeParse(alerts).data?.webhooks;
  if (webhooks === undefined) return alerts;
  const addressed = addressedSchema.safeParse(known).data?.webhooks ?? [];
  const withAddress = (webhook: (typeof webhooks)[number]) => {
    if (webhook.url !== undefined || webhook.url_env !== undefined) return webhook;
    const { url, url_env } = addressed.find(({ name }) => name === webhook.name) ?? {};
    return { ...webhook, ...(url !== undefined && { url }), ...(url_env !== undefined && { url_env }) };
  };
  return { ...alerts, webhooks: webhooks.map(withAddress) };
}

/** As `withAddresses`, without the webhooks that then have none, whose names come apart. */
export function withAddressesOnly(alerts: unknown, known: unknown) {
  const given = withAddresses(alerts, known);
  const webhooks = addressedSchema.safeParse(given).data?.webhooks;
  if (webhooks === undefined) return { alerts: given, unaddressed: [] };
  const isAddressed = ({ url, url_env: variable }: (typeof webhooks)[number]) =>
    (url ?? variable) !== undefined;
  const unaddressed = webhooks.filter((webhook) => !isAddressed(webhook)).map(({ name }) => name);
  return { alerts: { ...(given as object), webhooks: webhooks.filter(isAddressed) }, unaddressed };
}

const share = (usual: number) => z.number().positive().max(1).default(usual);
const times = (usual: number) => z.number().min(1).max(1000).default(usual);

export const ALERT_RULES = [
  "budget",
  "budget_forecast",
  "spend_rise",
  "error_rate",
  "provider_down",
  "key_near_limit",
] as const;
export type AlertRule = (typeof ALERT_RULES)[number];

/** What an operator looks at because of an alert. */
export const ALERT_TARGETS = ["budget", "key", "model", "provider"] as const;

/** A rule that may be switched off. */
const rule = <Shape extends z.ZodRawShape>(thresholds: Shape) =>
  z
    .strictObject(thresholds)
    .or(z.literal(false))
    .prefault({} as never);

/**
 * The thresholds of each rule, for webhooks, `GET /admin/attention` and `/metrics` alike. All are guesses: what is unusual depends
 * on the traffic.
 */
export const rulesSchema = z.strictObject({
  budget: rule({}),
  budget_forecast: rule({ ratio: times(1) }),
  spend_rise: rule({ ratio: times(2), min_usd: z.number().min(0).default(10) }),
  error_rate: rule({
    share: share(0.1),
    minutes: z.int().min(1).max(60).default(60),
    min_failed: z.int().min(1).default(5),
  }),
  provider_down: rule({ share: share(0.5) }),
  key_near_limit: rule({ share: share(0.8) }),
} satisfies Record<AlertRule, z.ZodType>);

/** The setting `alerts`. */
export const alertsSchema = z.strictObject({
  webhooks: z
    .array(webhookSchema)
    .max(10)
    .refine((webhooks) => new Set(webhooks.map(({ name }) => name)).size === webhooks.length, {
      error: "two webhooks have the same name",
    })
    .default([]),
  rules: rulesSchema.prefault({}),
});

/** With the names of the settings file. */
type AlertsEntry = Readonly<z.infer<typeof alertsSchema>>;
export type AlertRules = AlertsEntry["rules"];

/** What tells operators of faults while nobody looks. */
export const alertsSettings = {
  alerts: field(
    alertsSchema.prefault({}),
    "Where [alerts](alerts.md) are sent and when: `webhooks`, each with `name`, `form` (`slack` or `json`), `url` or its " +
      "variable `url_env`, and optionally `secret_env`; `rules` with thresholds, or `false`. Operators [change both](api.md#get-adminsettings) while " +
      "the gateway runs.",
    { expects: "an object with `webhooks` and `rules`" },
  ),
  alertIntervalMs: whole(
    { from: 1000, to: 3_600_000, usual: 60_000 },
    "Milliseconds between checks of the alert rules, by one instance of all.",
  ),
};
