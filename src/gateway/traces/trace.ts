import type { RoutingBody } from "../../engine/router/routing-body.js";
import { lengthOfStrings, type TracedMessage } from "./traced-message.js";

/** What was asked for. `comparison`: what the gateway itself asked to compare answers. */
export const TRACE_KINDS = [
  ...(["chat", "completion", "router", "responses", "messages", "embeddings"] as const),
  "comparison",
] as const;
export type TraceKind = (typeof TRACE_KINDS)[number];

/** Source of what the gateway itself asked to compare answers: also of decisions, which are of the kind `router`. */
export const COMPARISONS_SOURCE = "comparisons";

/** How a request ended. */
export const TRACE_STATUSES = ["success", "error", "timeout"] as const;
export type TraceStatus = (typeof TRACE_STATUSES)[number];

/** What one upstream call used. */
export interface AttemptUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Null where no price is known. */
  readonly total_cost_usd: number | null;
  /** True when the provider reported the cost, and nothing was computed. */
  readonly cost_reported?: true;
  /** True when the provider did not say, and tokens were counted here. */
  readonly estimated?: true;
}

/** One upstream call of a request, as traces and error bodies show it. */
export interface Attempt {
  readonly provider: string;
  readonly model: string;
  /** HTTP status of the upstream; null without one. */
  readonly status: number | null;
  /** `ok`, or what went wrong: a fault's code, `circuit_open`, `keys_resting`, `concurrency_limit`, `over_budget`, `paused`, `client_disconnected`. */
  readonly code: string;
  /**
   * What the provider said, or else what went wrong in our words; null when nothing did. It may quote the prompt, so a
   * trace without content has none.
   */
  readonly message: string | null;
  readonly latency_ms: number;
  /** Name of the key that was used; absent for a provider with one key or none. */
  readonly key?: string;
  /** Of a timeout: the setting whose limit passed, `measured` for one that follows from earlier calls. */
  readonly limit?: string;
  /** Absent when the call is not known to have used anything. */
  readonly usage?: AttemptUsage;
  /** Of the first call for a model that several providers serve. */
  readonly host?: HostChoice;
  /** Who answered at a provider that has providers of its own (OpenRouter), as its reply names it. */
  readonly upstream?: string;
  /** From four weeks before the day on which the provider stops running the model: that day, and what is to take its place. */
  readonly retirement?: { readonly from: string; readonly successor: string | null };
  /** The model that the provider says it served, where that is another one than was asked for. */
  readonly served_model?: string;
  /** What the translation of the request lacks: fields, types of tools and of items. Absent: nothing. */
  readonly left_out?: readonly string[];
}

/**
 * What put the first provider of a model before the second: it is in better health, the request orders it first, it has
 * the conversation in its cache, it is cheaper, faster to its first content, or faster in all; or nothing but the order
 * of the settings.
 */
export const HOST_REASONS = [
  "health",
  "order",
  "conversation",
  "price",
  "latency",
  "throughput",
  "configured",
] as const;
export type HostReason = (typeof HOST_REASONS)[number];

/** Why the providers of a model were asked in this order. */
export interface HostChoice {
  readonly reason: HostReason;
  /**
   * US dollars that this request is expected to cost less at the first provider than otherwise: than at the one that
   * would be first without the conversation, or than at the one that has it in its cache; negative where it costs more.
   * Null without a conversation, or without a price.
   */
  readonly saved_usd: number | null;
  /** In the order of calls, with what was expected of each. */
  readonly hosts: readonly {
    readonly provider: string;
    readonly cost_usd: number | null;
    readonly error_rate: number;
    readonly ttft_ms: number;
    readonly tokens_per_second: number;
  }[];
}

/** Codes of attempts that stand for a call that was not made: its circuit was open, no key might be used, too many calls were under way, or an operator had paused it. */
export const NOT_CALLED: ReadonlySet<string> = new Set([
  "circuit_open",
  "keys_resting",
  "concurrency_limit",
  "over_budget",
  "paused",
]);

/** The nine figures of API §1, and what the provider sent beside them. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly input_cost_usd: number | null;
  readonly output_cost_usd: number | null;
  readonly cache_input_cost_usd: number | null;
  readonly total_cost_usd: number | null;
  /** From the arrival of the request to the end of the answer. */
  readonly latency_ms: number;
  /** From the arrival of the request to its first content; `latency_ms` when the answer came in one piece. */
  readonly ttft_ms: number;
  /** True when tokens were counted here because the provider sent no count. */
  readonly estimated?: true;
  readonly [detail: string]: unknown;
}

