import { createHash } from "node:crypto";
import { estimatePromptTokens } from "../../src/engine/router/prompt-size.js";
import type { ConversationMessage } from "../../src/engine/router/routing-text.js";
import type { JsonObject } from "../../src/gateway/providers/chat.js";
import type { Provider, ProviderCall, ProviderReply } from "../../src/gateway/providers/provider.js";
import type { TokenUsage } from "../../src/gateway/providers/token-usage.js";

/** How a vendor's cache really works, which the router's table only approximates. */
interface VendorCache {
  readonly onRequest: boolean;
  readonly minimumTokens: number;
  readonly stepTokens: number;
  /** The lifetime of an entry is drawn between the two. */
  readonly lifetimeMs: readonly [number, number];
  /** Share of requests that reach a machine without the entry. */
  readonly missShare: number;
}

const MINUTE_MS = 60_000;

const VENDORS: Readonly<Record<string, VendorCache>> = {
  openai: {
    ...{ onRequest: false, minimumTokens: 1024, stepTokens: 128 },
    ...{ lifetimeMs: [5 * MINUTE_MS, 10 * MINUTE_MS], missShare: 0.05 },
  },
  anthropic: {
    ...{ onRequest: true, minimumTokens: 1024, stepTokens: 1 },
    ...{ lifetimeMs: [5 * MINUTE_MS, 5 * MINUTE_MS], missShare: 0 },
  },
  google: {
    ...{ onRequest: false, minimumTokens: 2048, stepTokens: 1 },
    ...{ lifetimeMs: [3 * MINUTE_MS, 5 * MINUTE_MS], missShare: 0.1 },
  },
};

/** Tokenizers count more than the router's estimate. */
const TOKENS_PER_ESTIMATED = 1.1;

/** What the next call is, beside its body. */
export interface UpstreamCircumstances {
  readonly nowMs: number;
  readonly marksCache: boolean;
  /** Whether the request has the results of tools. */
  readonly inToolLoop: boolean;
  /** Tokens of the answer of that model. */
  readonly answerTokens: (upstreamModel: string) => number;
}

export interface SimulatedProviderOptions {
  readonly circumstances: () => UpstreamCircumstances;
  /** In [0, 1). */
  readonly random: () => number;
}

/** A vendor that answers every request and bills it by what its prompt cache holds: prefixes of whole messages. */
export class SimulatedProvider implements Provider {
  readonly natives = new Set<never>();
  readonly #cache: VendorCache;
  /** End of the life of each prefix, by model and digest. */
  readonly #prefixes = new Map<string, number>();

  /** @throws TypeError for a vendor without rules */
  constructor(
    readonly id: string,
    private readonly options: SimulatedProviderOptions,
  ) {
    const cache = VENDORS[id];
    if (cache === undefined) throw new TypeError(`there are no rules for the cache of ${id}`);
    this.#cache = cache;
  }

  async send({ upstreamModel, body }: ProviderCall): Promise<ProviderReply> {
    const { answerTokens } = this.options.circumstances();
    const usage = this.#usage(
      upstreamModel,
      body.messages,
      Math.max(1, Math.round(answerTokens(upstreamModel))),
    );
    const message = { role: "assistant", content: "Done." };
    return {
      kind: "completion",
      completion: { choices: [{ index: 0, message, finish_reason: "stop" }] },
      usage,
    };
  }

  async close(): Promise<void> {}

  #usage(model: string, messages: readonly JsonObject[], completionTokens: number): TokenUsage {
    const { marksCache, nowMs } = this.options.circumstances();
    const prefixes = prefixesOf(messages);
    const promptTokens = prefixes.at(-1)?.tokens ?? 0;
    const usage = {
      promptTokens,
      completionTokens,
      reasoningTokens: 0,
      cacheWriteHourTokens: 0,
      details: {},
    };
    const { onRequest, minimumTokens, stepTokens } = this.#cache;
    const isCached = promptTokens >= minimumTokens && (!onRequest || marksCache);
    if (!isCached) return { ...usage, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const found = this.#longestCached(model, prefixes, nowMs);
    const cacheReadTokens = found < minimumTokens ? 0 : found - (found % stepTokens);
    this.#keep(model, prefixes, nowMs);
    return { ...usage, cacheReadTokens, cacheWriteTokens: onRequest ? promptTokens - cacheReadTokens : 0 };
  }

  #longestCached(model: string, prefixes: readonly Prefix[], nowMs: number): number {
    if (this.options.random() < this.#cache.missShare) return 0;
    const held = prefixes.findLast(({ digest }) => (this.#prefixes.get(`${model} ${digest}`) ?? -1) >= nowMs);
    return held?.tokens ?? 0;
  }

  #keep(model: string, prefixes: readonly Prefix[], nowMs: number): void {
    const [least, most] = this.#cache.lifetimeMs;
    const endMs = nowMs + least + this.options.random() * (most - least);
    for (const { digest } of prefixes) this.#prefixes.set(`${model} ${digest}`, endMs);
  }
}

interface Prefix {
  readonly digest: string;
  readonly tokens: number;
}

/** Every prefix of whole messages, shortest first. */
function prefixesOf(messages: readonly JsonObject[]): readonly Prefix[] {
  const hash = createHash("sha256");
  let estimated = 0;
  return messages.map((message) => {
    hash.update(JSON.stringify(message));
    estimated += estimatePromptTokens([message as unknown as ConversationMessage]);
    return { digest: hash.copy().digest("base64"), tokens: Math.round(estimated * TOKENS_PER_ESTIMATED) };
  });
}
