import { Pool } from "undici";
import { makePrompt, seededRandom } from "../latency/prompts.js";

/** Chunks of content in every streamed answer. */
export const CHUNKS = 128;

/**
 * A chat completion, whole or as a stream, or a decision without one, of prompts that differ. A stream is sent chunk by chunk, as fast
 * as it is taken (`stream-paced`), or a chunk every `CHUNK_MS` (`stream-timed`), as a model generates.
 */
export type Shape = "json" | "stream-paced" | "stream-timed" | "decision";

export const CHUNK_MS = 20;

export interface Target {
  readonly name: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What it wants before the model's name. */
  readonly modelPrefix?: string;
}

export interface Load {
  readonly shape: Shape;
  readonly connections: number;
  readonly requests: number;
}

export interface LoadResult {
  /** Milliseconds to the end of the answer, sorted. */
  readonly latencies: readonly number[];
  /** Milliseconds to the first chunk with content, sorted; empty without streams. */
  readonly firstContents: readonly number[];
  /** Milliseconds from one piece of content to the next, sorted; empty without streams. */
  readonly gaps: readonly number[];
  readonly requestsPerSecond: number;
}

const DECISION_PROMPTS = 64;
const DECISION_WORDS = 45;

const QUESTION = "Summarise in two sentences why the sky is blue, for a child of eight who likes to ask why.";

/** Requests that are sent in turn. */
function bodiesOf(shape: Shape, modelPrefix: string): readonly string[] {
  if (shape !== "decision") return [chatBody(shape, modelPrefix)];
  const random = seededRandom(3);
  return Array.from({ length: DECISION_PROMPTS }, (_, topic) => {
    const content = makePrompt(topic, DECISION_WORDS, random);
    return JSON.stringify({ messages: [{ role: "user", content }], cost_weight: 0.3, execute: false });
  });
}

function chatBody(shape: Shape, modelPrefix: string): string {
  return JSON.stringify({
    model: `${modelPrefix}gpt-4o-mini`,
    messages: [
      { role: "system", content: "You answer briefly." },
      { role: "user", content: QUESTION },
    ],
    temperature: 0.2,
    max_tokens: 256,
    ...(shape === "json" ? {} : { stream: true }),
    // The upstream reads the pacing from a field that every gateway passes on.
    ...(shape === "json" ? {} : { user: shape }),
  });
}

/**
 * Sends that many requests over that many connections, one at a time each.
 *
 * @throws Error when an answer is not a success or not whole
 */
export async function sendLoad(target: Target, load: Load): Promise<LoadResult> {
  const pool = new Pool(target.address, { connections: load.connections, pipelining: 1 });
  const bodies = bodiesOf(load.shape, target.modelPrefix ?? "");
  const latencies: number[] = [];
  const firstContents: number[] = [];
  const gaps: number[] = [];
  let left = load.requests;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const body = bodies[left % bodies.length] ?? "";
      const started = performance.now();
      const contents = await sendOne(pool, { target, body, shape: load.shape });
      latencies.push(performance.now() - started);
      const [first] = contents;
      if (first !== undefined) firstContents.push(first - started);
      gaps.push(...contents.slice(1).map((at, index) => at - (contents[index] ?? at)));
    }
  };
  const sleep = stayAwake();
  const started = performance.now();
  try {
    await Promise.all(Array.from({ length: load.connections }, worker));
  } finally {
    sleep();
  }
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  const sorted = (values: number[]) => values.sort((a, b) => a - b);
  return {
    latencies: sorted(latencies),
    firstContents: sorted(firstContents),
    gaps: sorted(gaps),
    requestsPerSecond: load.requests / seconds,
  };
}

interface OneRequest {
  readonly target: Target;
  readonly body: string;
  readonly shape: Shape;
}

/** @returns when each piece of content came; none for what is not streamed */
async function sendOne(pool: Pool, { target, body, shape }: OneRequest): Promise<readonly number[]> {
  const reply = await pool.request({
    path: shape === "decision" ? "/v1/router" : "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", ...target.headers },
    body,
  });
  if (reply.statusCode !== 200)
    throw new Error(`${target.name}: ${reply.statusCode} ${await reply.body.text()}`);
  if (shape === "json" || shape === "decision") {
    const text = await reply.body.text();
    if (shape === "json" && !text.includes("An answer."))
      throw new Error(`${target.name}: not the answer: ${text.slice(0, 200)}`);
    return [];
  }
  const contents: number[] = [];
  let tail = "";
  let words = 0;
  for await (const part of reply.body) {
    const text = String(part);
    const found = text.split('" word').length - 1;
    if (found > 0) contents.push(performance.now());
    words += found;
    tail = (tail + text).slice(-64);
  }
  // A word may be split between two reads; the end may not be missing.
  if (!tail.includes("[DONE]") || words < CHUNKS * 0.9)
    throw new Error(`${target.name}: the stream is not whole`);
  return contents;
}

/** Keeps this process from waiting, because a server pays for waking a sleeping client (see bench/README.md). */
function stayAwake(): () => void {
  let awake = true;
  const turn = (): void => {
    if (awake) setImmediate(turn);
  };
  turn();
  return () => {
    awake = false;
  };
}
