/** Redis when the settings name one, which may be down; else memory, and for responses a file of the data folder. */
import { join } from "node:path";
import type { Timers } from "../../foundation/timers.js";
import type { ConversationMemory } from "./conversation-memory.js";
import { LocalConversations } from "./local-conversations.js";
import { LocalResponses, type ResponseSettings } from "./local-responses.js";
import { RESPONSE_TTL_MS, type ResponseMemory } from "./response-memory.js";
import { SharedConversations } from "./shared-conversations.js";
import { SharedResponses } from "./shared-responses.js";

/** For which the model of a conversation is remembered after its last answer: as long as the longest prompt cache of a vendor. */
const CONVERSATION_TTL_MS = 3_600_000;

export interface ConversationSettings {
  readonly redisUrl?: string | undefined;
}

export interface OpenResponsesSettings extends ResponseSettings {
  readonly dataDir: string;
  readonly redisUrl?: string | undefined;
  readonly traceContent: boolean;
}

interface MemorySources {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
}

export async function openConversations(
  { redisUrl }: ConversationSettings,
  { now, timers }: MemorySources,
): Promise<ConversationMemory> {
  const ttlMs = CONVERSATION_TTL_MS;
  const local = new LocalConversations({ ttlMs, now });
  if (redisUrl === undefined) return local;
  const store = await openStore(redisUrl, "conversation");
  return new SharedConversations({ store, local, ttlMs, timers });
}

export async function openResponses(
  settings: OpenResponsesSettings,
  { now, timers }: MemorySources,
): Promise<ResponseMemory> {
  const local = await LocalResponses.open({ settings, now, path: join(settings.dataDir, "responses.jsonl") });
  if (settings.redisUrl === undefined) return local;
  const store = await openStore(settings.redisUrl, "response");
  const sharesItems = settings.traceContent && settings.responseItemsMaxBytes > 0;
  const ttlMs = { ...RESPONSE_TTL_MS, item: sharesItems ? RESPONSE_TTL_MS.item : null };
  return new SharedResponses({ store, local, ttlMs, timers });
}

/** Loaded only when there is a Redis: a start without one need not wait for its client. */
async function openStore(url: string, kind: "conversation" | "response") {
  const { RedisStore } = await import("./redis-store.js");
  return new RedisStore(url, kind);
}
