import { z } from "zod";
import { usageSchema } from "../../../api/completion.js";
import { MESSAGE_ROLES } from "../../../api/messages.js";
import { attemptSchema, routingSchema } from "../../../api/routing.js";
import { billedCostUsd } from "../../../traces/billed-usage.js";
import type { TraceList, TraceSummary } from "../../../traces/store.js";
import {
  TOOL_LOOP_STATES,
  TRACE_KINDS,
  TRACE_STATUSES,
  type Trace,
  type TraceContent,
  type TracedSavings,
} from "../../../traces/trace.js";
import { inputText } from "../../../traces/traced-message.js";
import { traceFeedbackBody, traceFeedbackSchema } from "./feedback.js";

const milliseconds = z.number().min(0);
const count = z.int().min(0);

export const traceSummarySchema = z.strictObject({
  request_id: z.string().describe("Id of the request, as its reply had it."),
  model: z.string().nullable().describe("Model that answered or was tried last; null when none was."),
  provider: z.string().nullable().describe("Provider that answered or was tried last; null when none was."),
  tokens_in: count.nullable().describe("Prompt tokens; null when nothing was generated."),
  tokens_out: count.nullable(),
  cost_usd: z
    .number()
    .min(0)
    .nullable()
    .describe("Of all calls, failed ones that used something too; null where no price is known."),
  latency_ms: milliseconds.describe("From the arrival of the request to the end of the answer."),
  status: z.enum(TRACE_STATUSES),
  created_at: z.string().describe("Arrival of the request: ISO 8601, UTC."),
});

/** Answer of `GET /v1/traces`. */
export const traceListSchema = z.strictObject({
  traces: z.array(traceSummarySchema).readonly().describe("Newest first."),
  total: count.describe("All that match, on this page or not."),
  has_more: z.boolean().describe("Whether any follow this page."),
  request_id: z.string(),
});

const apiKeySchema = z
  .strictObject({
    id: z.string(),
    name: z.string().nullable().describe("What it is called now; null when it is no longer known."),
  })
  .nullable()
  .describe("API key that asked; null for tokens, and without authentication.");

const requestedModelSchema = z
  .string()
  .nullable()
  .describe("Model as the request named it, `auto` and presets among them; null where it named none.");

const metadataSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .describe("Its tags.");

/** Answer of `GET /admin/traces`. */
export const adminTraceListSchema = traceListSchema.extend({
  traces: z
    .array(
      traceSummarySchema.extend({
        kind: z.enum(TRACE_KINDS),
        requested_model: requestedModelSchema,
        source: z.string(),
        api_key: apiKeySchema,
        metadata: metadataSchema,
        error_code: z.string().nullable(),
        input_start: z
          .string()
          .nullable()
          .describe("First characters of the prompt; null when it was not stored."),
      }),
    )
    .readonly()
    .describe("Newest first."),
});

const attachmentSchema = z
  .strictObject({
    type: z.string().describe("Of the part, such as `image_url` or `file`."),
    media_type: z.string().nullable().describe("Null where the request did not say, as with addresses."),
    bytes: count.nullable().describe("Null for addresses."),
    filename: z.string().optional(),
  })
  .describe("An image, file, sound or film: what it was, and nothing of what was in it.");

const toolCallSchema = z.strictObject({
  id: z.string().optional(),
  type: z.enum(["function", "custom"]),
  function: z.strictObject({ name: z.string(), arguments: z.string() }).optional(),
  custom: z.strictObject({ name: z.string(), input: z.string() }).optional(),
});

/** A message of a request as it was sent, in the form of OpenAI's chat completions. */
export const tracedMessageSchema = z.strictObject({
  role: z.enum(MESSAGE_ROLES),
  content: z
    .union([
      z.string(),
      z
        .array(
          z.union([
            z.strictObject({ type: z.literal("text"), text: z.string() }),
            z.strictObject({ type: z.literal("refusal"), refusal: z.string() }),
            attachmentSchema,
          ]),
        )
        .readonly(),
    ])
    .nullable(),
  name: z.string().optional(),
  reasoning: z.string().optional().describe("Reasoning of an earlier answer that the client sent back."),
  refusal: z.string().optional(),
  tool_calls: z.array(toolCallSchema).readonly().optional(),
  tool_call_id: z.string().optional(),
});

export const toolLoopSchema = z.strictObject({
  state: z.enum(TOOL_LOOP_STATES).describe("`stuck`: the last five turns or more made the same calls."),
  turn: count.describe("Number of this answer since the user last wrote something, from 2."),
  tool_errors: count.describe("Results since then that say that a call failed."),
  repeated_calls: count.describe("Calls since then of a tool with the same arguments as before."),
  stuck_tool: z.string().nullable().describe("What a stuck loop calls; null for others."),
  context_share: z
    .number()
    .min(0)
    .nullable()
    .describe("Tokens of the prompt over the context window of the model; null where one is not known."),
});

const tracedSavingsSchema = z.strictObject({
  baseline_model: z.string(),
  baseline_cost_usd: z.number().min(0).describe("What it would have cost for the same tokens and caches."),
  saved_usd: z
    .number()
    .describe("That less everything that was billed for the request; negative where routing cost more."),
});

