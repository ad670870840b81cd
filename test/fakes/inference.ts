import { type RoutingBody, routingBody } from "../../src/engine/router/routing-body.js";
import type { ConversationMessage } from "../../src/engine/router/routing-text.js";
import type { CancelSignal } from "../../src/foundation/cancel-signal.js";
import type { ChatChunk, ChunkChoice } from "../../src/gateway/providers/chat.js";
import { encodeVector, inputsOf } from "../../src/gateway/providers/embeddings.js";
import type { KeptCall } from "../../src/gateway/providers/provider.js";
import type {
  Answer,
  AnswerStream,
  DecideRequest,
  DecisionAnswer,
  EmbeddingAnswer,
  Health,
  Inference,
  ProcessHealth,
  PromptCount,
} from "../../src/gateway/run/inference.js";
import type { EmbeddingRequest, InferenceRequest, RequestContext } from "../../src/gateway/run/request.js";
import type { Usage } from "../../src/gateway/traces/trace.js";
import { FakeRouter } from "./router.js";

export const USAGE: Usage = {
  prompt_tokens: 9,
  completion_tokens: 3,
  total_tokens: 12,
  input_cost_usd: 0.00000135,
  output_cost_usd: 0.0000018,
  cache_input_cost_usd: 0,
  total_cost_usd: 0.00000315,
  latency_ms: 12.5,
  ttft_ms: 12.5,
  prompt_tokens_details: { cached_tokens: 0 },
};

const answeredBy = {
  model: "gpt-4o-mini",
  provider: "openai",
  attempts: [
    { provider: "openai", model: "gpt-4o-mini", status: 200, code: "ok", message: null, latency_ms: 12 },
  ],
  routing: null,
  limitHeaders: {},
};

const HELLO_MESSAGE = { role: "assistant", content: "Hello!", refusal: null };

