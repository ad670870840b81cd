import type { Deployment } from "../../../src/engine/catalog/deployments/deployment.js";
import type { Limiter } from "../../../src/gateway/access/limits/limits.js";
import { UNLIMITED } from "../../../src/gateway/access/principal.js";
import { openConversations } from "../../../src/gateway/conversations/conversation-memory.js";
import type { ChatChunk } from "../../../src/gateway/providers/chat.js";
import type { Provider } from "../../../src/gateway/providers/provider.js";
import type { InferenceDependencies } from "../../../src/gateway/run/dependencies.js";
import type { Answer, AnswerStream, DecideRequest } from "../../../src/gateway/run/inference.js";
import { NO_PAUSES } from "../../../src/gateway/run/pause.js";
import type { InferenceRequest, RequestContext } from "../../../src/gateway/run/request.js";
import { createInference } from "../../../src/gateway/run/run.js";
import { countTokens } from "../../../src/gateway/token-counting/count-tokens.js";
import { deploymentOf, ListedDeployments } from "../../fakes/deployments.js";
import { FakeLimiter } from "../../fakes/limiter.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { FakeRouter } from "../../fakes/router.js";
import { FakeTraceSink } from "../../fakes/trace-sink.js";

const SETTINGS: InferenceDependencies["settings"] = {
  presets: [],
  autoCostWeight: 0.2,
  helpAfterToolErrors: 0,
  fallbacks: {},
  providerPolicies: {},
  hostSort: "price",
  cacheBreakpoints: "on",
  servedModel: "record",
  maxAttempts: 6,
  retries: 1,
  retryMaxWaitMs: 2000,
  circuitFailures: 5,
  circuitCooldownMs: 10_000,
  upstreamHeadersTimeoutMs: 300_000,
  upstreamIdleTimeoutMs: 60_000,
  modelLimits: [],
  measuredTimeouts: true,
  traceMaxTextCharacters: 1_000_000,
  traceBufferBytes: 100_000_000,
  upstreamTotalTimeoutMs: 600_000,
  exploreShare: 0,
  sticky: "on",
  stickyMetadataKey: "conversation_id",
};

export type StartedInference = ReturnType<typeof startInference>;

export interface StartOptions {
  /** `model-a` at each of the providers when absent. */
  readonly deployments?: readonly Deployment[];
  readonly settings?: Partial<InferenceDependencies["settings"]> | undefined;
  readonly wantsContent?: boolean;
  readonly router?: FakeRouter | undefined;
  /** In the place of one that lets everybody in. */
  readonly limiter?: Pick<Limiter, "reserve">;
  readonly lengths?: InferenceDependencies["lengths"];
  readonly observer?: InferenceDependencies["observer"];
  readonly conversations?: InferenceDependencies["conversations"];
  readonly responses?: InferenceDependencies["responses"];
  readonly pauses?: InferenceDependencies["pauses"];
  readonly circuitProbes?: number;
  /** 0: no wait between rounds. */
  readonly random?: number;
  /** In the place of a time of its own. */
  readonly time?: ManualTime;
}

