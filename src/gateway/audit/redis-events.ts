import { connectRedis, type Redis, whenConnected } from "../../foundation/redis.js";
import type { EventStore } from "./event-log.js";

const KEY = "sextant:events";

/** Events in a list of Redis, so that those of all instances of a fleet stand in one place. */
export class RedisEvents implements EventStore {
  readonly #redis: Redis;
  readonly #kept: number;

  /** @param kept events that the list has at most, ≥ 1 */
  constructor(url: string, kept: number) {
    this.#kept = kept;
    this.#redis = connectRedis(url);
    // Without a listener, an error of the connection would end the process. Whoever asks gets it too.
    this.#redis.on("error", () => {});
  }

  async append(line: string): Promise<void> {
    await whenConnected(this.#redis);
    await this.#redis.rpush(KEY, line);
    await this.#redis.ltrim(KEY, -this.#kept, -1);
  }

  async lines(): Promise<readonly string[]> {
    await whenConnected(this.#redis);
    return this.#redis.lrange(KEY, -this.#kept, -1);
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => {});
    this.#redis.disconnect();
  }
}
