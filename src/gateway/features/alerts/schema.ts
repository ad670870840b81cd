import { z } from "zod";
import { closedObject } from "../../../foundation/closed-object.js";
import { ALERT_RULES } from "./settings.js";

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
    .array(z.strictObject({ rule: ruleName, ...alertTexts, since: isoDate }))
    .describe("What holds now, or did in the last minutes."),
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
    .describe("What fired and resolved, the newest first, at most 50."),
  looked_at: isoDate.nullable().describe("When the rules were last looked at; null before the first time."),
  request_id: z.string(),
});

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
export type AlertTestReply = z.infer<typeof alertTestReplySchema>;
