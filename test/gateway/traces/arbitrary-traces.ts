/** Random traces and filters over small sets of values, so that filters find something. */
import fc from "fast-check";
import { answerUsage } from "../../../src/gateway/run/usage.js";
import {
  type GroupDimension,
  TRACE_DIMENSIONS,
  type TraceDimension,
} from "../../../src/gateway/traces/series.js";
import {
  SORT_DIRECTIONS,
  TRACE_SORTS,
  type TraceFilter,
  type TraceOrder,
  type TracePage,
  type TraceScope,
} from "../../../src/gateway/traces/store.js";
import {
  type Attempt,
  type Feedback,
  TOOL_LOOP_STATES,
  type Trace,
  type TraceKind,
  type TraceStatus,
} from "../../../src/gateway/traces/trace.js";
import type { TracedMessage } from "../../../src/gateway/traces/traced-message.js";
import { failedTrace, NOON, requestIdAt, routedTrace, traceWith, USAGE } from "./trace-for-test.js";

const MODELS = ["gpt-4o", "GPT-4o-Mini", "o'1", "模型"];
const PROVIDERS = ["openai", "lab", 'a"b'];
const SOURCES = ["default", "shop", "it's", "%"];
const STATUSES: readonly TraceStatus[] = ["success", "error", "timeout"];
const KINDS: readonly TraceKind[] = ["chat", "completion", "router", "embeddings"];
const EFFORTS = ["low", "x-high"];
const PRESETS = [undefined, "support", "Night.2"];
const PRINCIPALS = ["key_1", "key_2", "jwt:o'1"];
const ERROR_CODES = ["upstream_error", "upstream_timeout", "model_paused"];
export const METADATA_KEYS = ["tenant", "tier", "__proto__x", "a b", '"', ""];
const VALUES = ["acme", "3", "3.0", "", "true", "é", '"', "null", 3, 0.5, 1e21, 1e-7, true, false];
const WORDS = [
  "alpha",
  "Alpha",
  "be%ta",
  "_",
  "'",
  "日本",
  "\u0000",
  " ",
  "a",
  "𝄞",
  "\n",
  '"',
  "\\",
  "user: ",
];

/** Milliseconds around noon, close together, and a day apart. */
const anyTime = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 }))
  .map(([ms, days]) => NOON + ms + days * 86_400_000);
const anyText = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(""));
const anyMetadata = fc.dictionary(fc.constantFrom(...METADATA_KEYS), fc.constantFrom(...VALUES), {
  maxKeys: 3,
});

const anyContent = fc.oneof(
  anyText,
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("text" as const), text: anyText }),
      fc.record({ type: fc.constant("refusal" as const), refusal: anyText }),
      fc.record(
        {
          type: fc.constant("file"),
          media_type: fc.constantFrom(null, "a/b"),
          bytes: fc.nat(),
          filename: anyText,
        },
        { requiredKeys: ["type", "media_type", "bytes"] },
      ),
    ),
    { maxLength: 3 },
  ),
);
const anyCall = fc.oneof(
  fc.record({
    type: fc.constant("function" as const),
    function: fc.record({ name: anyText, arguments: anyText }),
  }),
  fc.record({
    id: anyText,
    type: fc.constant("custom" as const),
    custom: fc.record({ name: anyText, input: anyText }),
  }),
);
const anyMessage: fc.Arbitrary<TracedMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "user"), content: anyContent }),
  fc.record({ role: fc.constant("user" as const), content: anyContent, name: anyText }),
  fc.record({ role: fc.constant("tool" as const), content: anyContent, tool_call_id: anyText }),
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content: fc.oneof(fc.constant(null), anyContent),
      reasoning: anyText,
      refusal: anyText,
      tool_calls: fc.array(anyCall, { maxLength: 2 }),
    },
    { requiredKeys: ["role", "content"] },
  ),
);
const anyInput: fc.Arbitrary<readonly TracedMessage[]> = fc.array(anyMessage, { maxLength: 5 });

const ATTEMPT_CODES = ["ok", "rate_limited", 'a"},{"b\\'];
const anyAttempts: fc.Arbitrary<readonly Attempt[]> = fc.array(
  fc.record(
    {
      provider: fc.constantFrom(...PROVIDERS),
      model: fc.constantFrom(...MODELS),
      status: fc.constantFrom(null, 200, 429),
      code: fc.constantFrom(...ATTEMPT_CODES),
      message: fc.constantFrom(
        null,
        "Slow down.",
        '{"provider":"openai","model":"gpt-4o","status":null,"code":"ok","served_model":"x"',
      ),
      latency_ms: fc.constant(1),
      served_model: fc.constantFrom("gpt-4o-mini", '"served_model":'),
      usage: fc.constantFrom(...[USAGE, { ...USAGE, total_cost_usd: null }].map(answerUsage)),
    },
    { requiredKeys: ["provider", "model", "status", "code", "message", "latency_ms"] },
  ),
  { maxLength: 3 },
);

