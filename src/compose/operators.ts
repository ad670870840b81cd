/** What operators have paused, and what they did: in files of the data folder, or in Redis for all instances of a fleet. */
import { randomBytes } from "node:crypto";
import type { Log } from "../foundation/log.js";
import { createUlidGenerator } from "../foundation/request-id.js";
import { EventFile } from "../gateway/audit/event-file.js";
import { EventLog } from "../gateway/audit/event-log.js";
import { PauseList } from "../gateway/pauses/pause-list.js";
import type { Settings } from "../gateway/settings/settings.js";
import { openSharedText } from "./shared-text.js";

const PAUSES = { file: "pauses.json", key: "sextant:pause-list" };

type StoreSettings = Pick<Settings, "dataDir" | "redisUrl" | "eventsKept">;

/** The client of Redis is loaded only when there is one: a start without need not wait for it. */
async function eventStore({ dataDir, redisUrl, eventsKept }: StoreSettings) {
  if (redisUrl === undefined) return new EventFile(dataDir, eventsKept);
  const { RedisEvents } = await import("../gateway/audit/redis-events.js");
  return new RedisEvents(redisUrl, eventsKept);
}

const idSources = (now = Date.now) => ({ now, newId: createUlidGenerator({ now, randomBytes }) });

/** The pauses, not read yet. */
export async function openPauses(
  settings: StoreSettings,
  { now }: { readonly now?: () => number } = {},
): Promise<PauseList> {
  return new PauseList(await openSharedText(settings, PAUSES), idSources(now));
}

export async function openEventLog(
  settings: StoreSettings,
  { log }: { readonly log: Log },
): Promise<EventLog> {
  return new EventLog(await eventStore(settings), { ...idSources(), log });
}
