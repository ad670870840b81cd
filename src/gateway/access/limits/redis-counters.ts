import { connectRedis, type Redis, type Result, redisFaultCode } from "../../../foundation/redis.js";
import {
  type Claim,
  type Correction,
  REFUSALS,
  type Refusal,
  type RefusalCount,
  type RefusedRequest,
  type Tally,
  type Used,
} from "./counters.js";
import { ADD_BOUNDED, CLAIM_SCRIPT, CORRECT_SCRIPT, USED_SCRIPT } from "./redis-scripts.js";
import { minuteOf, REFUSALS_KEPT_MS } from "./refusal-history.js";
import { SharedCountersError } from "./shared-counters-error.js";
import { BUDGET, periodAt } from "./spend-period.js";

/** What a script calls a limit: 0 is none. */
const refusalOf = (number: number): Refusal | null => REFUSALS[number - 1] ?? null;

export interface RedisCountersOptions {
  /** Milliseconds since the epoch; determines the period. */
  readonly now: () => number;
  /** Clock of the minutes; default that of Redis, so that instances whose clocks differ share them. */
  readonly minuteClock?: () => number;
}

declare module "ioredis" {
  interface RedisCommander<Context> {
    sextantClaim(minuteKey: string, spendKey: string, ...argv: string[]): Result<number[], Context>;
    sextantUsed(minuteKey: string, spendKey: string, ...argv: string[]): Result<number[], Context>;
    sextantCorrect(minuteKey: string, spendKey: string, ...argv: string[]): Result<number, Context>;
  }
}

/**
 * Counters in Redis 5 or newer, which instances share, under keys that start with `sextant:`. Every key expires by itself. Methods
 * reject with a SharedCountersError when Redis cannot be asked, or when it is unknown whether it counted.
 */
export class RedisCounters {
  readonly #redis: Redis;
  readonly #options: RedisCountersOptions;
  readonly #ready: Promise<void>;
  /** Keys of what budgets have counted: all keys of the server are looked at, and metrics are read often. */
  readonly #budgetKeys = new KeptAnswer(KEYS_KEPT_MS, () => this.#findBudgetKeys());
  /** Of all principals. */
  readonly #allRefusals = new KeptAnswer(REFUSALS_ANSWER_KEPT_MS, (nowMs) => this.#findAllRefusals(nowMs));
  /** Why there is no connection, as far as is known. */
  #connectionFault = "DISCONNECTED";

