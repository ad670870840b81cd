import { join } from "node:path";
import type { Timers } from "../../foundation/timers.js";
import { LocalResponses, type ResponseSettings } from "./local-responses.js";
import type { ResponseMemory } from "./response-memory.js";
import { SharedResponses } from "./shared-responses.js";

export interface OpenResponsesSettings extends ResponseSettings {
  readonly dataDir: string;
  readonly redisUrl?: string | undefined;
  readonly traceContent: boolean;
}

export interface ResponseSources {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
}

/** Redis when the settings name one, which may be down; else memory and a file of the data folder. */
export async function openResponses(
  settings: OpenResponsesSettings,
  { now, timers }: ResponseSources,
): Promise<ResponseMemory> {
  const local = await LocalResponses.open({ settings, now, path: join(settings.dataDir, "responses.jsonl") });
  if (settings.redisUrl === undefined) return local;
  const { RedisResponses } = await import("./redis-responses.js");
  const item = settings.traceContent && settings.responseItemsTtlMs > 0 ? settings.responseItemsTtlMs : null;
  const ttlMs = { item, stored: settings.storedResponsesTtlMs };
  return new SharedResponses({ store: new RedisResponses(settings.redisUrl), local, ttlMs, timers });
}
