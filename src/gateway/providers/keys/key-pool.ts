import type { Clock } from "../../../foundation/timers.js";
import { usedUpForMs } from "../http/retry-after.js";
import type { Provider, ProviderFault, ProviderFaultCode, ReplyHeaders } from "../provider.js";
import { type KeyModelHealth, KeyRest } from "./key-rest.js";
import { TokenBucket } from "./token-bucket.js";

/** One of several keys of a provider. */
export interface PooledKey {
  /** As traces, metrics and the console show it. Never the key itself. */
  readonly name: string;
  /** The adapter that calls with it; null when the key is not set. */
  readonly provider: Provider | null;
  /** > 0 */
  readonly weight: number;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly maxConcurrency?: number | undefined;
}

/** Health of a key, and of the models that were called with it. */
export interface KeyHealth extends Omit<KeyModelHealth, "upstream_model"> {
  readonly name: string;
  readonly weight: number;
  readonly in_flight: number;
  readonly models: readonly KeyModelHealth[];
}

/** What a call needs of a key. */
export interface KeyRequest {
  /** Name of the model at the provider. */
  readonly model: string;
  /** Estimated, of prompt and answer. */
  readonly tokens: number;
  /** Name of the key whose account has the prompt in its cache; another one when it may not be used. */
  readonly prefer?: string | undefined;
  /** Adapters of keys that failed for this request: used only when no other may be. */
  readonly avoid?: ReadonlySet<Provider>;
}

/** Why no key may be used: the vendor's refusal, or `in_use` when one is free as soon as a call ends. */
export type KeysBlocked = ProviderFaultCode | "in_use";

/** Models whose state is kept for each key; the oldest is dropped first. */
const MOST_MODELS = 512;

interface ModelState {
  readonly rest: KeyRest;
  readonly requests: TokenBucket | null;
  readonly tokens: TokenBucket | null;
}

class KeyEntry {
  readonly rest = new KeyRest();
  readonly models = new Map<string, ModelState>();
  inFlight = 0;

  constructor(readonly key: PooledKey) {}

  stateOf(model: string): ModelState {
    const known = this.models.get(model);
    if (known !== undefined) return known;
    const { requestsPerMinute, tokensPerMinute } = this.key;
    const state = {
      rest: new KeyRest(),
      requests: requestsPerMinute === undefined ? null : new TokenBucket(requestsPerMinute),
      tokens: tokensPerMinute === undefined ? null : new TokenBucket(tokensPerMinute),
    };
    const [oldest] = this.models.keys();
    if (oldest !== undefined && this.models.size >= MOST_MODELS) this.models.delete(oldest);
    this.models.set(model, state);
    return state;
  }

  get isFull(): boolean {
    return this.inFlight >= (this.key.maxConcurrency ?? Number.POSITIVE_INFINITY);
  }

  /** Milliseconds until neither a rest nor a limit by the minute stands in the way; 0: now. */
  waitMs({ model, tokens }: KeyRequest, nowMs: number): number {
    const { rest, requests, tokens: bucket } = this.stateOf(model);
    return Math.max(
      this.rest.leftMs(nowMs),
      rest.leftMs(nowMs),
      requests?.waitMs(1, nowMs) ?? 0,
      bucket?.waitMs(tokens, nowMs) ?? 0,
    );
  }
}

interface KeyPoolDependencies {
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Chooses among several keys of one provider, and remembers which of them rest: for the model alone after too many requests,
 * since vendors limit each model by itself, and where the account may not use it; whole after refused credentials and without
 * money. A key is never used while it rests. O(keys) for each call.
 */
export class KeyPool {
  readonly #entries: readonly KeyEntry[];
  /** Those that are set. */
  readonly #set: readonly KeyEntry[];

  constructor(
    keys: readonly PooledKey[],
    private readonly dependencies: KeyPoolDependencies,
  ) {
    this.#entries = keys.map((key) => new KeyEntry(key));
    this.#set = this.#entries.filter(({ key }) => key.provider !== null);
  }

  /**
   * A key for one call; null when none may be used now. The preferred one comes first, those whose limit the vendor reported
   * as used up later, and those that failed for the request last; among equals the choice is by weight.
   */
  take(request: KeyRequest): TakenKey | null {
    const nowMs = this.dependencies.clock();
    let best: KeyEntry | null = null;
    let bestRank = Number.POSITIVE_INFINITY;
    let bestScore = Number.POSITIVE_INFINITY;
    for (const entry of this.#set) {
      if (entry.isFull || entry.waitMs(request, nowMs) > 0) continue;
      const rank = this.#rankOf(entry, request, nowMs);
      const score = this.#scoreOf(entry);
      if (rank > bestRank || (rank === bestRank && score >= bestScore)) continue;
      [best, bestRank, bestScore] = [entry, rank, score];
    }
    return best === null ? null : this.#use(best, request, nowMs);
  }

