import { AskedRedis } from "./redis.js";
import type { SharedText } from "./shared-text.js";

const MOST_TRIES = 50;

const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
if ARGV[3] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 1`;

interface RedisTextOptions {
  readonly key: string;
  /** Milliseconds after the last change at which it goes; default: it stays. */
  readonly keptMs?: number | undefined;
}

/** In one key of Redis, for all instances of a fleet. Methods reject with `RedisUnavailableError`. */
export function textInRedis(url: string, { key, keptMs }: RedisTextOptions): SharedText {
  const redis = new AskedRedis(url);
  const read = async () => (await redis.ask((client) => client.get(key))) ?? undefined;
  return {
    name: `${key} in Redis`,
    read,
    async update(change) {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const before = await read();
        const text = change(before);
        if (text === undefined) return;
        const replaced = await redis.ask((client) =>
          client.eval(REPLACE, 1, key, before ?? "", text, String(keptMs ?? "")),
        );
        if (replaced === 1) return;
      }
      throw new Error(`${key} changes too often to be changed.`);
    },
    close: () => redis.close(),
  };
}