/** Tokens of one part of the prompt or of the answer, a whole number ≥ 0; 0 where the provider did not tell it apart. */
export function usageDetail(
  usage: Usage,
  part: "prompt_tokens_details" | "completion_tokens_details",
  name: string,
): number {
  const details = usage[part];
  const value =
    typeof details === "object" && details !== null && Object.hasOwn(details, name) && Object(details)[name];
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** What a client said of the outcome of a request. */
export interface Feedback {
  /** From 0, of no use, to 1, as good as can be. */
  readonly score: number;
  /** Null when there is none, or none is to be stored. */
  readonly comment: string | null;
  /** Milliseconds since the epoch. */
  readonly givenAtMs: number;
}

/** The texts of a request. */
export interface TraceContent {
  readonly input: readonly TracedMessage[];
  /** The answer alone. */
  readonly output: string;
  /** What the provider sent of the model's reasoning apart from the answer; absent when it sent none. */
  readonly reasoning?: string;
}

/** UTF-16 units of all texts; 0 without content. */
export const lengthOf = (content: TraceContent | null): number =>
  content === null
    ? 0
    : lengthOfStrings(content.input) + content.output.length + (content.reasoning?.length ?? 0);

/** `stuck`: the last turns made the same calls, again and again. */
export const TOOL_LOOP_STATES = ["running", "stuck"] as const;
export type ToolLoopState = (typeof TOOL_LOOP_STATES)[number];

/** The tool loop that a request is part of, since the user last wrote something, by the messages of the request alone. */
export interface ToolLoop {
  readonly state: ToolLoopState;
  /** Number of this answer in it, from 2: the first one called the tools. */
  readonly turn: number;
  /** Results that say that a call failed. */
  readonly tool_errors: number;
  /** Calls of a tool with arguments that it had been called with before. */
  readonly repeated_calls: number;
  /** The tool that a stuck loop calls; null for others. */
  readonly stuck_tool: string | null;
  /** Tokens of the prompt over the context window of the model that answered, ≥ 0; null where one of them is not known. */
  readonly context_share: number | null;
}

/**
 * What the operator's baseline model would have cost for the tokens of a routed answer, in US dollars: facts, but for the
 * prompt cache that the baseline would have had.
 */
export interface TracedSavings {
  readonly baseline_model: string;
  readonly baseline_cost_usd: number;
  /** The baseline's cost less everything that was billed for the request: negative where routing cost more. */
  readonly saved_usd: number;
  /**
   * Prompt tokens that the baseline would have read from its cache and this answer did not, because the conversation moved to
   * another model; the cost of the baseline counts them as cached.
   */
  readonly lost_cache_tokens: number;
}

/** One finished request, whatever happened to it. Exactly one for each request that was accepted. */
export interface Trace {
  readonly requestId: string;
  readonly kind: TraceKind;
  /** The model and provider that answered or were tried last; null when none was. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly source: string;
  /** Id of the key, or subject of the token. */
  readonly principal: string;
  readonly status: TraceStatus;
  /** Milliseconds since the epoch, at arrival. */
  readonly createdAtMs: number;
  readonly latencyMs: number;
  readonly ttftMs: number | null;
  readonly streamed: boolean;
  readonly finishReason: string | null;
  /** The model as the request named it, `auto` and presets (`auto:support`) among them. Absent where it named none, as in POST /v1/router. */
  readonly requestedModel?: string;
  /**
   * The effort of reasoning that was asked for: the caller's, else that of the decision, or of the named model's settings. Absent
   * where none was: the model's default.
   */
  readonly effort?: string;
  /** Of the call that answered or broke off last, not of failed ones before it; null when nothing was generated. */
  readonly usage: Usage | null;
  readonly attempts: readonly Attempt[];
  readonly routing: RoutingBody | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** Null when content is not to be stored: then it is nowhere in a trace. */
  readonly content: TraceContent | null;
  /** Absent outside of tool loops. */
  readonly toolLoop?: ToolLoop;
  /** Absent without a baseline, for requests that were not routed or not answered, and where one of the costs is not known. */
  readonly savings?: TracedSavings;
  /** Comes after the trace was recorded: stores add it to what they give back, when there is any, and append none. */
  readonly feedback?: Feedback;
}

/** Where finished requests go. */
export interface TraceSink {
  /** Whether traces should carry `content`. */
  readonly wantsContent: boolean;
  /** Never throws and never waits: a trace cannot fail or delay a request. */
  record(trace: Trace): void;
}
