/**
 * Two other gateways' choice among the hosts of a model, as their documentation describes it: models of documentation,
 * not measurements of their products. What the pages leave open is taken in their favour and marked as a guess, but for
 * one point: while all deployments of LiteLLM cool down, a request fails at once here, where theirs waits and retries.
 */
import type { ProviderFault } from "../../src/gateway/providers/provider.js";
import type { TokenUsage } from "../../src/gateway/providers/token-usage.js";
import type { SimulatedHost } from "./host-fakes.js";

export const RIVALS = ["litellm", "litellm_caching", "openrouter", "openrouter_marked"] as const;
export type Rival = (typeof RIVALS)[number];

export interface RivalOptions {
  readonly hosts: readonly SimulatedHost[];
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** What chooses a host for each call of a request, and learns what came of it. */
export interface HostChooser {
  /** Whether the gateway marks prompts for caches that its client does not mark. */
  readonly marks: boolean;
  /** Undefined: the request fails. */
  next(conversation: number, failed: readonly SimulatedHost[]): SimulatedHost | undefined;
  answered(host: SimulatedHost, conversation: number, usage: TokenUsage): void;
  failed(host: SimulatedHost, fault: ProviderFault): void;
}

export function chooserOf(rival: Rival, options: RivalOptions): HostChooser {
  if (rival === "litellm" || rival === "litellm_caching")
    return new LiteLlm(options, { keepsCaches: rival === "litellm_caching" });
  return new OpenRouter(options, { marks: rival === "openrouter_marked" });
}

/** `num_retries`: https://www.mintlify.com/BerriAI/litellm/features/retries (as indexed on 2026-11-27). */
const LITELLM_RETRIES = 2;
/** `cooldown_time`, and the failures of a minute that lead to one (constants.py of the project, seen 2026-11-27). */
const COOLDOWN_MS = 5000;
const LEAST_CALLS = 5;
const FAILED_SHARE = 0.5;
/** How long `prompt_caching` remembers a deployment: `PROMPT_CACHE_PIN_TTL_SECONDS` of the project, seen 2026-11-27. */
const REMEMBERED_MS = 300_000;

/**
 * LiteLLM's router. `simple-shuffle`, the default, is a random pick, uniform without weights, among the deployments that
 * do not cool down: https://docs.litellm.ai/docs/router/learn/strategies (of 2026-11-05). A retry picks again, without
 * the deployments that failed, and at once (guess); a 429 cools a deployment down for its `Retry-After` or 5 s, as more
 * than half of at least 5 calls of the minute that failed do:
 * https://docs.litellm.ai/docs/router/learn/reliability (of 2026-11-05; as an excerpt of it was seen). With caches kept:
 * `optional_pre_call_checks: ["prompt_caching"]`, by which a conversation returns to the deployment that wrote its
 * cache, https://docs.litellm.ai/docs/tutorials/claude_code_prompt_cache_routing, and
 * `cache_control_injection_points`, https://docs.litellm.ai/docs/tutorials/prompt_caching (of 2026-10-04).
 */
class LiteLlm implements HostChooser {
  readonly marks: boolean;
  readonly #coolingUntilMs = new Map<SimulatedHost, number>();
  readonly #minutes = new Map<SimulatedHost, { readonly at: number; calls: number; failures: number }>();
  readonly #remembered = new Map<number, { readonly host: SimulatedHost; readonly untilMs: number }>();

  constructor(
    private readonly options: RivalOptions,
    private readonly settings: { readonly keepsCaches: boolean },
  ) {
    this.marks = settings.keepsCaches;
  }