/** Answer of `GET /v1/traces/{request_id}`. */
export const traceSchema = traceSummarySchema.extend({
  input_text: z
    .string()
    .optional()
    .describe("Text of the last user message. Absent when the content was not stored."),
  messages: z
    .array(tracedMessageSchema)
    .readonly()
    .optional()
    .describe("The conversation as it was sent. Absent when the content was not stored."),
  output_text: z.string().optional().describe("Absent when the content was not stored."),
  reasoning_text: z
    .string()
    .optional()
    .describe(
      "What the provider sent of the model's reasoning apart from the answer; absent when it sent none, and when the content was not stored.",
    ),
  metadata: metadataSchema,
  source: z.string(),
  api_key: apiKeySchema,
  kind: z.enum(TRACE_KINDS).describe("What was asked for."),
  requested_model: requestedModelSchema,
  effort: z
    .string()
    .nullable()
    .describe(
      "Effort of reasoning that was asked for: the caller's, else that of the decision or of the named model; null where none was.",
    ),
  ttft_ms: milliseconds.nullable().describe("To the first content; null when there was none."),
  finish_reason: z.string().nullable(),
  attempts: z.array(attemptSchema).readonly().describe("Every upstream call, in order."),
  routing: routingSchema.nullable().describe("How the model was chosen, when it was."),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  usage: usageSchema.nullable().describe("Of the call that answered, or broke off last."),
  tool_loop: toolLoopSchema
    .nullable()
    .describe("The tool loop that it is part of, by its messages; null outside of one."),
  savings: tracedSavingsSchema
    .nullable()
    .describe("Against the operator's baseline; null where nothing was compared."),
  feedback: traceFeedbackSchema.nullable().describe("What its client said of the outcome."),
});

export type TracedMessageBody = z.infer<typeof tracedMessageSchema>;
/** One finished request, as lists show it. */
export type TraceSummaryBody = z.infer<typeof traceSummarySchema>;
export type TraceListBody = Omit<z.infer<typeof traceListSchema>, "request_id">;
export type AdminTraceListBody = Omit<z.infer<typeof adminTraceListSchema>, "request_id">;
/** All that is kept of one request. */
export type TraceBody = z.infer<typeof traceSchema>;

export const traceListBody = ({ traces, total, hasMore }: TraceList): TraceListBody => ({
  traces: traces.map(summaryBody),
  total,
  has_more: hasMore,
});

type SummaryFigures = Omit<
  TraceSummary,
  "source" | "principal" | "errorCode" | "inputStart" | "metadata" | "requestedModel"
>;

/** The name of an API key by its id; undefined when it is not known. */
export type KeyNames = (id: string) => string | undefined;

/** Characters of each prompt in a list for operators. */
export const INPUT_CHARACTERS = 160;

export const adminTraceListBody = (list: TraceList, keyNames: KeyNames): AdminTraceListBody => ({
  ...traceListBody(list),
  traces: list.traces.map((summary) => ({
    ...summaryBody(summary),
    kind: summary.kind,
    requested_model: summary.requestedModel,
    source: summary.source,
    api_key: apiKeyBody(summary.principal, keyNames),
    metadata: summary.metadata ?? {},
    error_code: summary.errorCode,
    input_start: summary.inputStart,
  })),
});

export function traceBody(trace: Trace, keyNames: KeyNames): TraceBody {
  const { content, usage, feedback, principal } = trace;
  return {
    ...traceSummaryBody(trace),
    ...(content !== null && contentBody(content)),
    metadata: trace.metadata,
    source: trace.source,
    api_key: apiKeyBody(principal, keyNames),
    kind: trace.kind,
    requested_model: trace.requestedModel ?? null,
    effort: trace.effort ?? null,
    ttft_ms: trace.ttftMs,
    finish_reason: trace.finishReason,
    attempts: trace.attempts,
    routing: trace.routing,
    error: trace.error,
    usage,
    tool_loop: trace.toolLoop ?? null,
    savings: trace.savings === undefined ? null : savingsBody(trace.savings),
    feedback: feedback === undefined ? null : traceFeedbackBody(feedback),
  };
}

/** Of a whole trace, what lists show. */
export const traceSummaryBody = (trace: Trace): TraceSummaryBody =>
  summaryBody({
    ...trace,
    tokensIn: trace.usage?.prompt_tokens ?? null,
    tokensOut: trace.usage?.completion_tokens ?? null,
    costUsd: billedCostUsd(trace),
  });

const contentBody = ({ input, output, reasoning }: TraceContent) => ({
  input_text: inputText(input),
  messages: input,
  output_text: output,
  ...(reasoning !== undefined && { reasoning_text: reasoning }),
});

const savingsBody = ({ baseline_model, baseline_cost_usd, saved_usd }: TracedSavings) => ({
  baseline_model,
  baseline_cost_usd,
  saved_usd,
});

/** Other principals are subjects of tokens (`jwt:…`), and `anonymous`. */
const apiKeyBody = (principal: string, keyNames: KeyNames): TraceBody["api_key"] =>
  principal.startsWith("key_") ? { id: principal, name: keyNames(principal) ?? null } : null;

const summaryBody = (summary: SummaryFigures): TraceSummaryBody => ({
  request_id: summary.requestId,
  model: summary.model,
  provider: summary.provider,
  tokens_in: summary.tokensIn,
  tokens_out: summary.tokensOut,
  cost_usd: summary.costUsd,
  latency_ms: summary.latencyMs,
  status: summary.status,
  created_at: new Date(summary.createdAtMs).toISOString(),
});