/** A whole answer, "Hello!", with changes. */
export function wholeAnswer(changes: Partial<Answer> = {}): Answer {
  return {
    kind: "completion",
    ...answeredBy,
    completion: {
      id: "chatcmpl-theirs",
      object: "chat.completion",
      created: 1,
      model: "gpt-4o-mini-2024-07-18",
      choices: [{ index: 0, message: HELLO_MESSAGE, logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      system_fingerprint: "fp_1",
    },
    usage: USAGE,
    ...changes,
  };
}

/** One chunk as a provider would send it. */
export function chunk(delta: ChunkChoice["delta"], choice: Partial<ChunkChoice> = {}): ChatChunk {
  return {
    id: "chatcmpl-theirs",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-4o-mini-2024-07-18",
    choices: [{ index: 0, delta, finish_reason: null, ...choice }],
  };
}

/** "Hello!" in chunks. */
export const HELLO: readonly (readonly ChatChunk[])[] = [
  [chunk({ role: "assistant", content: "" }), chunk({ content: "Hel" })],
  [chunk({ content: "lo!" })],
  [chunk({}, { finish_reason: "stop" })],
];

/** A streamed answer with these batches, and changes. */
export function streamedAnswer(
  batches: AnswerStream["batches"] | readonly (readonly ChatChunk[])[] = HELLO,
  changes: Partial<AnswerStream> = {},
): AnswerStream {
  return {
    kind: "stream",
    ...answeredBy,
    batches: Symbol.asyncIterator in batches ? batches : replayed(batches),
    usage: () => USAGE,
    ...changes,
  };
}

async function* replayed(batches: readonly (readonly ChatChunk[])[]) {
  yield* batches;
}

type Run = (request: InferenceRequest, context: RequestContext) => Promise<Answer | AnswerStream>;
/** What becomes of one request: an answer, a fault, or whatever a function says. */
export type Outcome = Answer | AnswerStream | Error | Run;

/**
 * Inference whose outcomes are written beforehand: each `run` takes the next of `outcomes`; without any left it answers
 * "Hello!" in the way it was asked for. Decisions come from a router that can be worked out by hand.
 */
export class FakeInference implements Inference {
  readonly runs: { readonly request: InferenceRequest; readonly context: RequestContext }[] = [];
  readonly decisions: { readonly request: DecideRequest; readonly context: RequestContext }[] = [];
  readonly embeddings: { readonly request: EmbeddingRequest; readonly context: RequestContext }[] = [];
  readonly outcomes: Outcome[] = [];
  limitHeaders: Readonly<Record<string, string>> = {};
  processHealth: ProcessHealth = { models: [], keys: [] };
  healthOf: (provider: string, model: string) => Health = () => ({
    state: "closed",
    reason: null,
    error_rate: null,
    p50_ttft_ms: null,
  });

  constructor(readonly router = new FakeRouter()) {}

  async run(request: InferenceRequest, context: RequestContext): Promise<Answer | AnswerStream> {
    this.runs.push({ request, context });
    const outcome = this.outcomes.shift() ?? (request.stream ? streamedAnswer() : wholeAnswer());
    if (outcome instanceof Error) throw outcome;
    return typeof outcome === "function" ? outcome(request, context) : outcome;
  }

  async decide(request: DecideRequest, context: RequestContext): Promise<DecisionAnswer> {
    this.decisions.push({ request, context });
    const { choice, body } = request;
    const decision = await this.router.route({
      messages: body.messages as unknown as readonly ConversationMessage[],
      costWeight: choice.costWeight,
      ...(choice.models === undefined ? {} : { models: choice.models }),
    });
    return { routing: routingBody(decision), limitHeaders: this.limitHeaders };
  }

  async countTokens(): Promise<PromptCount> {
    return { tokens: 14, estimated: true, limitHeaders: this.limitHeaders };
  }

  /** Requests about responses that are kept, which are answered with what they ask. */
  readonly kept: KeptCall[] = [];

  async askForKept(call: KeptCall) {
    this.kept.push(call);
    const body = { object: "response", id: call.id, status: "completed", output: [], usage: null };
    return { body, provider: "openai", model: "gpt-4o-mini", limitHeaders: this.limitHeaders };
  }

  async followKept(call: KeptCall) {
    this.kept.push(call);
    const created = { type: "response.created", response: { id: call.id } };
    return {
      batches: replayed([[{ choices: [], native: created }]]),
      provider: "openai",
      model: "gpt-4o-mini",
      limitHeaders: this.limitHeaders,
    };
  }

  async embed(request: EmbeddingRequest, context: RequestContext): Promise<EmbeddingAnswer> {
    this.embeddings.push({ request, context });
    const encoding = request.body.encoding_format ?? "float";
    return {
      vectors: inputsOf(request.body).map((_, at) => encodeVector(Float32Array.of(0.5, at, -1), encoding)),
      usage: USAGE,
      model: request.choice.model,
      provider: "openai",
      limitHeaders: this.limitHeaders,
    };
  }

  healthOfAll(): ProcessHealth {
    return this.processHealth;
  }

  health(provider: string, model: string): Health {
    return this.healthOf(provider, model);
  }
}

/** A decision as the fake router makes it. */
export async function fakeRouting(): Promise<RoutingBody> {
  return routingBody(await new FakeRouter().route({ messages: [{ role: "user", content: "hello" }] }));
}

/** A stream that a test feeds while it is read. */
export class LiveStream implements AsyncIterable<readonly ChatChunk[]> {
  readonly #waiting: (readonly ChatChunk[])[] = [];
  #end: { readonly fault?: unknown } | undefined;
  #wake: () => void = () => {};
  #left: () => void = () => {};
  /** Batches that have been read. */
  taken = 0;
  /** Resolves when the reader has stopped reading, whether early or at the end. */
  readonly left = new Promise<void>((resolve) => {
    this.#left = resolve;
  });

  /** @param signal the request's; aborting it breaks the stream off, as real inference does */
  constructor(signal?: CancelSignal) {
    signal?.addEventListener("abort", () => this.fail(signal.reason), { once: true });
  }

  push(...batches: (readonly ChatChunk[])[]): void {
    this.#waiting.push(...batches);
    this.#wake();
  }

  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  fail(fault: unknown): void {
    this.#end ??= { fault };
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        const batch = this.#waiting.shift();
        if (batch !== undefined) {
          this.taken += 1;
          yield batch;
        } else if (this.#end !== undefined) {
          if ("fault" in this.#end) throw this.#end.fault;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#left();
    }
  }
}
