import { routingJson } from "../../router/routing-body.js";
import type { Attempt, Trace, Usage } from "../trace.js";

/**
 * What is only ever read with a whole trace, as one JSON text: in one column it is compressed together, and costs an append
 * one value instead of ten. Lists instead of objects, and no figure that a column has too: half of the text.
 *
 * `[principal, streamed, finishReason, error, metadata, usage, attempts, routing]`
 */
type Detail = readonly [...DetailBeforeRouting, routing: Trace["routing"]];

type DetailBeforeRouting = readonly [
  principal: string,
  streamed: boolean,
  finishReason: string | null,
  error: Trace["error"],
  metadata: Trace["metadata"],
  usage: PackedUsage | Usage | null,
  attempts: readonly (PackedAttempt | Attempt)[],
];

type Figure = number | null | typeof SAME;

/** The nine figures in the order of `Usage`, then what there is beside them. */
type PackedUsage = readonly [
  prompt: Figure,
  completion: Figure,
  total: Figure,
  input: Figure,
  output: Figure,
  cache: Figure,
  cost: Figure,
  latency: Figure,
  ttft: Figure,
  rest: Readonly<Record<string, unknown>>,
];
type PackedAttempt = readonly [
  provider: string,
  model: string,
  status: number | null,
  code: string,
  latencyMs: number,
];

/** Instead of a figure that the columns have, or of the sum of both numbers of tokens. */
const SAME = "=";

/** What columns have of a trace. */
export interface KnownFigures {
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costUsd: number | null;
  readonly latencyMs: number;
  readonly ttftMs: number | null;
}

export type TraceDetail = Pick<
  Trace,
  "principal" | "streamed" | "finishReason" | "error" | "metadata" | "usage" | "attempts" | "routing"
>;

export function detailOf(trace: Trace): string {
  const { principal, streamed, finishReason, error, metadata, usage, attempts, routing } = trace;
  const beforeRouting: DetailBeforeRouting = [
    principal,
    streamed,
    finishReason,
    error,
    metadata,
    usage === null ? null : packedUsage(usage, trace),
    attempts.map(({ provider, model, status, code, latency_ms }) => [
      provider,
      model,
      status,
      code,
      latency_ms,
    ]),
  ];
  const routingText = routing === null ? "null" : routingJson(routing);
  return `${JSON.stringify(beforeRouting).slice(0, -1)},${routingText}]`;
}

/** @throws SyntaxError when the text is not one of `detailOf` */
export function readDetail(text: string, known: KnownFigures): TraceDetail {
  const [principal, streamed, finishReason, error, metadata, usage, attempts, routing] = JSON.parse(
    text,
  ) as Detail;
  return {
    principal,
    streamed,
    finishReason,
    error,
    metadata,
    usage: usage === null || !isPacked(usage) ? usage : unpackedUsage(usage, known),
    attempts: attempts.map(unpackedAttempt),
    routing,
  };
}

const isPacked = (usage: PackedUsage | Usage): usage is PackedUsage => Array.isArray(usage);

function packedUsage(usage: Usage, { latencyMs, ttftMs }: Pick<Trace, "latencyMs" | "ttftMs">): PackedUsage {
  const {
    prompt_tokens,
    completion_tokens,
    total_tokens,
    input_cost_usd,
    output_cost_usd,
    cache_input_cost_usd,
    total_cost_usd,
    latency_ms,
    ttft_ms,
    ...rest
  } = usage;
  return [
    Number.isSafeInteger(prompt_tokens) ? SAME : prompt_tokens,
    Number.isSafeInteger(completion_tokens) ? SAME : completion_tokens,
    total_tokens === prompt_tokens + completion_tokens ? SAME : total_tokens,
    input_cost_usd,
    output_cost_usd,
    cache_input_cost_usd,
    SAME,
    latency_ms === latencyMs ? SAME : latency_ms,
    ttft_ms === ttftMs ? SAME : ttft_ms,
    rest,
  ];
}

function unpackedUsage(packed: PackedUsage, known: KnownFigures): Usage {
  const { tokensIn, tokensOut, costUsd, latencyMs, ttftMs } = known;
  const [prompt, completion, total, input, output, cache, cost, latency, ttft, rest] = packed;
  const promptTokens = prompt === SAME ? tokensIn : prompt;
  const completionTokens = completion === SAME ? tokensOut : completion;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: total === SAME ? Number(promptTokens) + Number(completionTokens) : total,
    input_cost_usd: input,
    output_cost_usd: output,
    cache_input_cost_usd: cache,
    total_cost_usd: cost === SAME ? costUsd : cost,
    latency_ms: latency === SAME ? latencyMs : latency,
    ttft_ms: ttft === SAME ? ttftMs : ttft,
    ...rest,
  } as Usage;
}

function unpackedAttempt(attempt: PackedAttempt | Attempt): Attempt {
  if (!isList(attempt)) return attempt;
  const [provider, model, status, code, latency_ms] = attempt;
  return { provider, model, status, code, latency_ms };
}

const isList = (attempt: PackedAttempt | Attempt): attempt is PackedAttempt => Array.isArray(attempt);
