import { monotonicFactory } from "ulid";

const POOL_BYTES = 2048;

export interface IdSources {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

/**
 * A generator of ULIDs behind `start`: 26 characters that sort by time, and by order of creation within a millisecond.
 *
 * Random bytes are drawn 2,048 at a time, because one draw costs more than the whole rest of an id.
 */
export function createUlidGenerator({ now, randomBytes }: IdSources, start = ""): () => string {
  let pool = randomBytes(POOL_BYTES);
  let next = 0;
  const nextUlid = monotonicFactory(() => {
    if (next === pool.length) {
      pool = randomBytes(POOL_BYTES);
      next = 0;
    }
    return (pool[next++] ?? 0) / 256;
  });
  return () => start + nextUlid(now());
}

const REQUEST_ID_START = "req_";

export const createRequestIdGenerator = (sources: IdSources) =>
  createUlidGenerator(sources, REQUEST_ID_START);

/** The ULID inside a request id, from which the ids of answers are made. */
export const ulidOf = (requestId: string): string => requestId.slice(REQUEST_ID_START.length);
