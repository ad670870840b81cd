import { z } from "zod";
import { closedObject } from "../../../foundation/closed-object.js";
import { PAUSE_KINDS } from "../../run/pause.js";

const MOST_NAME_CHARACTERS = 256;
const MOST_REASON_CHARACTERS = 500;

const badKind = { error: `it must be one of ${PAUSE_KINDS.join(", ")}` };
const badTarget = { error: `it must be a string of 1 to ${MOST_NAME_CHARACTERS} characters` };
const badRedirect = { error: "it must be the name of a model, or null" };
const badReason = { error: `it must be a string of 1 to ${MOST_REASON_CHARACTERS} characters` };
const badEnd = {
  error:
    "it must be a date and time with zone, such as 2030-01-31T00:00:00Z, or null: until an operator ends it",
};

/** Body of `POST /admin/pauses`. */
export const newPauseSchema = closedObject(
  {
    kind: z
      .enum(PAUSE_KINDS, badKind)
      .describe("What is paused: a `model`, a `provider`, or the `key` of callers."),
    target: z
      .string(badTarget)
      .min(1, badTarget)
      .max(MOST_NAME_CHARACTERS, badTarget)
      .describe(
        "Name of the model, or `provider/model` for that provider alone; id of the provider; id of the key, or `jwt:` and the " +
          "subject of a token.",
      ),
    redirect_to: z
      .string(badRedirect)
      .min(1, badRedirect)
      .max(MOST_NAME_CHARACTERS, badRedirect)
      .nullish()
      .describe("Of a model: the model that answers requests for it instead. Without it they are refused."),
    reason: z
      .string(badReason)
      .min(1, badReason)
      .max(MOST_REASON_CHARACTERS, badReason)
      .describe("For other operators; callers do not see it."),
    ends_at: z.iso
      .datetime({ offset: true, ...badEnd })
      .nullish()
      .describe(
        "A moment to come, ISO 8601 with zone; null: until an operator ends it. Default: in an hour.",
      ),
  },
  "it must be an object",
);

/** A pause as lists show it. */
export const pauseBodySchema = z.strictObject({
  id: z.string(),
  kind: z.enum(PAUSE_KINDS),
  target: z.string(),
  target_name: z.string().nullable().describe("What a key is called; null for others."),
  redirect_to: z.string().nullable(),
  reason: z.string(),
  created_at: z.string().describe("ISO 8601, UTC."),
  created_by: z.string().describe("Id of the key of who began it, `anonymous`, or `command_line`."),
  created_by_name: z.string().nullable(),
  ends_at: z.string().nullable().describe("ISO 8601, UTC; null: until an operator ends it."),
});

/** Answer of `POST /admin/pauses` and `DELETE /admin/pauses/{id}`. */
export const pauseReplySchema = pauseBodySchema.extend({ request_id: z.string() });

/** Answer of `GET /admin/pauses`. */
export const pauseListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(pauseBodySchema).describe("Those in force, the newest first."),
  request_id: z.string(),
});

export type NewPauseBody = z.infer<typeof newPauseSchema>;
export type PauseBody = z.infer<typeof pauseBodySchema>;
