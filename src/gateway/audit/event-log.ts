import type { Log } from "../../foundation/log.js";
import { type AdminEvent, type EventKind, eventOf, type NewEvent } from "./event.js";

/** Lines of events in their order, the oldest given up first. Its methods reject when it cannot be read or written. */
export interface EventStore {
  append(line: string): Promise<void>;
  /** Oldest first. */
  lines(): Promise<readonly string[]>;
  close(): Promise<void>;
}

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
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A new unique id without its prefix, such as a ULID. */
  readonly newId: () => string;
  readonly log: Pick<Log, "warn">;
}

/** What operators did: the last so many acts, of all processes. */
export class EventLog {
  readonly #store: EventStore;
  readonly #options: EventLogOptions;
  #hasWarned = false;

  constructor(store: EventStore, options: EventLogOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Never rejects: the act has been done already. One that cannot be kept is in the log of the server. */
  async record(event: NewEvent): Promise<void> {
    const { now, newId, log } = this.#options;
    const whole: AdminEvent = { id: `event_${newId()}`, at: new Date(now()).toISOString(), ...event };
    await this.#store.append(JSON.stringify(whole)).catch((fault) => {
      log.warn({ fault: String(fault), event: whole }, "an administrative event could not be kept");
    });
  }

  /** @throws what the store does when it cannot be read */
  async list({ kinds, target, startMs, endMs }: EventFilter, most: number): Promise<EventPage> {
    const found: AdminEvent[] = [];
    for (const line of (await this.#store.lines()).toReversed()) {
      const event = eventOf(line);
      if (event === undefined) {
        if (!this.#hasWarned)
          this.#options.log.warn({}, "damaged events, or of another version, are left out");
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

  close(): Promise<void> {
    return this.#store.close();
  }
}
