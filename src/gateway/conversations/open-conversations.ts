import type { Timers } from "../../foundation/timers.js";
import type { ConversationMemory } from "./conversation-memory.js";
import { LocalConversations } from "./local-conversations.js";
import { SharedConversations } from "./shared-conversations.js";

export interface ConversationSettings {
  readonly stickyTtlMs: number;
  readonly redisUrl?: string | undefined;
}

export interface ConversationSources {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
}

/** Redis when the settings name one, which may be down; else memory. */
export async function openConversations(
  { stickyTtlMs: ttlMs, redisUrl }: ConversationSettings,
  { now, timers }: ConversationSources,
): Promise<ConversationMemory> {
  const local = new LocalConversations({ ttlMs, now });
  if (redisUrl === undefined) return local;
  // Loaded only when there is a Redis: a start without one need not wait for its client.
  const { RedisConversations } = await import("./redis-conversations.js");
  return new SharedConversations({ store: new RedisConversations(redisUrl), local, ttlMs, timers });
}
