import { connectRedis, type Redis, whenConnected } from "../../foundation/redis.js";
import { hasEnded, type Pause, pausedThing, pauseSchema } from "./pause.js";
import type { PauseState, PauseStore } from "./pause-store.js";

const KEY = "sextant:pauses";

/** Pauses in a hash of Redis, by what is paused, so that all instances of a fleet have the same. */
export class RedisPauses implements PauseStore {
  readonly #redis: Redis;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(url: string, now: () => number) {
    this.#now = now;
    this.#redis = connectRedis(url);
    // Without a listener, an error of the connection would end the process. Whoever asks gets it too.
    this.#redis.on("error", () => {});
  }

  async read(knownStamp?: string): Promise<PauseState | undefined> {
    await whenConnected(this.#redis);
    const texts = Object.values(await this.#redis.hgetall(KEY)).sort();
    const stamp = texts.join("\n");
    if (stamp === knownStamp) return undefined;
    // What another version has written in another shape is not in force here.
    const pauses = texts.flatMap((text) => pauseSchema.safeParse(JSON.parse(text)).data ?? []);
    return { pauses, stamp };
  }

  async put(pause: Pause): Promise<void> {
    const nowMs = this.#now();
    const ended = ((await this.read())?.pauses ?? []).filter((one) => hasEnded(one, nowMs));
    if (ended.length > 0) await this.#redis.hdel(KEY, ...ended.map(pausedThing));
    await this.#redis.hset(KEY, pausedThing(pause), JSON.stringify(pause));
  }

  async remove(pause: Pause): Promise<void> {
    await this.#redis.hdel(KEY, pausedThing(pause));
  }

  async close(): Promise<void> {
    await this.#redis.quit().catch(() => {});
    this.#redis.disconnect();
  }
}
