import { connectRedis, type Redis, type Result, redisFaultCode } from "../../foundation/redis.js";
import { calendarMonthAt } from "./calendar-month.js";
import type { Claim, Correction, Refusal, Tally } from "./counters.js";
import { CLAIM_SCRIPT, CORRECT_SCRIPT } from "./redis-scripts.js";
import { type SharedCounters, SharedCountersError } from "./shared-counters.js";

const REFUSALS: readonly (Refusal | null)[] = [null, "budget", "requests", "tokens"];

export interface RedisCountersOptions {
  /** Milliseconds since the epoch; determines the month. */
  readonly now: () => number;
  /** Clock of the minutes; default that of Redis, so that instances whose clocks differ share them. */
  readonly minuteClock?: () => number;
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    sextantClaim(minuteKey: string, monthKey: string, ...argv: string[]): Result<number[], Context>;
    sextantCorrect(minuteKey: string, monthKey: string, ...argv: string[]): Result<number, Context>;
  }
}

/** Counters in Redis 5 or newer, under keys that start with `sextant:`. Every key expires by itself. */
export class RedisCounters implements SharedCounters {
  readonly #redis: Redis;
  readonly #options: RedisCountersOptions;
  readonly #ready: Promise<void>;
  /** Why there is no connection, as far as is known. */
  #connectionFault = "DISCONNECTED";

  constructor(url: string, options: RedisCountersOptions) {
    this.#options = options;
    this.#redis = connectRedis(url, {
      scripts: {
        sextantClaim: { lua: CLAIM_SCRIPT, numberOfKeys: 2 },
        sextantCorrect: { lua: CORRECT_SCRIPT, numberOfKeys: 2 },
      },
    });
    this.#ready = new Promise((resolve, reject) => {
      this.#redis.once("ready", () => resolve());
      this.#redis.on("error", (fault: unknown) => {
        this.#connectionFault = redisFaultCode(fault) ?? this.#connectionFault;
        reject(new SharedCountersError(this.#connectionFault));
      });
    });
    this.#ready.catch(() => {});
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  async claim({ principal, limits, tokens, nanoUsd }: Claim): Promise<Tally> {
    const month = calendarMonthAt(this.#options.now()).name;
    const [refused = 0, requests = 0, usedTokens = 0, minute = 0, minuteEndsInMs = 0, spent = 0] =
      await this.#run(() =>
        this.#redis.sextantClaim(
          minuteKey(principal),
          monthKey(principal, month),
          String(limits.requests ?? -1),
          String(limits.tokens ?? -1),
          String(limits.nanoUsd ?? -1),
          String(tokens),
          String(nanoUsd),
          String(this.#options.minuteClock?.() ?? ""),
        ),
      );
    return {
      refusedBy: REFUSALS[refused] ?? null,
      requests,
      tokens: usedTokens,
      minute,
      minuteEndsInMs,
      month,
      nanoUsd: spent,
    };
  }

  async correct(corrections: readonly Correction[]): Promise<void> {
    await this.#run(() => Promise.all(corrections.map((correction) => this.#correct(correction))));
  }

  async probe(): Promise<void> {
    // A Redis that requires a password replies to a longer command with a protocol error instead of `NOAUTH`.
    await this.#run(() => this.#redis.ping());
    await this.claim({
      principal: "probe",
      limits: { requests: Number.MAX_SAFE_INTEGER, tokens: null, nanoUsd: null },
      tokens: 0,
      nanoUsd: 0,
    });
  }

  /** Waits for replies that are under way, at most as long as a silent connection is kept. */
  async close(): Promise<void> {
    await this.#redis.quit().catch(() => {});
    this.#redis.disconnect();
  }

  #correct({ principal, minute, requests, tokens, month, nanoUsd }: Correction): Promise<number> {
    return this.#redis.sextantCorrect(
      minuteKey(principal),
      monthKey(principal, month),
      String(minute),
      String(requests),
      String(tokens),
      String(nanoUsd),
    );
  }

  async #run<Reply>(command: () => Promise<Reply>): Promise<Reply> {
    try {
      return await command();
    } catch (fault) {
      throw new SharedCountersError(redisFaultCode(fault) ?? this.#connectionFault);
    }
  }
}

/** Braces mark the hash tag, by which a Redis Cluster or a proxy assigns keys to nodes. */
const minuteKey = (principal: string): string => `sextant:minute:{${principal}}`;
const monthKey = (principal: string, month: string): string => `sextant:month:{${principal}}:${month}`;
