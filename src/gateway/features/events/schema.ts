import { z } from "zod";
import { closedObject } from "../../../foundation/closed-object.js";
import { adminEventSchema, EVENT_KINDS, type EventKind } from "./event.js";

const MOST_EVENTS = 1000;
const USUAL_EVENTS = 100;

const badKinds = { error: `it must be one or more of ${EVENT_KINDS.join(", ")}, separated by commas` };
const badTarget = { error: "it must be one id" };
const badDate = { error: "it must be a date and time with zone, such as 2030-01-31T00:00:00Z" };
const badLimit = { error: `it must be a whole number from 1 to ${MOST_EVENTS}` };

const isKind = (text: string): text is EventKind => EVENT_KINDS.some((kind) => kind === text);
const date = z.iso.datetime({ offset: true, ...badDate }).optional();

/** Parameters of `GET /admin/events`. */
export const eventsQuerySchema = closedObject(
  {
    kind: z
      .string(badKinds)
      .refine((text) => text.split(",").every(isKind), badKinds)
      .transform((text) => text.split(",").filter(isKind))
      .optional()
      .describe(`Kinds, separated by commas: ${EVENT_KINDS.map((kind) => `\`${kind}\``).join(", ")}.`),
    target: z
      .string(badTarget)
      .min(1, badTarget)
      .optional()
      .describe("Id of the key or provider, or name of the model, that the act was done to."),
    start_date: date.describe("Earliest moment, inclusive: ISO 8601 with zone."),
    end_date: date.describe("Latest moment, exclusive: ISO 8601 with zone."),
    limit: z
      .string(badLimit)
      .refine((text) => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_EVENTS, badLimit)
      .default(String(USUAL_EVENTS))
      .describe(`Maximum number of events to answer with, at most ${MOST_EVENTS}; default ${USUAL_EVENTS}.`),
  },
  "it must be a query",
);

/** Answer of `GET /admin/events`. */
export const eventListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(adminEventSchema).describe("Newest first."),
  has_more: z.boolean().describe("Whether older ones match too."),
  request_id: z.string(),
});

export type EventBody = z.infer<typeof adminEventSchema>;
