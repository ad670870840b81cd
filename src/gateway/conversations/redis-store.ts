import { exactJson, withMarks } from "../../foundation/exact-numbers.js";
import { AskedRedis } from "../../foundation/redis.js";
import type { SharedStore } from "./shared-store.js";

/** Values in Redis, under keys that start with `sextant:KIND:` and expire by themselves. */
export class RedisStore implements SharedStore {
  readonly #redis: AskedRedis;
  readonly #prefix: string;

  constructor(url: string, kind: "conversation" | "response") {
    this.#prefix = `sextant:${kind}:`;
    // The limits, which count there too, log what is wrong with it.
    this.#redis = new AskedRedis(url);
  }

  async get(key: string): Promise<unknown> {
    const text = await this.#redis.ask((redis) => redis.get(this.#prefix + key));
    return text === null ? undefined : JSON.parse(withMarks(text));
  }

  async set(key: string, value: object, { ttlMs }: { readonly ttlMs: number }): Promise<void> {
    await this.#redis.ask((redis) => redis.set(this.#prefix + key, exactJson(value), "PX", ttlMs));
  }

  close(): Promise<void> {
    return this.#redis.close();
  }
}