/** Inference over fakes, in a time of its own. */
export function startInference(providers: readonly Provider[], options: StartOptions = {}) {
  const time = options.time ?? new ManualTime();
  const limiter = new FakeLimiter();
  const sink = new FakeTraceSink(options.wantsContent ?? true);
  const router = options.router ?? new FakeRouter();
  const logLines: [string, string, object][] = [];
  /** The texts of each call of the token counter. */
  const counted: (readonly string[])[] = [];
  const conversations = options.conversations ?? openConversations({ now: time.clock, timers: time.timers });
  const inference = createInference({
    router,
    catalog: new ListedDeployments(
      options.deployments ?? providers.map(({ id }) => deploymentOf(id, "model-a")),
    ),
    embedder: {
      dimensions: 2,
      embed: async (texts) => texts.map((text) => Float32Array.of(text.length, 0)),
    },
    providers: new Map(providers.map((provider) => [provider.id, provider])),
    limiter: options.limiter ?? limiter,
    pauses: options.pauses ?? NO_PAUSES,
    traces: sink,
    lengths: options.lengths,
    observer: options.observer,
    conversations,
    responses: options.responses ?? { find: async () => undefined, forget() {} },
    // The real tokenizer, without the thread.
    counter: {
      count(texts, asked) {
        counted.push(texts);
        return countTokens(texts, asked);
      },
    },
    clock: time.clock,
    timers: time.timers,
    random: () => options.random ?? 0,
    circuitProbes: options.circuitProbes,
    settings: { ...SETTINGS, ...options.settings },
    logger: {
      warn: (fields, message) => logLines.push(["warn", message, fields]),
      info: (fields, message) => logLines.push(["info", message, fields]),
      debug: (fields, message) => logLines.push(["debug", message, fields]),
    },
  });
  /** The only trace there is. */
  const trace = () => {
    const [only] = sink.traces;
    if (only === undefined || sink.traces.length !== 1) throw new Error(`${sink.traces.length} traces`);
    return only;
  };
  /** The same, once it is there: after a count of tokens it is a little late. */
  const traced = async () => {
    await sink.first();
    return trace();
  };
  /** Runs a request for `model-a`, with changes, that arrives now. */
  const run = (changes?: Partial<InferenceRequest>, signal?: AbortSignal) =>
    inference.run(requestFor(changes), contextOf(signal, time.clock()));
  /** The same, streamed. */
  const open = async (changes?: Partial<InferenceRequest>, signal?: AbortSignal) =>
    asStream(await run({ ...changes, stream: true }, signal));
  /** Decides without running anything. */
  const decide = (changes?: Partial<DecideRequest>) => {
    const request = { choice: routed(), body: requestFor().body, metadata: {}, ...changes };
    return inference.decide(request, contextOf(undefined, time.clock()));
  };
  return { inference, time, limiter, sink, router, counted, logLines, trace, traced, run, open, decide };
}

/** A request for `model-a`. */
export function requestFor(changes: Partial<InferenceRequest> = {}): InferenceRequest {
  return {
    kind: "chat",
    choice: { type: "named", model: "model-a", provider: undefined },
    body: { messages: [{ role: "user", content: "hello" }] },
    stream: false,
    fallbacks: [],
    metadata: { team: "search" },
    ...changes,
  };
}

export const named = (model: string, provider?: string): InferenceRequest["choice"] => ({
  type: "named",
  model,
  provider,
});

export const routed = (
  models?: readonly string[],
  costWeight = 0,
): Extract<InferenceRequest["choice"], { type: "routed" }> => ({
  type: "routed",
  models,
  costWeight,
});

/** Who asks, at the beginning of the manual time. */
export function contextOf(signal: AbortSignal = new AbortController().signal, arrivedMs = 0): RequestContext {
  return {
    requestId: "req_01",
    principal: { id: "key_1", kind: "api_key", source: null, scopes: ["inference"], limits: UNLIMITED },
    source: "tests",
    arrivedMs,
    createdAtMs: 1_763_600_000_000,
    signal,
  };
}

export function asStream(answer: Answer | AnswerStream): AnswerStream {
  if (answer.kind !== "stream") throw new Error("the answer is not a stream");
  return answer;
}

export function asCompletion(answer: Answer | AnswerStream): Answer {
  if (answer.kind !== "completion") throw new Error("the answer is a stream");
  return answer;
}

/** Every chunk of a stream, in order. */
export async function readAll({ batches }: AnswerStream): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = [];
  for await (const batch of batches) chunks.push(...batch);
  return chunks;
}

/** The text of the first choice. */
export const textOf = (chunks: readonly ChatChunk[]): string =>
  chunks.map(({ choices }) => String(choices[0]?.delta.content ?? "")).join("");
