import { AskedRedis } from "../../foundation/redis.js";
import type { AlertStore } from "./alert-store.js";

const KEY = "sextant:alerts";
/** Nothing of it matters longer once no instance looks after it. */
const KEPT_MS = String(30 * 86_400_000);
const MOST_TRIES = 50;

const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** One key of Redis, so that one instance of a fleet sends an alert. Methods reject with `RedisUnavailableError`. */
export function redisAlerts(url: string): AlertStore {
  const redis = new AskedRedis(url);
  const read = async () => (await redis.ask((client) => client.get(KEY))) ?? undefined;
  return {
    read,
    async update(change) {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const before = await read();
        const text = change(before);
        if (text === undefined) return;
        const replaced = await redis.ask((client) =>
          client.eval(REPLACE, 1, KEY, before ?? "", text, KEPT_MS),
        );
        if (replaced === 1) return;
      }
      throw new Error("The state of alerts changes too often to be changed.");
    },
    close: () => redis.close(),
  };
}
