/** SEXTANT_WORKERS: several processes behind one port, with one writer of traces and one count of limits. */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminProviderBody } from "../../src/gateway/api/providers.js";
import { CHAT_ONLY, eventReply, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { openStream } from "../gateway/server/chat/stream-client.js";
import { KEY } from "../gateway/server/server.js";
import { freePorts } from "../services/real-server.js";
import { newFolder, removeFolder, type ServerProcess, startServe } from "./server-process.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WORKERS = 2;
const ROUTED = ["sample-large", "sample-small"];
const ESTABLISHED = "01";
/** A start of all processes takes its time where others compute. */
const PATIENT = 120_000;

let folder: string;
let upstream: UpstreamServer;
let server: ServerProcess;

const setFolder = (name: string) => join(folder, "profiles", name);

const environment = () => ({
  SEXTANT_WORKERS: String(WORKERS),
  SEXTANT_BOOTSTRAP_API_KEY: KEY,
  SEXTANT_TRACE_FLUSH_MS: "20",
  SEXTANT_METRICS_KEY_NAMES: "true",
  SEXTANT_PROFILES: join(folder, "profiles"),
  OPENAI_API_KEY: "sk-test",
  OPENAI_BASE_URL: `${upstream.origin}/v1`,
});

/** Serves two of the profiled models, so that requests can be routed. */
const lab = () => ({
  id: "lab",
  type: "openai-compatible",
  base_url: `${upstream.origin}/v1`,
  models: ROUTED.map((id) => ({ id, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } })),
});

beforeAll(async () => {
  folder = newFolder();
  const [prompts, outcomes] = ["prompts", "outcomes"].map((name) =>
    join(ROOT, "datasets/sample", `${name}.jsonl`),
  );
  const build = [
    "profile",
    "build",
    "--prompts",
    prompts,
    "--outcomes",
    outcomes,
    "--out",
    setFolder("first"),
  ];
  execFileSync(process.execPath, [join(ROOT, "dist/cli/main.js"), ...build] as string[], { stdio: "ignore" });
  upstream = await UpstreamServer.start(CHAT_ONLY);
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers: [lab()] }));
  server = await startServe(folder, environment());
}, PATIENT);
afterAll(async () => {
  await server.stop();
  await upstream.close();
  removeFolder(folder);
});

const message = { role: "assistant", content: "Hello." };
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const completion = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message, finish_reason: "stop" }],
  usage,
};
const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;

interface Called {
  readonly key?: string;
  readonly method?: string;
  readonly body?: object;
}

/** On a connection of its own, so that it is the next worker's turn. */
async function call(path: string, { key = KEY, method, body }: Called = {}) {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const type = payload === undefined ? {} : { "content-type": "application/json" };
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(`${server.address}${path}`, {
      agent: false,
      method: method ?? (payload === undefined ? "GET" : "POST"),
      headers: { "x-api-key": key, ...type },
    });
    sent.on("error", reject);
    sent.on("response", (reply) => {
      let text = "";
      reply.setEncoding("utf8");
      reply.on("data", (piece: string) => {
        text += piece;
      });
      reply.on("error", reject);
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    sent.end(payload);
  });
  return { status, text, json: () => JSON.parse(text) };
}

const chat = (key?: string) =>
  call("/v1/chat/completions", {
    ...(key !== undefined && { key }),
    body: { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] },
  });

/** Process ids of the workers, in the order in which they were started. Linux only. */
function workerIds(): number[] {
  const { pid } = server.child;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .map(Number)
    .filter((id) => id > 0);
}

/** Milliseconds on a processor, of each worker's main thread. Linux only. */
async function processorTimes(): Promise<number[]> {
  const texts = workerIds().map((id) => readFile(`/proc/${id}/schedstat`, "utf8"));
  return (await Promise.all(texts)).map((text) => Number(text.split(" ")[0]) / 1e6);
}

