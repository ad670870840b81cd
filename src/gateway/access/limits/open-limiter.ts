import type { Log } from "../../../foundation/log.js";
import { systemTimers } from "../../../foundation/timers.js";
import type { SqliteStore } from "../../storage/sqlite-store.js";
import type { Counters } from "./counters.js";
import { FallbackCounters } from "./fallback-counters.js";
import { CountingLimiter, type LimiterOptions } from "./limiter.js";
import { SavedCounters } from "./saved-counters.js";

export interface LimiterSources {
  /** Keeps budgets without a Redis. */
  readonly store: SqliteStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * The limiter of a server: Redis counts when the settings name one, which may be down; else memory does.
 *
 * @throws StorageError when what was spent cannot be read
 */
export async function openLimiter(
  settings: { readonly redisUrl?: string | undefined },
  sources: LimiterSources & LimiterOptions,
): Promise<CountingLimiter> {
  return new CountingLimiter(await openCounters(settings, sources), sources);
}

async function openCounters(
  { redisUrl }: { readonly redisUrl?: string | undefined },
  { store, now, log }: LimiterSources,
): Promise<Counters> {
  const options = { now, log, timers: systemTimers };
  if (redisUrl === undefined) return SavedCounters.open({ ...options, store });
  // Loaded only when there is a Redis: a start without one need not wait for its client.
  const { RedisCounters } = await import("./redis-counters.js");
  return FallbackCounters.open(new RedisCounters(redisUrl, { now }), options);
}