const anyParts = fc.record(
  {
    model: fc.constantFrom(...MODELS, null),
    requestedModel: fc.constantFrom(...MODELS, "auto", "Auto:Night"),
    provider: fc.constantFrom(...PROVIDERS, null),
    source: fc.constantFrom(...SOURCES),
    status: fc.constantFrom(...STATUSES),
    kind: fc.constantFrom(...KINDS),
    principal: fc.constantFrom(...PRINCIPALS),
    error: fc.constantFrom(null, ...ERROR_CODES.map((code) => ({ code, message: "" }))),
    latencyMs: fc.integer({ min: 0, max: 50 }),
    ttftMs: fc.constantFrom(null, 1, 2.5),
    streamed: fc.boolean(),
    metadata: anyMetadata,
    content: fc.oneof(
      fc.constant(null),
      fc.record({ input: anyInput, output: anyText }),
      fc.record({ input: anyInput, output: anyText, reasoning: anyText }),
    ),
    effort: fc.constantFrom(...EFFORTS),
    toolLoop: fc.record({
      state: fc.constantFrom(...TOOL_LOOP_STATES),
      turn: fc.nat(),
      tool_errors: fc.nat(),
      repeated_calls: fc.nat(),
      stuck_tool: fc.oneof(fc.constant(null), anyText),
      context_share: fc.constantFrom(null, 0, 0.5, 1.25),
    }),
    savings: fc
      .record({
        model: fc.constantFrom("gpt-4o", 'a "b"'),
        baseline: fc.nat(3_000_000_000),
        billed: fc.nat(3_000_000_000),
        lost: fc.nat(9),
      })
      .map(({ model, baseline, billed, lost }) => ({
        baseline_model: model,
        baseline_cost_usd: baseline / 1e12,
        saved_usd: (baseline - billed) / 1e12,
        lost_cache_tokens: lost,
      })),
    attempts: anyAttempts,
    usage: fc.constantFrom(
      null,
      USAGE,
      { ...USAGE, total_cost_usd: null },
      { ...USAGE, prompt_tokens: 0 },
      { ...USAGE, prompt_tokens_details: { cached_tokens: 5 } },
    ),
  },
  { requiredKeys: [] },
);

export const anyTrace: fc.Arbitrary<Trace> = fc
  .tuple(fc.constantFrom(traceWith, failedTrace, routedTrace), anyTime, anyParts, fc.constantFrom(...PRESETS))
  .map(([make, createdAtMs, parts, preset]): Trace => {
    const trace = make({ createdAtMs, requestId: requestIdAt(createdAtMs), ...parts });
    const { routing } = trace;
    return routing === null || preset === undefined ? trace : { ...trace, routing: { ...routing, preset } };
  });

const anyMetadataDimension = fc
  .constantFrom(...METADATA_KEYS.filter((key) => key !== ""))
  .map((key) => `metadata.${key}` as const);
export const anyDimension: fc.Arbitrary<TraceDimension> = fc.oneof(
  fc.constantFrom(...TRACE_DIMENSIONS),
  anyMetadataDimension,
);
export const anyDimensions: fc.Arbitrary<readonly GroupDimension[]> = fc.uniqueArray(
  fc.oneof({ weight: 9, arbitrary: anyDimension }, fc.constant("baseline" as const)),
  { maxLength: 4 },
);

export const anyTraces = fc.array(anyTrace, { maxLength: 30 });

/** So many, whatever the size of a case. */
export const tracesOf = (count: number): fc.Arbitrary<readonly Trace[]> =>
  fc.array(anyTrace, { minLength: count, maxLength: count, size: "max" });

const ANY_FILTER = {
  attemptCode: fc.constantFrom(...ATTEMPT_CODES, ...ERROR_CODES, "none"),
  model: fc.constantFrom(...MODELS),
  modelPart: fc.constantFrom("GPT", "mini", "O'", "模", "night", "none"),
  requestedModel: fc.constantFrom(...MODELS, "auto", "none"),
  provider: fc.constantFrom(...PROVIDERS),
  startMs: anyTime,
  endMs: anyTime,
  source: fc.constantFrom(...SOURCES, "none"),
  status: fc.constantFrom(...STATUSES),
  kind: fc.constantFrom(...KINDS),
  executed: fc.boolean(),
  principals: fc.subarray([...PRINCIPALS, "none"]),
  errorCode: fc.constantFrom(...ERROR_CODES, "none"),
  hasFeedback: fc.boolean(),
  otherModel: fc.boolean(),
  toolLoop: fc.constantFrom(...TOOL_LOOP_STATES),
  effort: fc.constantFrom(...EFFORTS, "none"),
  text: anyText,
  metadata: fc.array(
    fc.record({ key: fc.constantFrom(...METADATA_KEYS), value: fc.constantFrom(...VALUES.map(String)) }),
    { minLength: 1, maxLength: 2 },
  ),
} satisfies { readonly [Name in keyof TraceFilter]-?: fc.Arbitrary<NonNullable<TraceFilter[Name]>> };

export const FILTERS = Object.keys(ANY_FILTER) as readonly (keyof TraceFilter)[];

/** A filter that has what is named, and nothing else. */
export const filterBy = (names: readonly (keyof TraceFilter)[]): fc.Arbitrary<TraceFilter> =>
  fc
    .record(ANY_FILTER)
    .map((all) => Object.fromEntries(names.map((name) => [name, all[name]])) as TraceFilter);

export const anyFeedback: fc.Arbitrary<Feedback> = fc.record({
  score: fc.constantFrom(0, 0.1, 0.5, 1),
  comment: fc.oneof(fc.constant(null), anyText),
  givenAtMs: anyTime,
});

const anyOrder: fc.Arbitrary<TraceOrder> = fc.record({
  by: fc.constantFrom(...TRACE_SORTS),
  direction: fc.constantFrom(...SORT_DIRECTIONS),
});

export const anyPage: fc.Arbitrary<TracePage> = fc.record(
  {
    limit: fc.constantFrom(1, 2, 5, 1000),
    offset: fc.constantFrom(0, 1, 3, 10, 500),
    order: anyOrder,
  },
  { requiredKeys: ["limit", "offset"] },
);

export const anyScope: fc.Arbitrary<TraceScope> = fc.oneof(
  fc.constant<TraceScope>("all"),
  fc.constantFrom(...SOURCES).map((source) => ({ source })),
);
