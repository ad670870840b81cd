import { type Provider, ProviderFault } from "../../src/gateway/providers/provider.js";
import { CachingHost, type CachingHostOptions } from "../../test/fakes/caching-host.js";
import type { FakeClock } from "../../test/fakes/clock.js";
import { priceOf } from "../../test/fakes/deployments.js";

export const MODEL = "claude-sonnet-4-5";
const OTHER_MODEL = "claude-haiku-4-5";

/** Anthropic's list price of that model in US dollars per million tokens, times the host's factor. */
const priced = (factor: number) =>
  priceOf(3 * factor, 15 * factor, {
    cachedInputUsdPerMtok: 0.3 * factor,
    cacheWriteUsdPerMtok: 3.75 * factor,
  });

interface HostTraits {
  /** Of the list price. */
  readonly priceFactor: number;
  readonly latencyMs: number;
  /** Share of calls that fail with 500. */
  readonly failShare: number;
  /** Share of calls that another model answers. */
  readonly wrongShare: number;
  /** Further ones are refused with 429, and the time until the minute is over. */
  readonly callsPerMinute: number;
  readonly upstreams?: readonly string[];
}

/**
 * In the order of the settings (guesses): a cheap one that swaps models, one that is slow, one that fails often, and two
 * good ones, of which the second allows few calls.
 */
const HOSTS: Readonly<Record<string, HostTraits>> = {
  swaps: { priceFactor: 0.8, latencyMs: 1200, failShare: 0.01, wrongShare: 0.1, callsPerMinute: 12 },
  slow: { priceFactor: 0.9, latencyMs: 12_000, failShare: 0.01, wrongShare: 0, callsPerMinute: 12 },
  flaky: { priceFactor: 1, latencyMs: 1500, failShare: 0.15, wrongShare: 0, callsPerMinute: 12 },
  openrouter: {
    ...{ priceFactor: 1, latencyMs: 1800, failShare: 0.02, wrongShare: 0, callsPerMinute: 12 },
    upstreams: ["Anthropic", "Amazon Bedrock", "Google"],
  },
  anthropic: { priceFactor: 1, latencyMs: 1500, failShare: 0.02, wrongShare: 0, callsPerMinute: 8 },
};

export const HOST_COUNT = Object.keys(HOSTS).length;

/** A host with what it bills. */
export interface SimulatedHost {
  readonly provider: CachingHost & Provider;
  readonly price: ReturnType<typeof priceOf>;
}

export interface SimulatedHosts {
  readonly hosts: readonly SimulatedHost[];
  /** The model of the last answer. */
  answeredBy(): string;
}

/** Hosts with caches, failures and limits, whose calls let the clock's time pass. */
export function simulatedHosts(clock: FakeClock, random: () => number): SimulatedHosts {
  let model = MODEL;
  const hosts = Object.entries(HOSTS).map(([id, traits]) => {
    const minute = { at: -1, calls: 0 };
    const options: CachingHostOptions = {
      ...{ now: clock.now, onRequest: true, keepsUpstream: true },
      ...(traits.upstreams && { upstreams: traits.upstreams }),
      get serves() {
        return model;
      },
      before() {
        const at = Math.floor(clock.now() / MINUTE_MS);
        if (at !== minute.at) Object.assign(minute, { at, calls: 0 });
        minute.calls += 1;
        if (minute.calls > traits.callsPerMinute) {
          const retryAfterMs = (at + 1) * MINUTE_MS - clock.now();
          throw new ProviderFault("rate_limited", `${id} is busy`, { status: 429, retryAfterMs });
        }
        clock.advance(traits.latencyMs);
        model = random() < traits.wrongShare ? OTHER_MODEL : MODEL;
        if (random() < traits.failShare)
          throw new ProviderFault("server_error", `${id} fails`, { status: 500 });
      },
    };
    return { provider: new CachingHost(id, options), price: priced(traits.priceFactor) };
  });
  return { hosts, answeredBy: () => model };
}

const MINUTE_MS = 60_000;
