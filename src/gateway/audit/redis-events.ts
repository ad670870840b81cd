import { AskedRedis } from "../../foundation/redis.js";
import type { EventStore } from "./event-log.js";

const KEY = "sextant:events";

/** Events in a list of Redis, so that those of all instances of a fleet stand in one place. */
export class RedisEvents implements EventStore {
  readonly #redis: AskedRedis;
  readonly #kept: number;

  /** @param kept events that the list has at most, ≥ 1 */
  constructor(url: string, kept: number) {
    this.#kept = kept;
    this.#redis = new AskedRedis(url);
  }

  append(line: string): Promise<void> {
    return this.#redis.ask(async (redis) => {
      await redis.rpush(KEY, line);
      await redis.ltrim(KEY, -this.#kept, -1);
    });
  }

  lines(): Promise<readonly string[]> {
    return this.#redis.ask((redis) => redis.lrange(KEY, -this.#kept, -1));
  }

  close(): Promise<void> {
    return this.#redis.close();
  }
}