  /** Milliseconds until a key may be used again; 0 when one may be now, or as soon as a call ends. */
  waitMs(request: KeyRequest): number {
    const nowMs = this.dependencies.clock();
    return Math.min(...this.#set.map((entry) => entry.waitMs(request, nowMs)));
  }

  /** Why `take` returns null: the reason of the key that may be used first. */
  blockedBy(request: KeyRequest): KeysBlocked {
    const nowMs = this.dependencies.clock();
    const [first] = [...this.#set].sort(
      (left, right) => left.waitMs(request, nowMs) - right.waitMs(request, nowMs),
    );
    if (first === undefined || first.waitMs(request, nowMs) === 0) return "in_use";
    const rests = [first.rest, first.stateOf(request.model).rest].filter((rest) => rest.leftMs(nowMs) > 0);
    rests.sort((left, right) => right.leftMs(nowMs) - left.leftMs(nowMs));
    return rests[0]?.reason ?? "rate_limited";
  }

  /** Any key, for a call that no request makes: one that does not rest, if there is one. */
  get any(): Provider {
    const [provider] = this.providers;
    if (provider === undefined) throw new TypeError("no key is set");
    return provider;
  }

  /** The adapters of the keys that are set, first those of keys that do not rest. */
  get providers(): readonly Provider[] {
    const nowMs = this.dependencies.clock();
    const usable = this.#set.filter(({ rest }) => rest.leftMs(nowMs) === 0);
    return [...new Set([...usable, ...this.#set])].flatMap(({ key }) => key.provider ?? []);
  }

  health(): readonly KeyHealth[] {
    const nowMs = this.dependencies.clock();
    return this.#entries.map(({ key, rest, inFlight, models }) => {
      const { name, weight } = key;
      const all = [...models].map(([model, state]) => ({
        upstream_model: model,
        ...state.rest.health(nowMs),
      }));
      const own = rest.health(nowMs);
      const shown = key.provider === null ? { ...own, state: "not_set" as const } : own;
      return { name, weight, in_flight: inFlight, ...shown, models: all };
    });
  }

  #rankOf(entry: KeyEntry, { model, avoid, prefer }: KeyRequest, nowMs: number): number {
    if (entry.key.provider !== null && avoid?.has(entry.key.provider) === true) return 2;
    if (nowMs < entry.stateOf(model).rest.usedUpUntilMs) return 1;
    return entry.key.name === prefer ? -1 : 0;
  }

  /**
   * Exponentially distributed with the weight as its rate: the least of several is each one's with a probability in
   * proportion to its weight.
   */
  #scoreOf({ key }: KeyEntry): number {
    return -Math.log(1 - this.dependencies.random()) / key.weight;
  }

  #use(entry: KeyEntry, { model, tokens }: KeyRequest, nowMs: number): TakenKey {
    const { provider, name } = entry.key;
    if (provider === null) throw new TypeError("a key that is not set was chosen");
    const state = entry.stateOf(model);
    state.requests?.take(1, nowMs);
    state.tokens?.take(tokens, nowMs);
    entry.inFlight += 1;
    let open = true;
    const { clock, now } = this.dependencies;
    return {
      name,
      provider,
      seen: (headers) => {
        const leftMs = usedUpForMs(headers, now());
        if (leftMs !== null) state.rest.usedUpUntilMs = clock() + leftMs;
      },
      ended(fault) {
        if (!open) return;
        open = false;
        entry.inFlight -= 1;
        if (fault === undefined) return;
        entry.rest.count(fault);
        state.rest.count(fault);
        if (fault === null || fault.rests === null) return;
        (fault.rests === "account" ? entry : state).rest.begin(fault, clock());
      },
    };
  }
}

/** A key that a call uses. */
export interface TakenKey {
  readonly name: string;
  /** The adapter that calls with it. */
  readonly provider: Provider;
  /** Takes the headers of a successful reply, which may say that a limit is used up. */
  readonly seen: (headers: ReplyHeaders) => void;
  /**
   * The call is over; only the first time counts.
   *
   * @param fault null when it succeeded; undefined when it says nothing of the key
   */
  ended(fault: ProviderFault | null | undefined): void;
}
