import { z } from "zod";
import { connectRedis, type Redis } from "../../foundation/redis.js";
import type { ConversationRecord } from "./conversation-memory.js";
import type { ConversationStore } from "./shared-conversations.js";

const recordSchema = z.object({
  model: z.string(),
  provider: z.string().nullable(),
  digest: z.string(),
  promptTokens: z.number(),
  billedTokens: z.number(),
  reportedTokens: z.number(),
  answeredAtMs: z.number(),
});

/** Conversations in Redis, under keys that start with `sextant:conversation:` and expire by themselves. */
export class RedisConversations implements ConversationStore {
  readonly #redis: Redis;

  constructor(url: string) {
    this.#redis = connectRedis(url);
    // Without a listener, an error of the connection would end the process. The limits, which count there too, log it.
    this.#redis.on("error", () => {});
  }

  /** @returns undefined also for what another version has written */
  async get(key: string): Promise<ConversationRecord | undefined> {
    const text = await this.#redis.get(redisKey(key));
    return text === null ? undefined : recordSchema.safeParse(JSON.parse(text)).data;
  }

  async set(key: string, record: ConversationRecord, { ttlMs }: { readonly ttlMs: number }): Promise<void> {
    await this.#redis.set(redisKey(key), JSON.stringify(record), "PX", ttlMs);
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => {});
    this.#redis.disconnect();
  }
}

const redisKey = (key: string): string => `sextant:conversation:${key}`;
