import { connectRedis, type Redis } from "../../foundation/redis.js";
import type { SharedStore } from "./shared-store.js";

/** Values in Redis, under keys that start with `sextant:KIND:` and expire by themselves. */
export class RedisStore implements SharedStore {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(url: string, kind: "conversation" | "response") {
    this.#prefix = `sextant:${kind}:`;
    this.#redis = connectRedis(url);
    // Without a listener, an error of the connection would end the process. The limits, which count there too, log it.
    this.#redis.on("error", () => {});
  }

  async get(key: string): Promise<unknown> {
    const text = await this.#redis.get(this.#prefix + key);
    return text === null ? undefined : JSON.parse(text);
  }

  async set(key: string, value: object, { ttlMs }: { readonly ttlMs: number }): Promise<void> {
    await this.#redis.set(this.#prefix + key, JSON.stringify(value), "PX", ttlMs);
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => {});
    this.#redis.disconnect();
  }
}
