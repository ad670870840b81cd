import { z } from "zod";
import { closedObject } from "../../../foundation/closed-object.js";
import { valueAt } from "../../../foundation/value-path.js";
import { budgetsSchema } from "../../access/settings.js";
import { ALERT_RULES, rulesSchema, webhookFields } from "../alerts/settings.js";

/** Settings that operators change while the gateway runs: paths in the settings file. */
export const OPERATOR_FIELDS = [
  "budgets",
  "alerts.webhooks",
  ...ALERT_RULES.map((rule) => `alerts.rules.${rule}` as const),
  "auto_cost_weight",
] as const;
export type OperatorField = (typeof OPERATOR_FIELDS)[number];

const badWeight = { error: "it must be a number from 0 to 1, or null" };
const badObject = "it must be an object, or null";

/** As in the settings file, with null for a threshold to reset. */
const rulePatches = Object.entries(rulesSchema.shape).map(([name, rule]) => {
  const thresholds = Object.entries<z.ZodType>(rule.unwrap().options[0].shape);
  const nullable = thresholds.map(([threshold, value]) => [threshold, value.nullish()] as const);
  return [name, z.strictObject(Object.fromEntries(nullable)).or(z.literal(false)).nullish()] as const;
});

const fields = {
  budgets: budgetsSchema.nullish().describe("All budgets, as in the settings file."),
  alerts: closedObject(
    {
      webhooks: z
        .array(z.strictObject(webhookFields))
        .max(10)
        .nullish()
        .describe(
          "All webhooks, as in the settings file; one without `url` and `url_env` keeps the address of that name.",
        ),
      rules: closedObject(Object.fromEntries(rulePatches), badObject)
        .nullish()
        .describe("Thresholds of rules, or `false`; those that are not given stay, and null resets one."),
    },
    badObject,
  ).nullish(),
  auto_cost_weight: z
    .number(badWeight)
    .min(0, badWeight)
    .max(1, badWeight)
    .nullish()
    .describe('Cost weight of `model: "auto"` where neither the request nor its key has one.'),
};
const notObject = "it must be an object";
export const operatorValuesSchema = closedObject(fields, notObject);

/** Body of `PATCH /admin/settings`: a JSON Merge Patch over what operators have set. */
export const settingsPatchSchema = closedObject(
  {
    ...fields,
    version: z
      .string("it must be the `version` of GET /admin/settings")
      .optional()
      .describe("That of the settings that were read: the change is refused when it is not the newest."),
  },
  notObject,
);
export type SettingsPatch = Readonly<z.input<typeof settingsPatchSchema>>;

/** Whether a patch says something of a field: null does of all below. */
export function isGiven(patch: SettingsPatch, field: OperatorField): boolean {
  const steps = field.split(".");
  const given = steps.map((_, at) => valueAt(patch, steps.slice(0, at + 1)));
  return given.includes(null) || given.at(-1) !== undefined;
}

const SOURCES = ["console", "environment", "file", "default"] as const;
export type SettingSource = (typeof SOURCES)[number];

/** Answer of `GET /admin/settings` and `PATCH /admin/settings`. */
export const settingsReplySchema = z.strictObject({
  object: z.literal("settings"),
  settings: z
    .strictObject({
      budgets: budgetsSchema,
      alerts: z.strictObject({
        webhooks: z.array(
          z.strictObject({
            name: z.string(),
            form: webhookFields.form,
            host: z.string().describe("Of its address, which is not shown."),
            url_env: z.string().nullable(),
            secret_env: z.string().nullable(),
          }),
        ),
        rules: rulesSchema,
      }),
      auto_cost_weight: z.number(),
    })
    .describe("What is used now."),
  sources: z
    .record(z.enum(OPERATOR_FIELDS), z.enum(SOURCES))
    .describe("Where each field comes from; `console`: null resets it."),
  version: z.string().describe("Another one after each change by an operator."),
  request_id: z.string(),
});
export type SettingsBody = z.infer<typeof settingsReplySchema>;
