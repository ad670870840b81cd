import { connectRedis, type Redis } from "../../foundation/redis.js";
import type { ResponseStore } from "./shared-responses.js";

/** Responses in Redis, under keys that start with `sextant:response:` and expire by themselves. */
export class RedisResponses implements ResponseStore {
  readonly #redis: Redis;

  constructor(url: string) {
    this.#redis = connectRedis(url);
    // Without a listener, an error of the connection would end the process. The limits, which count there too, log it.
    this.#redis.on("error", () => {});
  }

  async get(name: string): Promise<unknown> {
    const text = await this.#redis.get(redisKey(name));
    return text === null ? undefined : JSON.parse(text);
  }

  async set(name: string, value: object, { ttlMs }: { readonly ttlMs: number }): Promise<void> {
    await this.#redis.set(redisKey(name), JSON.stringify(value), "PX", ttlMs);
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => {});
    this.#redis.disconnect();
  }
}

const redisKey = (name: string): string => `sextant:response:${name}`;
