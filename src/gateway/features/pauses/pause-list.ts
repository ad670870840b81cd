import { z } from "zod";
import { SextantError, StorageError } from "../../../foundation/errors.js";
import {
  hasEnded,
  keyPaused,
  type Pause,
  type PausesInForce,
  pausedThing,
  pauseNamesOf,
  pauseSchema,
} from "../../run/pause.js";
import type { Store } from "../../storage/store.js";

const storedSchema = z.object({ version: z.literal(1), pauses: z.array(pauseSchema) });

const ENTRY = { kind: "pauses", key: "all" };

export interface PausesOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A new unique id without its prefix, such as a ULID. */
  readonly newId: () => string;
}

export type NewPause = Omit<Pause, "id" | "created_at">;

/**
 * What operators have paused: answers from memory, and follows changes that other processes make when `refresh` is called,
 * which `compose/access.ts` does twice a second. A pause ends at its time without a timer: whoever asks compares.
 */
export class PauseList implements PausesInForce {
  readonly #store: Pick<Store, "name" | "get" | "update">;
  readonly #options: PausesOptions;
  /** As it was read last. */
  #text: string | undefined;
  #byThing: ReadonlyMap<string, Pause> = new Map();

  constructor(store: Pick<Store, "name" | "get" | "update">, options: PausesOptions) {
    this.#store = store;
    this.#options = options;
  }

  get any(): boolean {
    return this.#byThing.size > 0;
  }

  /** Those in force, the newest first. */
  list(): readonly Pause[] {
    const nowMs = this.#options.now();
    return [...this.#byThing.values()]
      .filter((pause) => !hasEnded(pause, nowMs))
      .sort((left, right) => (left.created_at < right.created_at ? 1 : -1));
  }

  ofDeployment(deployment: Parameters<PausesInForce["ofDeployment"]>[0]): Pause | undefined {
    if (!this.any) return undefined;
    const { provider } = deployment;
    const things = [...pauseNamesOf(deployment), pausedThing({ kind: "provider", target: provider })];
    return things.map((thing) => this.#inForce(thing)).find((pause) => pause !== undefined);
  }

  admit({ id: target }: { readonly id: string }): void {
    const pause = this.any ? this.#inForce(pausedThing({ kind: "key", target })) : undefined;
    if (pause !== undefined) throw keyPaused(pause);
  }

  /** Begins a pause; one of the same thing gives way to it. @throws what the store does when it cannot be written */
  async add(pause: NewPause): Promise<Pause> {
    const { newId, now } = this.#options;
    const added: Pause = {
      id: `pause_${newId()}`,
      ...pause,
      created_at: new Date(now()).toISOString(),
    };
    await this.#change((pauses) => [
      ...pauses.filter((one) => pausedThing(one) !== pausedThing(added)),
      added,
    ]);
    return added;
  }

  /** Ends a pause before its time. @throws SextantError `not_found` when none in force has the id */
  async end(id: string): Promise<Pause> {
    await this.refresh();
    const pause = this.list().find((one) => one.id === id);
    if (pause === undefined) {
      throw new SextantError(
        "not_found",
        `No pause in force has the id ${JSON.stringify(id.slice(0, 80))}. It may have ended: \`sextant pauses list\` and ` +
          "GET /admin/pauses show those in force.",
      );
    }
    await this.#change((pauses) => pauses.filter((one) => one.id !== id));
    return pause;
  }

  /** Reads the store again. @throws StorageError; those known so far then stay in force */
  async refresh(): Promise<void> {
    const text = await this.#store.get(ENTRY);
    if (text === this.#text) return;
    this.#byThing = new Map(this.#parse(text).map((pause) => [pausedThing(pause), pause]));
    this.#text = text;
  }

  /** Leaves out what has ended meanwhile. */
  async #change(change: (pauses: readonly Pause[]) => readonly Pause[]): Promise<void> {
    await this.#store.update(ENTRY, (text) => {
      const nowMs = this.#options.now();
      const pauses = change(this.#parse(text)).filter((pause) => !hasEnded(pause, nowMs));
      return JSON.stringify({ version: 1, pauses });
    });
    await this.refresh();
  }

  #parse(text: string | undefined): readonly Pause[] {
    if (text === undefined) return [];
    try {
      return storedSchema.parse(JSON.parse(text)).pauses;
    } catch (cause) {
      throw new StorageError(
        `${this.#store.name} has no readable list of pauses. Restore it from a backup, or pause and end everything again.`,
        { cause },
      );
    }
  }

  #inForce(thing: string): Pause | undefined {
    const pause = this.#byThing.get(thing);
    return pause === undefined || hasEnded(pause, this.#options.now()) ? undefined : pause;
  }
}