  next(conversation: number, failed: readonly SimulatedHost[]): SimulatedHost | undefined {
    if (failed.length > LITELLM_RETRIES) return undefined;
    const { hosts, now, random } = this.options;
    const healthy = hosts.filter(
      (host) => !failed.includes(host) && (this.#coolingUntilMs.get(host) ?? 0) <= now(),
    );
    const kept = this.settings.keepsCaches ? this.#remembered.get(conversation) : undefined;
    if (kept !== undefined && kept.untilMs > now() && healthy.includes(kept.host)) return kept.host;
    return healthy[Math.floor(random() * healthy.length)];
  }

  answered(host: SimulatedHost, conversation: number, usage: TokenUsage): void {
    this.#minuteOf(host).calls += 1;
    if (usage.cacheReadTokens + usage.cacheWriteTokens > 0)
      this.#remembered.set(conversation, { host, untilMs: this.options.now() + REMEMBERED_MS });
  }

  failed(host: SimulatedHost, { code, retryAfterMs }: ProviderFault): void {
    const minute = this.#minuteOf(host);
    minute.calls += 1;
    minute.failures += 1;
    const failsOften = minute.calls >= LEAST_CALLS && minute.failures / minute.calls > FAILED_SHARE;
    if (code === "rate_limited" || failsOften)
      this.#coolingUntilMs.set(host, this.options.now() + (retryAfterMs ?? COOLDOWN_MS));
  }

  #minuteOf(host: SimulatedHost) {
    const at = Math.floor(this.options.now() / 60_000);
    const known = this.#minutes.get(host);
    if (known?.at === at) return known;
    const minute = { at, calls: 0, failures: 0 };
    this.#minutes.set(host, minute);
    return minute;
  }
}

const OUTAGE_MS = 30_000;
const STICKY_MS = 600_000;

/**
 * OpenRouter's default: providers without significant outages in the last 30 s first, chosen by the inverse square of
 * their price, the others as fallbacks: https://openrouter.ai/docs/guides/routing/provider-selection. What a significant
 * outage is, is not said (guess: the last call failed). After a request that used a cache, the conversation stays with
 * that provider while it is available, until ten minutes without a request:
 * https://openrouter.ai/docs/guides/best-practices/prompt-caching. Prompts for Anthropic have to be marked by the caller.
 * Both as indexed on 2026-11-27; https://www.openrouter.ai/docs/guides/providers/traffic-routing.md, indexed the same
 * day, also names speed and cache-adjusted prices as inputs of the shares, without a formula.
 */
class OpenRouter implements HostChooser {
  readonly marks: boolean;
  readonly #failedMs = new Map<SimulatedHost, number>();
  readonly #sticky = new Map<number, { readonly host: SimulatedHost; readonly untilMs: number }>();

  constructor(
    private readonly options: RivalOptions,
    { marks }: { readonly marks: boolean },
  ) {
    this.marks = marks;
  }

  next(conversation: number, failed: readonly SimulatedHost[]): SimulatedHost | undefined {
    const { hosts, now } = this.options;
    const left = hosts.filter((host) => !failed.includes(host));
    const stable = left.filter((host) => now() - (this.#failedMs.get(host) ?? -OUTAGE_MS) >= OUTAGE_MS);
    const sticky = this.#sticky.get(conversation);
    if (sticky !== undefined && sticky.untilMs > now() && stable.includes(sticky.host)) return sticky.host;
    return this.#byPrice(stable.length > 0 ? stable : left);
  }

  answered(host: SimulatedHost, conversation: number, usage: TokenUsage): void {
    this.#failedMs.delete(host);
    if (usage.cacheReadTokens + usage.cacheWriteTokens > 0)
      this.#sticky.set(conversation, { host, untilMs: this.options.now() + STICKY_MS });
  }

  failed(host: SimulatedHost): void {
    this.#failedMs.set(host, this.options.now());
  }

  #byPrice(hosts: readonly SimulatedHost[]): SimulatedHost | undefined {
    const weights = hosts.map(({ price }) => price.inputUsdPerMtok ** -2);
    let drawn = this.options.random() * weights.reduce((sum, weight) => sum + weight, 0);
    return hosts.find((_, index) => {
      drawn -= weights[index] ?? 0;
      return drawn < 0;
    });
  }
}
