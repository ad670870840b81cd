import { createHash } from "node:crypto";
import { estimatePromptTokens } from "../../src/engine/router/prompt-size.js";
import type { ConversationMessage } from "../../src/engine/router/routing-text.js";
import { isJsonObject, type JsonObject, objectsIn } from "../../src/gateway/providers/chat.js";
import {
  type NativeApi,
  type Provider,
  type ProviderCall,
  ProviderFault,
  type ProviderReply,
} from "../../src/gateway/providers/provider.js";
import type { TokenUsage } from "../../src/gateway/providers/token-usage.js";
import { PLAIN_USAGE } from "./provider.js";

export interface CachingHostOptions {
  /** Milliseconds, by the clock of its caller. */
  readonly now: () => number;
  /** Whether only prompts with `cache_control` are cached, as by Anthropic. */
  readonly onRequest?: boolean;
  readonly minimumTokens?: number;
  readonly lifetimeMs?: number;
  /**
   * Hosts behind it, each with a cache of its own, as at OpenRouter; without an order it takes the next at every call.
   */
  readonly upstreams?: readonly string[];
  /**
   * Whether a conversation stays with the upstream whose cache it used, for ten minutes after its last call:
   * https://openrouter.ai/docs/guides/best-practices/prompt-caching (as indexed on 2026-11-27). The digest that tells
   * conversations apart is a guess: of the first two messages.
   */
  readonly keepsUpstream?: boolean;
  /** The model that its replies name; default the one that it was asked for. */
  readonly serves?: string;
  /** Called before each answer: passes time, or throws. */
  readonly before?: () => Promise<void> | void;
  readonly completionTokens?: number;
}

/**
 * A provider with a prompt cache: it reads prefixes of whole messages that it was sent before within the lifetime, and
 * bills the rest. One with `upstreams` refuses what OpenRouter refuses about `provider`:
 * https://github.com/agent0ai/agent-zero/issues/1255 (2026-03-13).
 */
export class CachingHost implements Provider {
  readonly natives: ReadonlySet<NativeApi>;
  readonly calls: ProviderCall[] = [];
  /** Of each call that was answered. */
  readonly usages: TokenUsage[] = [];
  /** End of the life of each prefix, by upstream, model and digest. */
  readonly #prefixes = new Map<string, number>();
  readonly #kept = new Map<string, { readonly upstream: string; readonly untilMs: number }>();
  #next = 0;

  constructor(
    readonly id: string,
    private readonly options: CachingHostOptions,
  ) {
    this.natives = new Set(options.onRequest === true && options.upstreams === undefined ? ["messages"] : []);
  }

  async send(call: ProviderCall): Promise<ProviderReply> {
    this.calls.push(call);
    await this.options.before?.();
    const { upstreamModel, body } = call;
    const conversation = prefixesOf(objectsIn(body.messages)).at(1)?.digest ?? "";
    const upstream = this.#upstreamFor(body.provider, conversation);
    const message = { role: "assistant", content: "Done." };
    const { serves = upstreamModel } = this.options;
    const usage = this.#usage(`${upstream} ${upstreamModel}`, call.native?.body ?? body);
    this.usages.push(usage);
    if (upstream !== undefined && usage.cacheReadTokens + usage.cacheWriteTokens > 0)
      this.#kept.set(conversation, { upstream, untilMs: this.options.now() + KEPT_MS });
    return {
      kind: "completion",
      completion: {
        model: serves,
        ...(upstream !== undefined && { provider: upstream }),
        choices: [{ index: 0, message, finish_reason: "stop" }],
      },
      usage,
    };
  }

  async close(): Promise<void> {}

  #upstreamFor(preferences: unknown, conversation: string): string | undefined {
    const { upstreams, keepsUpstream = false, now } = this.options;
    if (upstreams === undefined) return undefined;
    const { order = [], only } = (isJsonObject(preferences) ? preferences : {}) as Readonly<
      Record<string, string[]>
    >;
    const allowed = only === undefined ? upstreams : upstreams.filter((one) => only.includes(one));
    if (allowed.length === 0) {
      const upstreamMessage = "No allowed providers are available for the selected model.";
      throw new ProviderFault("model_not_found", "no allowed providers", { status: 404, upstreamMessage });
    }
    const kept = keepsUpstream && order.length === 0 ? this.#kept.get(conversation) : undefined;
    const first = kept !== undefined && kept.untilMs >= now() ? [kept.upstream] : order;
    return first.find((one) => allowed.includes(one)) ?? allowed[this.#next++ % allowed.length];
  }

  #usage(place: string, body: JsonObject): TokenUsage {
    const {
      now,
      onRequest = false,
      minimumTokens = 1024,
      lifetimeMs = 300_000,
      completionTokens = 100,
    } = this.options;
    const messages = objectsIn(body.messages);
    const prefixes = prefixesOf(messages);
    const promptTokens = prefixes.at(-1)?.tokens ?? 0;
    const none = { ...PLAIN_USAGE, promptTokens, completionTokens };
    if (promptTokens < minimumTokens || (onRequest && !JSON.stringify(body).includes('"cache_control":')))
      return none;
    const held = prefixes.findLast(({ digest }) => (this.#prefixes.get(`${place} ${digest}`) ?? -1) >= now());
    const cacheReadTokens = held === undefined || held.tokens < minimumTokens ? 0 : held.tokens;
    for (const { digest } of prefixes) this.#prefixes.set(`${place} ${digest}`, now() + lifetimeMs);
    return { ...none, cacheReadTokens, cacheWriteTokens: onRequest ? promptTokens - cacheReadTokens : 0 };
  }
}

const KEPT_MS = 600_000;

/** Share of the prompt tokens of all answers that were read from a cache. */
export function cachedShareOf(hosts: readonly Pick<CachingHost, "usages">[]): number {
  const usages = hosts.flatMap(({ usages: own }) => own);
  const sum = (of: (usage: TokenUsage) => number) => usages.reduce((total, usage) => total + of(usage), 0);
  return sum(({ cacheReadTokens }) => cacheReadTokens) / sum(({ promptTokens }) => promptTokens);
}

/** Every prefix of whole messages, shortest first. */
function prefixesOf(
  messages: readonly JsonObject[],
): readonly { readonly digest: string; readonly tokens: number }[] {
  const hash = createHash("sha256");
  let tokens = 0;
  return messages.map((message) => {
    hash.update(JSON.stringify(message));
    tokens += estimatePromptTokens([message as unknown as ConversationMessage]);
    return { digest: hash.copy().digest("base64"), tokens: Math.round(tokens) };
  });
}