/** Connections of clients on this machine that a server has accepted. Linux only. */
function connectionsTo(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return rows.filter(([, local, , state]) => local?.endsWith(suffix) && state === ESTABLISHED).length;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function countedChats(): Promise<number> {
  const { text } = await call("/metrics");
  return Number(/sextant_requests_total\{kind="chat",status="success".*\} (\d+)/.exec(text)?.[1] ?? 0);
}

const isTraced = async (id: string) => (await call(`/v1/traces/${id}`)).status === 200;

describe("A cluster of workers", () => {
  it("answers behind one port, which is announced once", async () => {
    expect(server.stdout().match(/sextant listening on/g)).toHaveLength(1);
    expect(workerIds()).toHaveLength(WORKERS);
    upstream.answer(jsonReply(completion));
    const idle = await processorTimes();
    for (let request = 0; request < 40; request++) expect((await chat()).status).toBe(200);
    const busy = await processorTimes();
    // Each has worked: connections are handed out in turn.
    for (const [index, ms] of busy.entries()) expect(ms - (idle[index] ?? 0)).toBeGreaterThan(1);
    expect((await call("/readyz")).json()).toMatchObject({
      status: "ready",
      parts: { traces: { ok: true }, limits: { ok: true, shared: true } },
    });
  });

  it("returns every trace from every worker", async () => {
    upstream.answer(jsonReply(completion));
    const ids: string[] = [];
    for (let request = 0; request < 4; request++) ids.push((await chat()).json().request_id);
    for (const id of ids) {
      await until(() => isTraced(id));
      for (let worker = 0; worker < WORKERS; worker++) {
        expect((await call(`/v1/traces/${id}`)).json()).toMatchObject({ request_id: id, status: "success" });
        const listed = (await call("/v1/traces?limit=1000")).json().traces;
        expect(listed.map(({ request_id }: { request_id: string }) => request_id)).toContain(id);
      }
    }
    const lines = (await call("/admin/traces/export")).text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).request_id)).toEqual(expect.arrayContaining(ids));
  });

  it("applies a key's limits together, and applies created and revoked keys at once", async () => {
    upstream.answer(jsonReply(completion));
    const body = { name: "limited", scopes: ["inference"], limits: { requests_per_minute: 5 } };
    const { key, id } = (await call("/admin/keys", { body })).json();
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () => chat(key).then(({ status }) => status)),
    );
    expect(statuses.sort()).toEqual([...Array(5).fill(200), ...Array(7).fill(429)]);
    expect((await call(`/admin/keys/${id}`, { method: "DELETE" })).status).toBe(200);
    for (let worker = 0; worker < 2 * WORKERS; worker++) expect((await chat(key)).status).toBe(401);
  });

  it("applies what is paused in every worker at once, and counts it once", async () => {
    upstream.answer(jsonReply(completion));
    const body = { kind: "model", target: "gpt-4o-mini", reason: "test" };
    const { id } = (await call("/admin/pauses", { body })).json();
    for (let worker = 0; worker < 2 * WORKERS; worker++) {
      const refused = await chat();
      expect([refused.status, refused.json().error.code]).toEqual([503, "model_paused"]);
      expect((await call("/metrics")).text).toContain('\nsextant_active_pauses{kind="model"} 1\n');
    }
    expect((await call(`/admin/pauses/${id}`, { method: "DELETE" })).status).toBe(200);
    for (let worker = 0; worker < 2 * WORKERS; worker++) expect((await chat()).status).toBe(200);
    expect((await call("/admin/events?kind=pause.started,pause.ended")).json().data).toHaveLength(2);
  });

  it("sums up its metrics", async () => {
    upstream.answer(jsonReply(completion));
    const before = await countedChats();
    for (let request = 0; request < 10; request++) await chat();
    for (let worker = 0; worker < WORKERS; worker++) expect(await countedChats()).toBe(before + 10);
  });

  it("shows its processes, and how much of a key's limits all of them have used", async () => {
    upstream.answer(jsonReply(completion));
    const limits = { requests_per_minute: 1000, usd_per_month: 1 };
    const created = await call("/admin/keys", { body: { name: "near", scopes: ["inference"], limits } });
    const { key, id } = created.json();
    for (let request = 0; request < 20; request++) expect((await chat(key)).status).toBe(200);
    for (let worker = 0; worker < WORKERS; worker++) {
      const { text } = await call("/metrics");
      expect(text).toContain(`\nsextant_workers ${WORKERS}\n`);
      expect(text).toContain(
        `\nsextant_key_limit_used_ratio{key_id="${id}",key="near",limit="requests"} 0.02\n`,
      );
      expect(text).toMatch(
        /^sextant_key_limit_used_ratio\{key_id="key_\w+",key="near",limit="budget"\} 0\.0\d+$/m,
      );
      expect(text).toContain('\nsextant_keys_near_limit{limit="requests"} 0\n');
      expect(text).toContain('\nsextant_component_ready{component="profiles"} 1\n');
    }
  });

  it("adds up use and refusals of all workers, whichever is asked", async () => {
    upstream.answer(jsonReply(completion));
    const limits = { requests_per_minute: 12 };
    const created = await call("/admin/keys", { body: { name: "full", scopes: ["inference"], limits } });
    const { key, id } = created.json();
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await chat(key)).status));
    expect(statuses.filter((status) => status === 429)).toHaveLength(8);
    for (let worker = 0; worker < WORKERS; worker++) {
      const { data: keys } = (await call("/admin/keys")).json();
      const { use } = keys.find((one: { readonly id: string }) => one.id === id);
      expect(use).toEqual({
        requests_per_minute: { used: 12, limit: 12 },
        tokens_per_minute: null,
        usd_per_month: null,
      });
      const { data: refusals } = (await call(`/admin/refusals?key=${id}`)).json();
      expect(refusals).toMatchObject([{ key: id, name: "full", limit: "requests", requests: 8 }]);
      const { text } = await call("/metrics");
      expect(text).toContain(`\nsextant_limit_refusals_total{key_id="${id}",limit="requests"} 8\n`);
    }
  });

  it("shows the circuit breakers of all workers, whichever is asked", async () => {
    const processes = async () => {
      const { data } = (await call("/admin/providers")).json() as { data: AdminProviderBody[] };
      const models = data.find(({ id }) => id === "openai")?.models ?? [];
      return models.find(({ model }) => model === "gpt-4o-mini")?.processes;
    };
    // In turn, so that each of them has called the provider.
    for (let asked = 0; asked < WORKERS; asked++) await chat();
    for (let asked = 0; asked < 2 * WORKERS; asked++)
      expect(await processes()).toEqual({ closed: WORKERS, half_open: 0, open: 0 });
  });

  it("rotates a key in every worker at once", async () => {
    upstream.answer(jsonReply(completion));
    const created = await call("/admin/keys", { body: { name: "leaked", scopes: ["inference"] } });
    const { key, id } = created.json();
    const rotated = await call(`/admin/keys/${id}/rotate`, { body: { grace_seconds: 0 } });
    const { key: next } = rotated.json();
    for (let request = 0; request < 2 * WORKERS; request++) {
      expect((await chat(key)).status).toBe(401);
      expect((await chat(next)).status).toBe(200);
    }
  });

  it("corrects expected lengths by the answers of all workers", { timeout: PATIENT }, async () => {
    const asked = { messages: [{ role: "user", content: "hi" }], models: ROUTED };
    const decide = async () =>
      (await call("/v1/router", { body: { ...asked, execute: false } })).json().routing;
    const { expected_answer_tokens: profiled, selected_model: model } = await decide();
    const tokens = Math.round(5 * profiled);
    upstream.answer(jsonReply({ ...completion, usage: { ...usage, completion_tokens: tokens } }));
    const requests = 6 * WORKERS;
    for (let request = 0; request < requests; request++) await call("/v1/router", { body: asked });
    const answers = async () => {
      const { data } = (await call("/v1/router/profiles")).json();
      return data.find((profile: { model: string }) => profile.model === model).length_correction?.answers;
    };
    await until(async () => {
      const known: unknown[] = [];
      for (let worker = 0; worker < WORKERS; worker++) known.push(await answers());
      return known.every((count) => count === requests);
    });
    for (let worker = 0; worker < 2 * WORKERS; worker++) {
      expect((await decide()).expected_answer_tokens / profiled).toBeGreaterThan(2);
    }
    const { text } = await call("/metrics");
    expect(Number(/sextant_answer_length_ratio\{model="[^"]*"\} (\S+)/.exec(text)?.[1])).toBeLessThan(5);
  });

  it("decides by reloaded profiles in every worker", async () => {
    const version = async () => (await call("/readyz")).json().parts.profiles.version as string;
    const before = await version();
    cpSync(setFolder("first"), setFolder("second"), { recursive: true });
    const reloaded = (await call("/admin/reload", { method: "POST" })).json();
    expect(reloaded.version).not.toBe(before);
    for (let worker = 0; worker < 2 * WORKERS; worker++) expect(await version()).toBe(reloaded.version);
  });

  it("replaces a killed worker and loses no written trace", {
    timeout: PATIENT,
  }, async () => {
    upstream.answer(jsonReply(completion));
    const ids: string[] = [];
    for (let request = 0; request < 6; request++) ids.push((await chat()).json().request_id);
    for (const id of ids) await until(() => isTraced(id));
    const counted = await countedChats();
    // Without this series, the first restart would be no increase.
    expect((await call("/metrics")).text).toContain("\nsextant_worker_restarts_total 0\n");
    const [victim = 0] = workerIds();
    process.kill(victim, "SIGKILL");
    await until(async () => {
      const now = workerIds();
      return now.length === WORKERS && !now.includes(victim);
    });
    for (let request = 0; request < 6; request++) {
      const answer = await chat();
      expect(answer.status).toBe(200);
      await until(() => isTraced(answer.json().request_id));
    }
    // What the killed process had counted when the metrics were last read is not forgotten.
    expect(await countedChats()).toBe(counted + 6);
    expect((await call("/metrics")).text).toContain("\nsextant_worker_restarts_total 1\n");
    for (const id of ids) expect(await isTraced(id)).toBe(true);
    expect(server.stderr()).toContain("a worker process ended and is started again");
  });

  it("answers requests on connections that were on their way to a worker when it was killed", {
    timeout: PATIENT,
  }, async () => {
    upstream.answer(jsonReply(completion));
    const [victim = 0] = workerIds();
    const isWhole = async () => workerIds().length === WORKERS && !workerIds().includes(victim);
    // It takes no connection any more; the first one that is sent to it waits there.
    process.kill(victim, "SIGSTOP");
    const replies = Array.from({ length: 2 * WORKERS }, () => chat());
    await Promise.race(replies);
    process.kill(victim, "SIGKILL");
    for (const reply of replies) expect((await reply).status).toBe(200);
    await until(isWhole);
  });

  it("finishes its streams on shutdown, keeps their traces, and ends all processes", {
    timeout: PATIENT,
  }, async () => {
    let finish: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const begun = eventReply([chunk({ role: "assistant" }), chunk({ content: "Hello" })], {
      ending: "stall",
    });
    upstream.answer(async (exchange) => {
      await begun(exchange);
      await held;
      const rest = `${chunk({ content: " world" })}data: ${JSON.stringify({ ...completion, object: "chat.completion.chunk", choices: [] })}\n\ndata: [DONE]\n\n`;
      await exchange.write(`${Buffer.byteLength(rest).toString(16)}\r\n${rest}\r\n0\r\n\r\n`);
    });
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }], stream: true };
    const clients = Array.from({ length: 2 * WORKERS }, () => openStream(server.port, { body }));
    for (const client of clients) await client.received("Hello");
    const ids = await Promise.all(
      clients.map(async ({ head }) => String((await head).headers["x-request-id"])),
    );
    const workers = workerIds();
    const stopped = server.stop();
    finish();
    for (const { ended } of clients) {
      const { text, whole } = await ended;
      expect(whole).toBe(true);
      expect(text).toContain(" world");
      expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    }
    expect(await stopped).toBe(0);
    for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow("ESRCH");
    server = await startServe(folder, environment());
    for (const id of ids)
      expect((await call(`/v1/traces/${id}`)).json()).toMatchObject({ status: "success" });
  });
});

