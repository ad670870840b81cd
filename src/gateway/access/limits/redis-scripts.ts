/**
 * The scripts that run inside Redis, each atomically.
 *
 * KEYS: 1. the minute of a principal, a hash of `start` (milliseconds since the epoch), `requests` and `tokens`;
 * 2. its spending of a period in billionths of a dollar. Amounts are handed on as the texts they came as, because Lua writes large
 * numbers with an exponent.
 */

import { MINUTE_MS, MOST_COUNTED } from "./counters.js";

/** Keys outlive what they count by far enough that no correction misses them. */
const MINUTE_KEY_MS = 2 * MINUTE_MS;
const SPEND_KEY_MS = 40 * 86_400_000;

const NOW = `
if now == nil then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end`;

/** The counts of the minute, if one runs. */
const RUNNING_MINUTE = `
  local minute = redis.call('HMGET', KEYS[1], 'start', 'requests', 'tokens')
  local age = now - tonumber(minute[1] or 0)
  if age >= 0 and age < ${MINUTE_MS} then
    start, used_requests, used_tokens = tonumber(minute[1]), tonumber(minute[2]), tonumber(minute[3])
  end`;

/**
 * ARGV: 1.–3. limits of requests, tokens and spending, -1 for none; 4. tokens; 5. cost; 6. the time in milliseconds,
 * empty for that of Redis, which all instances share.
 *
 * Returns what refused it (0 nothing, 1 budget, 2 requests, 3 tokens), requests, tokens, start of the minute, its
 * remaining milliseconds, and spending.
 */
export const CLAIM_SCRIPT = `
local most_requests, most_tokens, most_cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local tokens, cost = tonumber(ARGV[4]), tonumber(ARGV[5])
local now = tonumber(ARGV[6])${NOW}
local by_minute = most_requests >= 0 or most_tokens >= 0
local start, used_requests, used_tokens, spent = 0, 0, 0, 0
if by_minute then${RUNNING_MINUTE}
end
if most_cost >= 0 then spent = tonumber(redis.call('GET', KEYS[2]) or 0) end
local refused = 0
if most_cost >= 0 and spent + cost > most_cost then refused = 1
elseif most_requests >= 0 and used_requests + 1 > most_requests then refused = 2
elseif most_tokens >= 0 and used_tokens + tokens > most_tokens then refused = 3
end
if refused == 0 then
  if by_minute then
    if start == 0 then
      start = now
      redis.call('DEL', KEYS[1])
      redis.call('HSET', KEYS[1], 'start', string.format('%.0f', now), 'requests', '0', 'tokens', '0')
      redis.call('PEXPIRE', KEYS[1], '${MINUTE_KEY_MS}')
    end
    used_requests = redis.call('HINCRBY', KEYS[1], 'requests', '1')
    used_tokens = redis.call('HINCRBY', KEYS[1], 'tokens', ARGV[4])
  end
  if most_cost >= 0 then
    spent = redis.call('INCRBY', KEYS[2], ARGV[5])
    redis.call('PEXPIRE', KEYS[2], '${SPEND_KEY_MS}')
  end
end
local left = 0
if start > 0 then left = start + ${MINUTE_MS} - now end
return {refused, used_requests, used_tokens, start, left, spent}
`;

/** ARGV: 1. the time, as of a claim. Returns requests, tokens and spending. */
export const USED_SCRIPT = `
local now = tonumber(ARGV[1])${NOW}
local start, used_requests, used_tokens = 0, 0, 0${RUNNING_MINUTE}
return {used_requests, used_tokens, tonumber(redis.call('GET', KEYS[2]) or 0)}
`;

/** ARGV: 1. start of the minute, 0 for none; 2.–4. what to add to requests, tokens and spending. */
export const CORRECT_SCRIPT = `
local most = ${MOST_COUNTED}
if ARGV[1] ~= '0' and redis.call('HGET', KEYS[1], 'start') == ARGV[1] then
  redis.call('HINCRBY', KEYS[1], 'requests', ARGV[2])
  local tokens = redis.call('HINCRBY', KEYS[1], 'tokens', ARGV[3])
  if tokens > most then redis.call('HSET', KEYS[1], 'tokens', string.format('%.0f', most)) end
end
if ARGV[4] ~= '0' then
  local spent = redis.call('INCRBY', KEYS[2], ARGV[4])
  -- Less than nothing is left of a key that Redis threw away: it would be a gift on top of the budget.
  if spent < 0 then redis.call('SET', KEYS[2], '0') end
  if spent > most then redis.call('SET', KEYS[2], string.format('%.0f', most)) end
  redis.call('PEXPIRE', KEYS[2], '${SPEND_KEY_MS}')
end
return 1
`;

/** KEYS: a set. ARGV: 1. a member to add; 2. how many there are at most: any other makes room for it. */
export const ADD_BOUNDED = `
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) and redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then
  redis.call('SPOP', KEYS[1])
end
redis.call('SADD', KEYS[1], ARGV[1])`;
