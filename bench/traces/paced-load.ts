import { Pool } from "undici";
import { seededRandom } from "../../src/foundation/random.js";
import { makePrompt } from "../latency/prompts.js";
import { AUTHORIZATION } from "./gateway.js";

const CONNECTIONS = 64;
const WORDS = 45;
const BODIES = 64;
/** Maximum number of pending requests, so that a gateway that is too slow gets no more than it answers. */
const MOST_WAITING = 2000;

/** Among all that ship, a decision and its answer of 23 kB would keep one core busy at a thousand requests a second. */
const MODELS = ["gpt-4o-mini", "claude-3-5-sonnet-20241022", "gemini-1.5-flash-002", "llama-3.1-8b-instruct"];

/** Request bodies for routing, prepared so that sending costs the client little. */
export function routingBodies(seed: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: BODIES }, (_, topic) => {
    const content = makePrompt(topic, WORDS, random);
    const messages = [{ role: "user", content }];
    return JSON.stringify({ messages, models: MODELS, cost_weight: 0.3, execute: false });
  });
}

export interface PacedLoad {
  readonly address: string;
  readonly bodies: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** Called with the body of every answer; without it, bodies are passed over. */
  readonly onAnswer?: (text: string) => void;
}

export interface PacedResult {
  /** Milliseconds from sending to the end of the answer. */
  readonly latencies: readonly number[];
  /** Answers a second: below the pace when the gateway, or this process, is too slow. */
  readonly perSecond: number;
}

/**
 * Sends routing requests at a fixed pace, whether earlier ones are answered or not, so that a stalled gateway does not
 * receive fewer. Requests of the same millisecond are sent together.
 *
 * @throws Error when an answer is not a success
 */
export async function sendPaced(load: PacedLoad): Promise<PacedResult> {
  const pool = new Pool(load.address, { connections: CONNECTIONS, pipelining: 1 });
  const latencies: number[] = [];
  const waiting = new Set<Promise<void>>();
  const faults: unknown[] = [];
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  let sent = 0;
  let missed = 0;
  while (elapsed() < load.seconds && load.signal?.aborted !== true && faults.length === 0) {
    const due = Math.floor(elapsed() * load.perSecond) - missed;
    for (; sent < due && waiting.size < MOST_WAITING; sent++) {
      const answered = sendOne(pool, { load, body: load.bodies[sent % load.bodies.length] ?? "", latencies })
        .catch((error: unknown) => void faults.push(error))
        .finally(() => waiting.delete(answered));
      waiting.add(answered);
    }
    missed += Math.max(0, due - sent);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(waiting);
  const perSecond = latencies.length / elapsed();
  await pool.destroy();
  if (faults.length > 0 && load.signal?.aborted !== true) throw faults[0];
  return { latencies, perSecond };
}

interface OneRequest {
  readonly load: PacedLoad;
  readonly body: string;
  readonly latencies: number[];
}

async function sendOne(pool: Pool, { load, body, latencies }: OneRequest): Promise<void> {
  const started = performance.now();
  const reply = await pool.request({
    path: "/v1/router",
    method: "POST",
    headers: { "content-type": "application/json", ...AUTHORIZATION },
    body,
  });
  if (load.onAnswer === undefined) await reply.body.dump();
  else load.onAnswer(await reply.body.text());
  latencies.push(performance.now() - started);
  if (reply.statusCode !== 200) throw new Error(`a routing request was answered with ${reply.statusCode}`);
}
