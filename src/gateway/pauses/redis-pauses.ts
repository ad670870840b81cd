import { AskedRedis } from "../../foundation/redis.js";
import { hasEnded, type Pause, pausedThing, pauseSchema } from "./pause.js";
import type { PauseState, PauseStore } from "./pause-store.js";

const KEY = "sextant:pauses";

/** Pauses in a hash of Redis, by what is paused, so that all instances of a fleet have the same. */
export class RedisPauses implements PauseStore {
  readonly #redis: AskedRedis;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(url: string, now: () => number) {
    this.#now = now;
    this.#redis = new AskedRedis(url);
  }

  async read(knownStamp?: string): Promise<PauseState | undefined> {
    const texts = Object.values(await this.#redis.ask((redis) => redis.hgetall(KEY))).sort();
    const stamp = texts.join("\n");
    if (stamp === knownStamp) return undefined;
    // What another version has written in another shape is not in force here.
    const pauses = texts.flatMap((text) => pauseSchema.safeParse(JSON.parse(text)).data ?? []);
    return { pauses, stamp };
  }

  async put(pause: Pause): Promise<void> {
    const nowMs = this.#now();
    const ended = ((await this.read())?.pauses ?? []).filter((one) => hasEnded(one, nowMs)).map(pausedThing);
    await this.#redis.ask(async (redis) => {
      if (ended.length > 0) await redis.hdel(KEY, ...ended);
      await redis.hset(KEY, pausedThing(pause), JSON.stringify(pause));
    });
  }

  async remove(pause: Pause): Promise<void> {
    await this.#redis.ask((redis) => redis.hdel(KEY, pausedThing(pause)));
  }

  close(): Promise<void> {
    return this.#redis.close();
  }
}