describe("A cluster all of whose workers are killed", () => {
  it("closes the connections that were on their way to them, and answers again", async () => {
    upstream.answer(jsonReply(completion));
    await server.stop();
    const [port = 0] = await freePorts(1);
    server = await startServe(folder, { ...environment(), SEXTANT_PORT: String(port) });
    const victims = workerIds();
    for (const victim of victims) process.kill(victim, "SIGSTOP");
    const replies = Array.from({ length: 3 * WORKERS }, () => chat());
    // Each worker is sent one connection; the others wait in the supervisor.
    await until(async () => connectionsTo(port) === replies.length);
    for (const victim of victims) process.kill(victim, "SIGKILL");
    const outcomes = await Promise.allSettled(replies);
    expect(outcomes.filter(({ status }) => status === "rejected")).not.toEqual([]);
    await until(async () => (await chat().catch(() => undefined))?.status === 200);
  });
});

describe("A cluster whose workers cannot start", () => {
  it("reports the reason once, and the command fails", { timeout: PATIENT }, async () => {
    const nothing = { ...environment(), SEXTANT_PROFILES: join(folder, "nothing") };
    const failure = await startServe(newFolder(), nothing).catch((error: Error) => error.message);
    expect(String(failure).match(/nothing holds no profile set/g)).toHaveLength(1);
  });
});