  constructor(url: string, options: RedisCountersOptions) {
    this.#options = options;
    this.#redis = connectRedis(url, {
      scripts: {
        sextantClaim: { lua: CLAIM_SCRIPT, numberOfKeys: 2 },
        sextantUsed: { lua: USED_SCRIPT, numberOfKeys: 2 },
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

  /** Resolves when Redis can first be asked; may never. */
  ready(): Promise<void> {
    return this.#ready;
  }

  async claim({ principal, limits, tokens, nanoUsd }: Claim): Promise<Tally> {
    const nowMs = this.#options.now();
    const period = periodAt(principal, nowMs).name;
    const [refused = 0, requests = 0, usedTokens = 0, minute = 0, minuteEndsInMs = 0, spent = 0] =
      await this.#run(() =>
        this.#redis.sextantClaim(
          minuteKey(principal),
          spendKey(principal, period),
          String(limits.requests ?? -1),
          String(limits.tokens ?? -1),
          String(limits.nanoUsd ?? -1),
          String(tokens),
          String(nanoUsd),
          String(this.#options.minuteClock?.() ?? ""),
        ),
      );
    return {
      refusedBy: refusalOf(refused),
      requests,
      tokens: usedTokens,
      minute,
      minuteEndsInMs,
      period,
      nanoUsd: spent,
    };
  }

  /** One of a minute of 0 changes only the month. */
  async correct({ principal, minute, requests, tokens, period, nanoUsd }: Correction): Promise<void> {
    await this.#run(() =>
      this.#redis.sextantCorrect(
        minuteKey(principal),
        spendKey(principal, period),
        String(minute),
        String(requests),
        String(tokens),
        String(nanoUsd),
      ),
    );
  }

  /** As of `Counters`. */
  async used(principal: string): Promise<Used> {
    const [requests = 0, tokens = 0, nanoUsd = 0] = await this.#run(() =>
      this.#redis.sextantUsed(
        minuteKey(principal),
        spendKey(principal, periodAt(principal, this.#options.now()).name),
        String(this.#options.minuteClock?.() ?? ""),
      ),
    );
    return { requests, tokens, nanoUsd };
  }

  /** For operators, not for requests. What others have begun to count is found within a minute. */
  async accounts(prefix: string): Promise<readonly string[]> {
    const nowMs = this.#options.now();
    const found = new Set<string>();
    for (const key of await this.#run(() => this.#budgetKeys.at(nowMs))) {
      const principal = key.slice(SPEND.length + 1, key.lastIndexOf("}:"));
      const isRunning = key === spendKey(principal, periodAt(principal, nowMs).name);
      if (isRunning && principal.startsWith(prefix)) found.add(principal);
    }
    return [...found];
  }

  /** Some thousands at a time. */
  async #findBudgetKeys(): Promise<readonly string[]> {
    const found: string[] = [];
    let cursor = "0";
    do {
      const [next, keys] = await this.#redis.scan(cursor, "MATCH", `${SPEND}{${BUDGET}*`, "COUNT", SCANNED);
      found.push(...keys);
      cursor = next;
    } while (cursor !== "0");
    return found;
  }

  async noteRefusal({ principal, refusedBy, budget }: RefusedRequest): Promise<void> {
    const nowMs = this.#options.now();
    const key = refusalsKey(principal, nowMs);
    const field = [minuteOf(nowMs), REFUSALS.indexOf(refusedBy) + 1, ...(budget === null ? [] : [budget])];
    await this.#run(() =>
      Promise.all([
        this.#redis.hincrby(key, field.join(":"), 1),
        this.#redis.pexpire(key, REFUSALS_KEY_MS),
        this.#redis.eval(ADD_BOUNDED, 1, refusedKey(nowMs), principal, MOST_REFUSED),
        this.#redis.pexpire(refusedKey(nowMs), REFUSALS_KEY_MS),
      ]),
    );
  }

  /** As of `Counters`, in no order. Those of all are 30 seconds old at most. */
  async refusals(principal?: string): Promise<readonly RefusalCount[]> {
    const nowMs = this.#options.now();
    const counts = await this.#run(() =>
      principal === undefined
        ? this.#allRefusals.at(nowMs)
        : Promise.all(daysKept(nowMs).map((day) => this.#refusalsOf(principal, day))),
    );
    return counts.flat().filter(({ minuteMs }) => minuteMs > nowMs - REFUSALS_KEPT_MS);
  }

  /** Some principals at a time, so that no claim waits behind the others. */
  async #findAllRefusals(nowMs: number): Promise<readonly (readonly RefusalCount[])[]> {
    const found: (readonly RefusalCount[])[] = [];
    for (const day of daysKept(nowMs)) {
      const seen = new Set<string>();
      let cursor = "0";
      do {
        const [next, principals] = await this.#redis.sscan(refusedKey(day), cursor, "COUNT", REFUSED_AT_ONCE);
        const others = principals.filter((one) => !seen.has(one));
        found.push(...(await Promise.all(others.map((one) => this.#refusalsOf(one, day)))));
        for (const one of others) seen.add(one);
        cursor = next;
      } while (cursor !== "0");
    }
    return found;
  }

  async #refusalsOf(principal: string, day: number): Promise<readonly RefusalCount[]> {
    return refusalsIn(await this.#redis.hgetall(refusalsKey(principal, day)), principal);
  }

  /** Resolves when a claim could be counted. */
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

  async #run<Reply>(command: () => Promise<Reply>): Promise<Reply> {
    try {
      return await command();
    } catch (fault) {
      throw new SharedCountersError(redisFaultCode(fault) ?? this.#connectionFault);
    }
  }
}

/** Keys that one step of a search looks at. */
const SCANNED = 2000;

/** A day, and the 24 hours after it in which it is still read. */
const REFUSALS_KEY_MS = 2 * REFUSALS_KEPT_MS;

/** Principals that are remembered a day, and those that are asked for at once. */
const MOST_REFUSED = 50_000;
const REFUSED_AT_ONCE = 200;

const KEYS_KEPT_MS = 60_000;
const REFUSALS_ANSWER_KEPT_MS = 30_000;

/** What takes long to find out, and may be some time old. */
class KeptAnswer<Value> {
  readonly #keptMs: number;
  readonly #find: (nowMs: number) => Promise<Value>;
  #last: { readonly atMs: number; readonly answer: Promise<Value> } | undefined;

  constructor(keptMs: number, find: (nowMs: number) => Promise<Value>) {
    this.#keptMs = keptMs;
    this.#find = find;
  }

  /** The last answer, unless it is too old or a fault. */
  at(nowMs: number): Promise<Value> {
    if (this.#last !== undefined && nowMs - this.#last.atMs < this.#keptMs) return this.#last.answer;
    const found = { atMs: nowMs, answer: this.#find(nowMs) };
    this.#last = found;
    found.answer.catch(() => {
      if (this.#last === found) this.#last = undefined;
    });
    return found.answer;
  }
}

/** Keys of spending, whatever the period: they were named when there were only months. */
const SPEND = "sextant:month:";

/** Braces mark the hash tag, by which a Redis Cluster or a proxy assigns keys to nodes. */
const minuteKey = (principal: string): string => `sextant:minute:{${principal}}`;
const spendKey = (principal: string, period: string): string => `${SPEND}{${principal}}:${period}`;

/** Of a principal and a day: `minute:limit`, and `:budget` of one, with how many there were. Kept as long as it is read. */
const refusalsKey = (principal: string, ms: number): string => `sextant:refusals:{${principal}}:${dayOf(ms)}`;

/** Of a day: the principals with refusals. */
const refusedKey = (ms: number): string => `sextant:refused:${dayOf(ms)}`;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A time of each day that what is kept is of. */
const daysKept = (nowMs: number): readonly number[] => [nowMs - REFUSALS_KEPT_MS, nowMs];

const refusalsIn = (hash: Readonly<Record<string, string>>, principal: string): readonly RefusalCount[] =>
  Object.entries(hash).flatMap(([field, requests]) => {
    const [minuteMs, number, budget = null] = field.split(":");
    const refusedBy = refusalOf(Number(number));
    return refusedBy === null
      ? []
      : [{ principal, refusedBy, budget, minuteMs: Number(minuteMs), requests: Number(requests) }];
  });
