import { type Dispatcher, Pool } from "undici";

/** Requests of one kind. */
export interface Traffic {
  readonly address: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: readonly string[];
}

export interface OpenLoopLoad {
  readonly perSecond: number;
  readonly seconds: number;
  /** Aborts requests that are not answered this long after the last one was sent. */
  readonly drainMs: number;
  /** Open connections. */
  readonly connections: number;
}

/** What became of the requests that were sent. Latencies are in milliseconds from sending, a wait for a connection included. */
export interface OpenLoopResult {
  readonly sent: number;
  readonly seconds: number;
  /** How late requests were sent, in milliseconds: what this process was kept waiting for the processor. */
  readonly sentLate: readonly number[];
  /** Of answers with status 200. */
  readonly accepted: readonly number[];
  /** How many of them were answered while the load lasted: a backlog that is worked off later does not count. */
  readonly acceptedInTime: number;
  /** Of answers with status 503. */
  readonly refused: readonly number[];
  /** Refusals with the code `overloaded` and a `Retry-After` header. */
  readonly refusedWell: number;
  /** Answers with another status, by status. */
  readonly others: Readonly<Record<string, number>>;
  /** Requests without an answer: connection errors, and those that were still waiting at the end. */
  readonly unanswered: number;
}

/** Pause between two looks at the clock. Requests that became due meanwhile are sent together. */
const TICK_MS = 2;

const OPENED_AT_ONCE = 128;
const CONNECT_MS = 60_000;

/** Sends requests at a fixed rate, whether earlier ones are answered or not. */
export async function sendOpenLoop(
  { address, path, headers, bodies }: Traffic,
  { perSecond, seconds, drainMs, connections }: OpenLoopLoad,
): Promise<OpenLoopResult> {
  const pool = await openPool(address, connections);
  const tally = newTally();
  const waiting = new Set<Promise<void>>();
  const started = performance.now();
  const endMs = started + 1000 * seconds;
  const elapsed = (): number => (performance.now() - started) / 1000;
  const sentLate: number[] = [];
  let sent = 0;
  while (elapsed() < seconds) {
    const due = Math.floor(elapsed() * perSecond);
    for (; sent < due; sent++) {
      sentLate.push(performance.now() - started - (sent / perSecond) * 1000);
      const options: Dispatcher.RequestOptions = {
        ...{ path, method: "POST" },
        ...{
          headers: { ...headers, "content-type": "application/json" },
          body: bodies[sent % bodies.length] ?? null,
        },
      };
      const answered: Promise<void> = sendOne(pool, options, { tally, endMs }).finally(() =>
        waiting.delete(answered),
      );
      waiting.add(answered);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const lasted = elapsed();
  // Not by a signal in each request: thousands that listen to one make every request search them all.
  const timer = setTimeout(() => void pool.destroy(), drainMs);
  await Promise.all(waiting);
  clearTimeout(timer);
  await pool.destroy();
  return { ...tally, sent, sentLate, seconds: lasted };
}

/**
 * A pool whose connections are all open, as those of many clients that keep theirs. Node accepts one new connection a turn of
 * its event loop, so that clients that open one for each request would measure that alone.
 */
async function openPool(address: string, connections: number): Promise<Pool> {
  const pool = new Pool(address, {
    ...{ connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 },
    connect: { timeout: CONNECT_MS },
  });
  const probe = async (): Promise<void> => {
    const { body } = await pool.request({ path: "/healthz", method: "GET" });
    await body.dump();
  };
  // A few at a time, since more would overflow the server's backlog of connections.
  for (let open = 0; open < connections; open += OPENED_AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(open + OPENED_AT_ONCE, connections) }, probe));
  return pool;
}

type Tally = ReturnType<typeof newTally>;

function newTally() {
  return {
    accepted: [] as number[],
    acceptedInTime: 0,
    refused: [] as number[],
    others: {} as Record<string, number>,
    refusedWell: 0,
    unanswered: 0,
  };
}

async function sendOne(
  pool: Pool,
  options: Dispatcher.RequestOptions,
  { tally, endMs }: { readonly tally: Tally; readonly endMs: number },
): Promise<void> {
  const sentMs = performance.now();
  try {
    const { statusCode, headers, body } = await pool.request(options);
    if (statusCode === 200) {
      await body.dump({ limit: Number.POSITIVE_INFINITY });
      const now = performance.now();
      tally.accepted.push(now - sentMs);
      if (now <= endMs) tally.acceptedInTime += 1;
    } else {
      const text = await body.text();
      if (statusCode === 503) {
        tally.refused.push(performance.now() - sentMs);
        if (headers["retry-after"] !== undefined && text.includes('"overloaded"')) tally.refusedWell += 1;
      } else tally.others[statusCode] = (tally.others[statusCode] ?? 0) + 1;
    }
  } catch {
    tally.unanswered += 1;
  }
}
