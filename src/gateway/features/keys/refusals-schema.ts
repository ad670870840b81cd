import { z } from "zod";
import { closedObject } from "../../../foundation/closed-object.js";

const DAY_S = 86_400;

const badKey = { error: "it must be one id of an API key" };
const badStep = { error: `it must be a whole number of seconds from 60 to ${DAY_S}, a multiple of 60` };

const isStep = (text: string): boolean => {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return seconds >= 60 && seconds <= DAY_S && seconds % 60 === 0;
};

/** Parameters of `GET /admin/refusals`. */
export const refusalsQuerySchema = closedObject(
  {
    key: z
      .string(badKey)
      .min(1, badKey)
      .optional()
      .describe("Id of an API key, or `jwt:` and the subject of a token. Default: all, also `anonymous`."),
    step: z
      .string(badStep)
      .refine(isStep, badStep)
      .default("3600")
      .describe("Length of a step in seconds, a multiple of 60; default 3600."),
  },
  "it must be a query",
);

const refusalSchema = z.strictObject({
  start: z.string().describe("Beginning of the step: ISO 8601, UTC."),
  key: z.string().describe("Id of the API key, `jwt:` and subject of the token, or `anonymous`."),
  name: z.string().nullable().describe("What the key is called now; null when it is not known."),
  limit: z.enum(["requests", "tokens", "budget"]).describe("Limit that refused the requests."),
  budget: z
    .string()
    .nullable()
    .describe("Name of the budget of the settings that refused them; null: a limit of the key itself."),
  requests: z.int().min(1),
});

/** Answer of `GET /admin/refusals`. */
export const refusalListSchema = z.strictObject({
  object: z.literal("list"),
  step: z.int().describe("Seconds."),
  data: z.array(refusalSchema).describe("Steps with refused requests, by time."),
  request_id: z.string(),
});

export type RefusalBody = z.infer<typeof refusalSchema>;
