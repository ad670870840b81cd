import { z } from "zod";
import { closedObject } from "../../../foundation/closed-object.js";
import { ALERT_RULES, ALERT_TARGETS } from "./settings.js";

const isoDate = z.string().describe("ISO 8601, UTC.");
const ruleName = z.enum(ALERT_RULES);

const webhookBodySchema = z.strictObject({
  name: z.string(),
  form: z.enum(["slack", "json"]),
  host: z.string().describe("Of its address, which is not shown."),
  signed: z.boolean().describe("Whether its messages are signed with a secret."),
  waiting: z.int().min(0).describe("Events that it has not taken yet."),
  last: z
    .strictObject({ at: isoDate, ok: z.boolean(), status: z.string() })
    .nullable()
    .describe("How the last try to send an alert ended; null before the first."),
});

/** What an alert is about. */
export const alertTargetSchema = z
  .strictObject({ type: z.enum(ALERT_TARGETS), id: z.string() })
  .nullable()
  .describe("What it is about; null: all requests.");

/** As lists show it. */
export const silenceSchema = z.strictObject({
  id: z.string(),
  rule: ruleName,
  subject: z.string(),
  reason: z.string(),
  created_at: isoDate,
  created_by: z.string().describe("Id of the key of who silenced it, or `anonymous`."),
  created_by_name: z.string().nullable(),
  ends_at: isoDate.nullable().describe("Null: until the alert resolves."),
});

const alertTexts = { subject: z.string(), title: z.string(), detail: z.string() };

/** Answer of `GET /admin/alerts`. */
export const alertsBodySchema = z.strictObject({
  object: z.literal("alerts"),
  webhooks: z.array(webhookBodySchema),
  rules: z
    .array(
      z.strictObject({
        rule: ruleName,
        on: z.boolean(),
        thresholds: z.record(z.string(), z.number()),
      }),
    )
    .describe("All rules, with the thresholds of those that are on."),
  firing: z
    .array(z.strictObject({ rule: ruleName, ...alertTexts, target: alertTargetSchema, since: isoDate }))
    .describe("What holds now, or did in the last minutes."),
  silences: z.array(silenceSchema).describe("Those in force: webhooks are not told of these alerts."),
  recent: z
    .array(
      z.strictObject({
        id: z.string(),
        type: z.enum(["alert.fired", "alert.resolved"]),
        at: isoDate,
        rule: ruleName,
        ...alertTexts,
        fired_at: isoDate,
      }),
    )
    .describe("What fired and resolved, the newest first, at most 200."),
  looked_at: isoDate.nullable().describe("When the rules were last looked at; null before the first time."),
  request_id: z.string(),
});

const badRule = { error: `it must be one of ${ALERT_RULES.join(", ")}` };
const badSubject = { error: "it must be the subject of an alert" };
const badReason = { error: "it must be a string of 1 to 500 characters" };
const badEnd = {
  error:
    "it must be a date and time with zone, such as 2030-01-31T00:00:00Z, or null: until the alert resolves",
};

/** Body of `POST /admin/alerts/silences`. */
export const newSilenceSchema = closedObject(
  {
    rule: z.enum(ALERT_RULES, badRule),
    subject: z.string(badSubject).min(1, badSubject).max(512, badSubject),
    reason: z.string(badReason).min(1, badReason).max(500, badReason).describe("For other operators."),
    ends_at: z.iso
      .datetime({ offset: true, ...badEnd })
      .nullish()
      .describe("A moment to come, ISO 8601 with zone. Default: null, until the alert resolves."),
  },
  "it must be an object",
);

/** Answer of `POST /admin/alerts/silences` and `DELETE /admin/alerts/silences/{id}`. */
export const silenceReplySchema = silenceSchema.extend({ request_id: z.string() });

const badWebhook = { error: "it must be the name of a webhook" };

/** Body of `POST /admin/alerts/test`. */
export const alertTestSchema = closedObject(
  {
    webhook: z
      .string(badWebhook)
      .min(1, badWebhook)
      .optional()
      .describe("Its name; without it: all of them."),
  },
  "it must be an object",
);

/** Answer of `POST /admin/alerts/test`. */
export const alertTestReplySchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(
    z.strictObject({
      webhook: z.string(),
      ok: z.boolean(),
      status: z.string().describe("`HTTP 200`, or what went wrong."),
      latency_ms: z.number(),
    }),
  ),
  request_id: z.string(),
});

export type AlertsBody = z.infer<typeof alertsBodySchema>;
export type SilenceBody = z.infer<typeof silenceSchema>;
export type AlertTestReply = z.infer<typeof alertTestReplySchema>;
export type NewSilenceBody = z.infer<typeof newSilenceSchema>;
