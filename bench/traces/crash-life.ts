import { setTimeout as sleep } from "node:timers/promises";
import type { Gateway } from "./gateway.js";
import { sendPaced } from "./paced-load.js";
import { tracePage } from "./trace-pages.js";

/** Between two looks at what can be seen. */
const LOOK_MS = 100;

export interface LifeOptions {
  readonly bodies: readonly string[];
  readonly perSecond: number;
  /** From the first request to the kill. */
  readonly ms: number;
}

/** What was seen of a gateway from its first request until it was killed. */
export interface Life {
  /** Milliseconds since the epoch, before its first request. */
  readonly startMs: number;
  /** For every answered request, milliseconds before the kill at which its answer was there. */
  readonly answered: ReadonlyMap<string, number>;
  /** Ids that searches found before the kill. */
  readonly visible: ReadonlySet<string>;
}

/** Sends a gateway routing requests, looks at its traces meanwhile, and kills it. */
export async function liveAndDie(gateway: Gateway, { bodies, perSecond, ms }: LifeOptions): Promise<Life> {
  const startMs = Date.now();
  const answeredAt = new Map<string, number>();
  const visible = new Set<string>();
  const end = new AbortController();
  const { address } = gateway;
  const load = sendPaced({
    address,
    bodies,
    perSecond,
    seconds: Number.POSITIVE_INFINITY,
    signal: end.signal,
    onAnswer: (text) => answeredAt.set(requestIdOf(text), performance.now()),
  });
  const look = async () => {
    while (!end.signal.aborted) {
      const page = await tracePage(gateway, { startMs });
      // What comes after the kill was sent before it, too: it had been visible.
      for (const id of page.ids) visible.add(id);
      await sleep(LOOK_MS);
    }
  };
  const looking = look().catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  const killed = sleep(ms).then(() => {
    end.abort();
    const atMs = performance.now();
    return gateway.kill().then(() => atMs);
  });
  const [atMs] = await Promise.all([killed, load, looking]);
  const answered = new Map([...answeredAt].map(([id, at]) => [id, Math.max(0, atMs - at)]));
  return { startMs, answered, visible };
}

function requestIdOf(text: string): string {
  const id = /"request_id":"(req_[0-9A-Z]{26})"/.exec(text)?.[1];
  if (id === undefined) throw new Error("an answer has no request id");
  return id;
}
