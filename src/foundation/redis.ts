import { Redis, type RedisOptions } from "ioredis";
import { RedisUnavailableError } from "./errors.js";

export type { Redis, Result } from "ioredis";

const CONNECT_TIMEOUT_MS = 2_000;
/** Silence after which a connection with unanswered commands is given up for a new one. */
const SILENCE_MS = 2_000;
const LONGEST_RETRY_MS = 2_000;

/** A connection that is made again whenever it breaks. A command either reaches Redis now or fails at once. */
export const connectRedis = (url: string, options: Pick<RedisOptions, "scripts"> = {}): Redis =>
  new Redis(url, {
    // RESP2 without CLIENT commands: every version of Redis, and every proxy in front of one, supports that.
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    // What to do without Redis is decided elsewhere.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_RETRY_MS),
    ...options,
  });

/** A connection whose faults are for whoever asks. */
export class AskedRedis {
  readonly #redis: Redis;

  constructor(url: string) {
    this.#redis = connectRedis(url);
    // Without a listener, an error of the connection would end the process.
    this.#redis.on("error", () => {});
  }

  /** Waits for a connection that is still being made. @throws RedisUnavailableError */
  async ask<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    try {
      await whenConnected(this.#redis);
      return await work(this.#redis);
    } catch (cause) {
      const code = redisFaultCode(cause) ?? "DISCONNECTED";
      throw new RedisUnavailableError(
        `Redis cannot be reached (${code}). Start it, or correct SEXTANT_REDIS_URL, and try again.`,
        { cause },
      );
    }
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => {});
    this.#redis.disconnect();
  }
}

/** Resolves when a connection that is still being made can be used, and at once otherwise. @throws what keeps it from being made */
async function whenConnected(redis: Redis): Promise<void> {
  if (redis.status !== "connecting" && redis.status !== "connect") return;
  await new Promise<void>((resolve, reject) => {
    const settle = (finish: () => void) => () => {
      redis.off("ready", ready).off("error", failed);
      finish();
    };
    const ready = settle(resolve);
    const failed = (fault: unknown) => settle(() => reject(fault))();
    redis.once("ready", ready).once("error", failed);
  });
}

/** The code of a system's or of Redis' own error: `ECONNREFUSED`, `NOAUTH`. Never its text, which may quote an argument. */
export function redisFaultCode(fault: unknown): string | undefined {
  if (!(fault instanceof Error)) return undefined;
  if ("code" in fault && typeof fault.code === "string") return fault.code;
  return fault.name === "ReplyError" ? /^[A-Z]{2,}/.exec(fault.message)?.[0] : undefined;
}
