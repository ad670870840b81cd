/** What operators have paused, and what they did: of all instances of a fleet, where there is one. */
import { randomBytes } from "node:crypto";
import type { Log } from "../foundation/log.js";
import { createUlidGenerator } from "../foundation/request-id.js";
import { EventLog } from "../gateway/features/events/event-log.js";
import { PauseList } from "../gateway/features/pauses/pause-list.js";
import type { Stores } from "../gateway/storage/open-stores.js";

/** The oldest go first. One is some 300 bytes, and operators do a few things a day. */
const EVENTS_KEPT = 5000;

const idSources = (now = Date.now) => ({ now, newId: createUlidGenerator({ now, randomBytes }) });

/** The pauses, not read yet. */
export const pausesOf = (
  { shared }: Pick<Stores, "shared">,
  { now }: { readonly now?: () => number } = {},
): PauseList => new PauseList(shared, idSources(now));

export const eventsOf = ({ shared }: Pick<Stores, "shared">, { log }: { readonly log: Log }): EventLog =>
  new EventLog({ store: shared, kept: EVENTS_KEPT, ...idSources(), log });
