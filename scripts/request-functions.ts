/**
 * `npm run count:functions`: how many of our functions, in how many files of `src`, one request runs on the main thread of the
 * built gateway, with its trace. Counted by V8 after warming up, so the numbers are the same in every run; build first.
 * `--list 'named chat'` also names the functions of one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { eventReply, jsonReply, type Script, UpstreamServer } from "../test/fakes/upstream-server.js";

/** What one request ran. */
export interface RequestCount {
  readonly functions: number;
  readonly files: number;
  /** Calls of those functions. */
  readonly calls: number;
  /** `file: function` of each, by file. */
  readonly places: readonly string[];
}

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
const MODELS = ["gpt-5.4-mini", "gpt-4.1", "claude-haiku-4-5"];
const messages = [{ role: "user", content: "What is the capital of Norway?" }];

export const REQUESTS = {
  "named chat": { path: "/v1/chat/completions", body: { model: "gpt-4.1", messages } },
  "named chat, streamed": {
    path: "/v1/chat/completions",
    body: { model: "gpt-4.1", messages, stream: true },
  },
  "auto chat": { path: "/v1/chat/completions", body: { model: "auto", messages } },
  decision: { path: "/v1/router", body: { messages, execute: false } },
} as const;
export type RequestName = keyof typeof REQUESTS;

const USAGE = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
const message = { role: "assistant", content: "Oslo." };
const chunk = (choices: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, choices, ...more })}\n\n`;
const upstream: Script = (exchange) => {
  const { model, stream } = JSON.parse(exchange.request.body);
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const whole = { id: "1", object: "chat.completion", created: 1, model, choices, usage: USAGE };
  const events = [
    chunk([{ index: 0, delta: message, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
    chunk([], { usage: USAGE }),
    "data: [DONE]\n\n",
  ];
  return (stream === true ? eventReply(events.join("")) : jsonReply(whole))(exchange);
};

/** Loaded into the gateway: counts from the start, and sends what ran since the last message. */
const COUNTER = `
import { Session } from "node:inspector/promises";
import { isMainThread } from "node:worker_threads";
if (isMainThread) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  process.on("message", async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    process.send(result.filter(({ url }) => url.includes("/dist/") && !url.includes("/node_modules/")));
  });
  process.channel.unref();
}`;

interface Ran {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

interface Executed {
  /** From `src/`. */
  readonly file: string;
  readonly name: string;
  readonly calls: number;
}

/** The functions of `src` that ran since the last question, by their place in `dist`. */
async function ran(gateway: ChildProcess): Promise<ReadonlyMap<string, Executed>> {
  const answered = once(gateway, "message");
  gateway.send("count");
  const [scripts] = (await answered) as [readonly Ran[]];
  const executed = new Map<string, Executed>();
  for (const { url, functions } of scripts) {
    const path = fileURLToPath(url);
    // What only hands on names of other files has no map.
    if (!existsSync(`${path}.map`)) continue;
    for (const { functionName: name, ranges } of functions) {
      const [{ startOffset, count: calls } = { startOffset: 0, count: 0 }] = ranges;
      const file = calls === 0 ? undefined : sourceOf(path, startOffset)?.split("/src/")[1];
      if (file !== undefined) executed.set(`${path}:${startOffset}`, { file, name, calls });
    }
  }
  return executed;
}

const maps = new Map<string, { readonly map: SourceMap; readonly lineStarts: readonly number[] }>();

/** The source file of a place in a bundled file. */
function sourceOf(path: string, offset: number): string | undefined {
  const known = maps.get(path) ?? readMap(path);
  maps.set(path, known);
  const line = known.lineStarts.findLastIndex((start) => start <= offset);
  const entry = known.map.findEntry(line, offset - (known.lineStarts[line] ?? 0));
  return "originalSource" in entry ? entry.originalSource : undefined;
}

function readMap(path: string) {
  const lineStarts = [0, ...[...readFileSync(path, "utf8").matchAll(/\n/g)].map(({ index }) => index + 1)];
  return { map: new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8"))), lineStarts };
}

/** @throws Error when the gateway does not start or refuses a request */
export async function countRequests(): Promise<Readonly<Record<RequestName, RequestCount>>> {
  const folder = mkdtempSync(join(tmpdir(), "sextant-functions-"));
  const server = await UpstreamServer.start();
  server.answer(upstream);
  const models = MODELS.map((id) => ({ id, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 4 } }));
  const provider = { id: "upstream", type: "openai-compatible", base_url: `${server.origin}/v1`, models };
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers: [provider] }));
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  const counter = `data:text/javascript,${encodeURIComponent(COUNTER)}`;
  const gateway = spawn(process.execPath, ["--import", counter, main, "serve"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: join(folder, "data"),
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "silent",
    },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  try {
    const address = await addressOf(gateway);
    const requests = Object.entries(REQUESTS);
    for (let time = 0; time < WARM_UP_REQUESTS; time++) {
      for (const [, request] of requests) await ask(address, request);
    }
    await wait(SETTLED_MS);
    await ran(gateway);
    await wait(IDLE_MS);
    const idle = await ran(gateway);
    const counted: [string, RequestCount][] = [];
    for (const [name, request] of requests) {
      const times: ReadonlyMap<string, Executed>[] = [];
      while (times.length < COUNTED_TIMES) {
        await ask(address, request);
        await wait(SETTLED_MS);
        times.push(await ran(gateway));
      }
      const [executed = new Map<string, Executed>(), ...others] = times;
      const isCounted = (place: string) => !idle.has(place) && others.every((other) => other.has(place));
      counted.push([
        name,
        countOf([...executed].flatMap(([place, found]) => (isCounted(place) ? [found] : []))),
      ]);
    }
    return Object.fromEntries(counted) as Record<RequestName, RequestCount>;
  } finally {
    gateway.kill();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function addressOf(gateway: ChildProcess): Promise<string> {
  let printed = "";
  for await (const piece of gateway.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    printed += String(piece);
    const address = /sextant listening on (\S+)\n/.exec(printed)?.[1];
    if (address !== undefined) {
      gateway.stdout?.resume();
      return address;
    }
  }
  throw new Error(`The gateway ended before it listened: ${printed}`);
}

const WARM_UP_REQUESTS = 5;
/** What does not run each time is a timer's. */
const COUNTED_TIMES = 3;
/** Within it the trace of a request is written. */
const SETTLED_MS = 500;
/** Within it everything runs once that runs without requests: their functions are not counted. */
const IDLE_MS = 5_000;

interface Request {
  readonly path: string;
  readonly body: object;
}

async function ask(address: string, { path, body }: Request): Promise<void> {
  const headers = { "x-api-key": KEY, "content-type": "application/json" };
  const response = await fetch(`${address}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
}

const countOf = (executed: readonly Executed[]): RequestCount => ({
  functions: executed.length,
  files: new Set(executed.map(({ file }) => file)).size,
  calls: executed.reduce((sum, { calls }) => sum + calls, 0),
  places: executed.map(({ file, name }) => `${file}: ${name === "" ? "(unnamed)" : name}`).sort(),
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const listed = process.argv[2] === "--list" ? process.argv[3] : undefined;
  for (const [name, { functions, files, calls, places }] of Object.entries(await countRequests())) {
    console.log(`${name.padEnd(22)} ${functions} functions in ${files} files, ${calls} calls`);
    if (name === listed) console.log(places.join("\n"));
  }
}
