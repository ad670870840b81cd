import { z } from "zod";
import type { Trace } from "../trace.js";

const object = z.record(z.string(), z.unknown());

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_cost_usd: z.number().nullable(),
});

const message = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(object)]).nullable(),
  tool_calls: z.array(object).optional(),
});

/** The last moment that a date can have, in milliseconds since the epoch. */
const LAST_MS = 8.64e15;

/** What a store has to be able to write; there may be more. */
const traceSchema = z.object({
  requestId: z.string(),
  kind: z.string(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  source: z.string(),
  principal: z.string(),
  status: z.string(),
  createdAtMs: z.int().min(-LAST_MS).max(LAST_MS),
  latencyMs: z.number(),
  ttftMs: z.number().nullable(),
  streamed: z.boolean(),
  finishReason: z.string().nullable(),
  usage: usage.nullable(),
  attempts: z.array(z.object({ provider: z.string(), model: z.string(), usage: usage.optional() })),
  routing: object.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  content: z
    .object({
      input: z.array(message),
      output: z.string(),
      reasoning: z.string().optional(),
    })
    .nullable(),
  requestedModel: z.string().optional(),
  effort: z.string().optional(),
  toolLoop: z.object({ state: z.string() }).optional(),
  savings: z.object({ baseline_cost_usd: z.number(), saved_usd: z.number() }).optional(),
} satisfies { readonly [Field in keyof Omit<Trace, "feedback">]-?: z.ZodType });

/** Whether a value that came as JSON has every member of a trace with its type, so that a store can take it. */
export const isTrace = (value: unknown): value is Trace => traceSchema.safeParse(value).success;
