import { StorageError } from "../../foundation/errors.js";
import { AskedRedis } from "../../foundation/redis.js";
import type { Change, EntryName, LogEntry, LogOptions, PutOptions, Store } from "./store.js";

/** Other processes would have to change an entry as often, each time between two commands. */
const MOST_TRIES = 50;

const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
local left = tonumber(ARGV[3]) or redis.call('PTTL', KEYS[1])
if left > 0 then redis.call('SET', KEYS[1], ARGV[2], 'PX', left) else redis.call('SET', KEYS[1], ARGV[2]) end
return 1`;

/** Counts a key as the newest of its kind, and answers which is one too many. */
const COUNT = `
local newest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
redis.call('ZADD', KEYS[1], (newest[2] or 0) + 1, ARGV[1])
if ARGV[3] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return redis.call('ZCARD', KEYS[1]) > tonumber(ARGV[2]) and redis.call('ZPOPMIN', KEYS[1])[1]`;

/** Entries of a log begin with their number. */
const APPEND = `
local last = redis.call('LINDEX', KEYS[1], -1)
local sequence = last and tonumber(string.match(last, '^%d+')) or 0
redis.call('RPUSH', KEYS[1], string.format('%.0f', sequence + 1) .. ' ' .. ARGV[1])
if ARGV[2] ~= '' then redis.call('LTRIM', KEYS[1], -tonumber(ARGV[2]), -1) end`;

/** Redis 5 or newer, for all instances of a fleet, under keys that start with `sextant:`. Methods reject with `RedisUnavailableError`. */
export class RedisStore implements Store {
  readonly name = "Redis";
  readonly #redis: AskedRedis;

  constructor(url: string) {
    // The limits, which count there too, log what is wrong with it.
    this.#redis = new AskedRedis(url);
  }

  async get(entry: EntryName): Promise<string | undefined> {
    return (await this.#redis.ask((redis) => redis.get(keyOf(entry)))) ?? undefined;
  }

  async put(entry: EntryName, value: string, { ttlMs, kept }: PutOptions = {}): Promise<void> {
    const { kind } = entry;
    const key = keyOf(entry);
    await this.#redis.ask(async (redis) => {
      await (ttlMs === undefined ? redis.set(key, value) : redis.set(key, value, "PX", ttlMs));
      if (kept === undefined) return;
      const over = await redis.eval(
        COUNT,
        1,
        keyOf({ kind: "kept", key: kind }),
        entry.key,
        kept,
        ttlMs ?? "",
      );
      if (over !== null) await redis.del(keyOf({ kind, key: String(over) }));
    });
  }

  async update(entry: EntryName, change: Change, { ttlMs }: Pick<PutOptions, "ttlMs"> = {}): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const before = await this.get(entry);
      const changed = change(before);
      if (changed === undefined) return;
      const replaced = await this.#redis.ask((redis) =>
        redis.eval(REPLACE, 1, keyOf(entry), before ?? "", changed, ttlMs ?? ""),
      );
      if (replaced === 1) return;
    }
    throw new StorageError(`${keyOf(entry)} changes too often to be changed. Try again.`);
  }

  async append(log: string, value: string, { kept }: LogOptions = {}): Promise<void> {
    await this.#redis.ask((redis) => redis.eval(APPEND, 1, logKeyOf(log), value, String(kept ?? "")));
  }

  async entries(log: string, after = 0): Promise<readonly LogEntry[]> {
    const texts = await this.#redis.ask((redis) => redis.lrange(logKeyOf(log), 0, -1));
    return texts
      .map((text) => ({ sequence: Number.parseInt(text, 10), value: text.slice(text.indexOf(" ") + 1) }))
      .filter(({ sequence }) => sequence > after);
  }

  close(): Promise<void> {
    return this.#redis.close();
  }
}

const keyOf = ({ kind, key }: EntryName): string => `sextant:${kind}:${key}`;
const logKeyOf = (log: string): string => `sextant:${log}`;
