import { z } from "zod";
import { snakeCased } from "../../../../foundation/snake-case.js";
import type { TraceStats } from "../../../traces/store.js";
import type { Trace } from "../../../traces/trace.js";
import type { AddedMessages } from "../../../traces/trace-messages.js";
import { tracedAnswerBody, tracedAnswerSchema } from "./operator-trace.js";
import { sums } from "./stats.js";
import { toolLoopSchema, tracedMessageSchema, traceSummaryBody, traceSummarySchema } from "./trace.js";
import { invalidParameter, searchQuery } from "./trace-query.js";

const filters = searchQuery({});

/** The query string of `GET /admin/traces/conversation`: the filters of `GET /v1/traces`, with a metadata value among them. */
export const conversationQuery: typeof filters = {
  schema: filters.schema,
  parse(raw) {
    const asked = filters.parse(raw);
    if (asked.filter.metadata !== undefined) return asked;
    throw invalidParameter(
      "metadata",
      "A conversation is the requests with one metadata value, and none is given. Write `metadata.<key>=<value>`.",
    );
  },
};

const turnSchema = z.strictObject({
  ...traceSummarySchema.shape,
  kind: z.string(),
  error_code: z.string().nullable(),
  tool_loop: toolLoopSchema.nullable().describe("As in a trace."),
  repeated_messages: z
    .int()
    .min(0)
    .describe("Messages of the prompt that the previous turn also had, its answer included."),
  messages: z
    .array(tracedMessageSchema)
    .readonly()
    .optional()
    .describe("The other messages of the prompt; absent when the content was not stored."),
  answer: tracedAnswerSchema.optional().describe("Absent when the content was not stored."),
});

/** Answer of `GET /admin/traces/conversation`. */
export const conversationSchema = z.strictObject({
  object: z.literal("conversation"),
  turns: z.array(turnSchema).describe("The first requests, oldest first."),
  has_more: z.boolean().describe("Whether there are later requests than these."),
  most_turns: z.int().min(1).describe("What `turns` has at most; fewer where texts are long."),
  ...sums,
  models: z
    .array(z.strictObject({ model: z.string().nullable(), ...sums }))
    .describe("The same figures by model, null last."),
  first_seen: z
    .string()
    .nullable()
    .describe("Arrival of the first request: ISO 8601, UTC; null without any."),
  last_seen: z.string().nullable().describe("Arrival of the last request."),
  request_id: z.string(),
});

export type ConversationBody = z.infer<typeof conversationSchema>;
export type TurnBody = z.infer<typeof turnSchema>;

export function turnBody(trace: Trace, { repeated, messages }: AddedMessages): TurnBody {
  return {
    ...traceSummaryBody(trace),
    kind: trace.kind,
    error_code: trace.error?.code ?? null,
    tool_loop: trace.toolLoop ?? null,
    repeated_messages: repeated,
    ...(trace.content !== null && {
      messages,
      answer: tracedAnswerBody(trace.content.output, trace.content.reasoning),
    }),
  };
}

/** Figures of all requests of a conversation, from those by model. */
export function conversationSums(byModel: readonly TraceStats[]) {
  const models = byModel.map(
    ({ group, latencyMs: _all, ttftMs: _first, streamedLatencyMs: _streamed, ...figures }) => ({
      model: group.model ?? null,
      ...snakeCased(figures),
    }),
  );
  const names = Object.keys(sums) as (keyof typeof sums)[];
  const sumOf = (name: keyof typeof sums) => models.reduce((total, model) => total + model[name], 0);
  const totals = Object.fromEntries(names.map((name) => [name, sumOf(name)])) as Record<
    keyof typeof sums,
    number
  >;
  return { ...totals, models };
}
