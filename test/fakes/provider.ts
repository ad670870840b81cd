import type { CancelSignal } from "../../src/foundation/cancel-signal.js";
import type { ChatChunk, ChatCompletion, ChunkChoice } from "../../src/gateway/providers/chat.js";
import {
  type EmbeddingCall,
  type EmbeddingReply,
  type NativeApi,
  type Provider,
  type ProviderCall,
  ProviderFault,
  type ProviderFaultCode,
  type ProviderFaultDetails,
  type ProviderReply,
  type StreamEvent,
} from "../../src/gateway/providers/provider.js";
import type { TokenUsage } from "../../src/gateway/providers/token-usage.js";

/** What happens next in a stream: events arrive together, it fails, or nothing comes until somebody gives up. */
export type StreamStep = readonly StreamEvent[] | ProviderFault | "hang";

/** What a provider does with one call. */
export type Script =
  | { readonly type: "completion"; readonly completion: ChatCompletion; readonly usage: TokenUsage | null }
  | { readonly type: "stream"; readonly steps: readonly StreamStep[] }
  | { readonly type: "embeddings"; readonly reply: EmbeddingReply }
  | { readonly type: "throw"; readonly error: unknown }
  | { readonly type: "hang" };

export interface RecordedCall extends ProviderCall {
  readonly signal: CancelSignal;
}

/** A provider that follows a script: one entry a call, the last one for all further calls. */
export class FakeProvider implements Provider {
  readonly calls: RecordedCall[] = [];
  readonly embeddingCalls: EmbeddingCall[] = [];
  natives: ReadonlySet<NativeApi> = new Set();
  /** Streams that were begun and not yet let go of. */
  openStreams = 0;
  readonly #scripts: Script[];

  constructor(
    readonly id: string,
    ...scripts: readonly Script[]
  ) {
    this.#scripts = [...scripts];
  }

  async send(call: ProviderCall, { signal }: { readonly signal: CancelSignal }): Promise<ProviderReply> {
    this.calls.push({ ...call, signal });
    signal.throwIfAborted();
    const script = this.#nextScript();
    switch (script?.type) {
      case "completion":
        return { kind: "completion", completion: script.completion, usage: script.usage };
      case "stream":
        return { kind: "stream", batches: this.#stream(script.steps, signal) };
      case "hang":
        return aborted(signal);
      default:
        throw this.#errorOf(script);
    }
  }

  async embed(call: EmbeddingCall, { signal }: { readonly signal: CancelSignal }): Promise<EmbeddingReply> {
    this.embeddingCalls.push(call);
    signal.throwIfAborted();
    const script = this.#nextScript();
    if (script?.type === "embeddings") return script.reply;
    if (script?.type === "hang") return aborted(signal);
    throw this.#errorOf(script);
  }

  #nextScript(): Script | undefined {
    return this.#scripts.length > 1 ? this.#scripts.shift() : this.#scripts[0];
  }

  #errorOf(script: Script | undefined): unknown {
    return script?.type === "throw" ? script.error : new Error(`nothing is scripted for ${this.id}`);
  }

  /** From now on it does this, whatever was scripted. */
  recover(script: Script): void {
    this.#scripts.splice(0, this.#scripts.length, script);
  }

  async close(): Promise<void> {}

  async *#stream(steps: readonly StreamStep[], signal: CancelSignal): AsyncGenerator<readonly StreamEvent[]> {
    this.openStreams += 1;
    try {
      for (const step of steps) {
        signal.throwIfAborted();
        if (step === "hang") await aborted(signal);
        else if (step instanceof ProviderFault) throw step;
        else yield step as readonly StreamEvent[];
      }
    } finally {
      this.openStreams -= 1;
    }
  }
}

/** Never resolves; rejects with the reason once the signal aborts. */
function aborted(signal: CancelSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** 10 tokens in, 4 out, nothing cached. */
export const PLAIN_USAGE: TokenUsage = {
  promptTokens: 10,
  completionTokens: 4,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
  details: {},
};

export function answers(text: string, usage: TokenUsage | null = PLAIN_USAGE): Script {
  const message = { role: "assistant", content: text };
  const completion = { choices: [{ index: 0, message, finish_reason: "stop" }] };
  return { type: "completion", completion, usage };
}

export function fails(code: ProviderFaultCode, details: ProviderFaultDetails = {}): Script {
  return { type: "throw", error: new ProviderFault(code, `${code} as scripted`, details) };
}

/** Embeddings as they are; 10 tokens. */
export const embeds = (
  vectors: EmbeddingReply["vectors"],
  usage: TokenUsage | null = { ...PLAIN_USAGE, completionTokens: 0 },
): Script => ({ type: "embeddings", reply: { vectors, usage } });

export const hangs: Script = { type: "hang" };

export function streams(...steps: readonly StreamStep[]): Script {
  return { type: "stream", steps };
}

/** The steps of a well-behaved stream: the role, each text by itself, the finish, the count. */
export function textSteps(texts: readonly string[], usage: TokenUsage | null = PLAIN_USAGE): StreamStep[] {
  return [[role()], ...texts.map((text) => [delta({ content: text })]), [finish()], ...counted(usage)];
}

const counted = (usage: TokenUsage | null): StreamStep[] =>
  usage === null ? [] : [[{ chunk: null, usage }]];

export const role = (): StreamEvent => delta({ role: "assistant", content: "" });

export const finish = (reason = "stop", index = 0): StreamEvent =>
  eventOf({ index, delta: {}, finish_reason: reason });

export const delta = (content: ChunkChoice["delta"], index = 0): StreamEvent =>
  eventOf({ index, delta: content, finish_reason: null });

function eventOf(choice: ChunkChoice): StreamEvent {
  const chunk: ChatChunk = { object: "chat.completion.chunk", choices: [choice] };
  return { chunk, usage: null };
}

export const cutOff = (code: ProviderFaultCode = "cut_off"): ProviderFault =>
  new ProviderFault(code, `${code} as scripted`);
