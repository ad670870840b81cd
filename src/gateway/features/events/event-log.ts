import type { Log } from "../../../foundation/log.js";
import type { Store } from "../../storage/store.js";
import { type AdminEvent, type EventKind, eventOf, type NewEvent } from "./event.js";

/** What events must be like to be found: everything that is given must hold. */
export interface EventFilter {
  readonly kinds?: readonly EventKind[] | undefined;
  /** Id of what the act was done to. */
  readonly target?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly startMs?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly endMs?: number | undefined;
}

export interface EventPage {
  /** Newest first. */
  readonly events: readonly AdminEvent[];
  /** Whether more match. */
  readonly hasMore: boolean;
}

export interface EventLogOptions {
  readonly store: Pick<Store, "append" | "entries">;
  /** Events that are kept, ≥ 1: the oldest go first. */
  readonly kept: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A new unique id without its prefix, such as a ULID. */
  readonly newId: () => string;
  readonly log: Pick<Log, "warn">;
}

const LOG = "events";

/** What operators did: the last so many acts, of all processes. */
export class EventLog {
  readonly #options: EventLogOptions;
  #hasWarned = false;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  /** Never rejects: the act has been done already. One that cannot be kept is in the log of the server. */
  async record(event: NewEvent): Promise<void> {
    const { store, kept, now, newId, log } = this.#options;
    const whole: AdminEvent = { id: `event_${newId()}`, at: new Date(now()).toISOString(), ...event };
    await store.append(LOG, JSON.stringify(whole), { kept }).catch((fault) => {
      log.warn({ fault: String(fault), event: whole }, "an administrative event could not be kept");
    });
  }

  /** @throws what the store does when it cannot be read */
  async list({ kinds, target, startMs, endMs }: EventFilter, most: number): Promise<EventPage> {
    const found: AdminEvent[] = [];
    for (const { value } of (await this.#options.store.entries(LOG)).toReversed()) {
      const event = eventOf(value);
      if (event === undefined) {
        if (!this.#hasWarned)
          this.#options.log.warn({}, "events that are damaged or of another version are left out");
        this.#hasWarned = true;
        continue;
      }
      const atMs = Date.parse(event.at);
      if (kinds !== undefined && !kinds.includes(event.kind)) continue;
      if (target !== undefined && event.target.id !== target) continue;
      if (atMs < (startMs ?? 0) || atMs >= (endMs ?? Number.POSITIVE_INFINITY)) continue;
      if (found.length === most) return { events: found, hasMore: true };
      found.push(event);
    }
    return { events: found, hasMore: false };
  }
}
