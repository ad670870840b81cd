/** Providers, prices and presets that change while the server answers: by the settings file, by SIGHUP, by `POST /admin/reload`. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { KEY } from "../gateway/server/server.js";
import { MAIN, newFolder, removeFolder, type ServerProcess, startServe } from "./server-process.js";

const SAMPLE = fileURLToPath(new URL("../../datasets/sample", import.meta.url));
/** A start takes its time where others compute. */
const PATIENT = 120_000;

/** A provider that names itself in its answers. Streams take a while. Fails while `isDown`. */
class NamedProvider {
  readonly keys = new Set<string>();
  requests = 0;
  isDown = false;
  readonly #server: Server;

  constructor(readonly name: string) {
    this.#server = createServer((request, response) => {
      let text = "";
      request.on("data", (piece) => {
        text += String(piece);
      });
      request.on("end", async () => {
        if (request.url !== "/v1/chat/completions") return response.writeHead(404).end("{}");
        this.requests += 1;
        this.keys.add(request.headers.authorization ?? "");
        if (this.isDown) return response.writeHead(500).end('{"error": {"message": "down"}}');
        const { stream, model } = JSON.parse(text) as { stream?: boolean; model: string };
        const id = { id: "1", object: "chat.completion", created: 1, model };
        if (stream !== true) {
          const choices = [
            { index: 0, message: { role: "assistant", content: name }, finish_reason: "stop" },
          ];
          const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
          return response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ ...id, choices, usage }));
        }
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const content of [name, "-", "end"]) {
          const choices = [{ index: 0, delta: { content }, finish_reason: null }];
          response.write(`data: ${JSON.stringify({ ...id, object: "chat.completion.chunk", choices })}\n\n`);
          await sleep(60);
        }
        const last = [{ index: 0, delta: {}, finish_reason: "stop" }];
        response.write(
          `data: ${JSON.stringify({ ...id, object: "chat.completion.chunk", choices: last })}\n\n`,
        );
        return response.end("data: [DONE]\n\n");
      });
    });
  }

  async start(): Promise<this> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return this;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Of the sample: small, so that it is loaded at once. */
let profiles: string;
let folder: string;
let server: ServerProcess;
let first: NamedProvider;
let second: NamedProvider;

const configPath = () => join(folder, "sextant.config.json");

const providerAt = (upstream: NamedProvider, models = ["model-a"]) => ({
  id: "own",
  type: "openai-compatible",
  base_url: upstream.baseUrl,
  api_key_env: "OWN_KEY",
  models: models.map((id) => ({ id })),
});

function write(settings: object | string): void {
  const text = typeof settings === "string" ? settings : JSON.stringify(settings);
  writeFileSync(`${configPath()}.new`, text);
  renameSync(`${configPath()}.new`, configPath());
}

const writeKey = (key: string) => writeFileSync(join(folder, ".env"), `OWN_KEY=${key}\n`);

async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  server = await startServe(folder, {
    ...{ SEXTANT_BOOTSTRAP_API_KEY: KEY, SEXTANT_LOG_LEVEL: "info", SEXTANT_SETTINGS_WATCH_MS: "0" },
    SEXTANT_PROFILES: profiles,
    ...environment,
  });
}

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${server.address}${path}`, {
    ...init,
    headers: { "content-type": "application/json", "x-api-key": KEY },
  });

const reload = () => call("/admin/reload", { method: "POST" });

const ask = (body: object = {}) =>
  call("/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: "model-a", messages: [{ role: "user", content: "Hello" }], ...body }),
  });

/** The answer's text, of a stream too. @throws Error with what came in its place */
async function answerTo(body: object = {}): Promise<string> {
  const response = await ask(body);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  if (text.startsWith("{")) return (JSON.parse(text) as Completion).choices[0]?.message.content ?? "";
  if (!text.includes("[DONE]") || text.includes('"error"')) throw new Error(text);
  return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join("");
}

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

/** Connections are handed to the workers in turn. */
async function untilAll(holds: () => Promise<boolean>, workers: number): Promise<void> {
  for (let inARow = 0; inARow < 2 * workers; ) inARow = (await holds()) ? inARow + 1 : 0;
}

const eventKinds = async () => {
  const { data } = (await (await call("/admin/events")).json()) as { data: { kind: string }[] };
  return data.map(({ kind }) => kind);
};

beforeAll(() => {
  profiles = newFolder();
  const files = ["--prompts", join(SAMPLE, "prompts.jsonl"), "--outcomes", join(SAMPLE, "outcomes.jsonl")];
  const argv = [MAIN, "profile", "build", ...files, "--out", join(profiles, "sample")];
  execFileSync(process.execPath, argv, { stdio: "ignore" });
}, PATIENT);
afterAll(() => removeFolder(profiles));
beforeEach(async () => {
  folder = newFolder();
  first = await new NamedProvider("first").start();
  second = await new NamedProvider("second").start();
  writeKey("key-1");
  write({ providers: [providerAt(first)] });
});
afterEach(async () => {
  await server.stop();
  first.stop();
  second.stop();
  removeFolder(folder);
});

describe("Settings that change while requests run", { timeout: PATIENT }, () => {
  it.each([1, 2])("fail no request in 20 reloads, with %i workers", async (workers) => {
    await start({ SEXTANT_WORKERS: String(workers) });
    const failures: string[] = [];
    const answers = new Map<string, number>();
    let isOver = false;
    const clients = Array.from({ length: 12 }, async (_, client) => {
      while (!isOver) {
        const body = client % 3 === 0 ? { stream: true } : {};
        const answer = await answerTo(body).catch((fault: Error) => void failures.push(fault.message));
        if (answer !== undefined) answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    });
    for (let round = 0; round < 20; round++) {
      const at = round % 2 === 0 ? second : first;
      const models = ["model-a", ...(round % 3 === 0 ? ["model-b"] : [])];
      write({ providers: [providerAt(at, models)], presets: [{ name: `p${round}`, cost_weight: 0.5 }] });
      const reply = await reload();
      expect([reply.status, await reply.json()]).toMatchObject([
        200,
        { settings_changed: ["presets", "providers"] },
      ]);
      expect(await answerTo()).toBe(at.name);
    }
    isOver = true;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    // A stream ends where it began.
    expect([...answers.keys()].sort()).toEqual(["first", "first-end", "second", "second-end"]);
    expect(Math.min(...answers.values())).toBeGreaterThan(5);
  });

  it.each([1, 2])("are taken on SIGHUP, with a key of `.env`, with %i workers", async (workers) => {
    await start({ SEXTANT_WORKERS: String(workers) });
    await answerTo();
    writeKey("key-2");
    write({ providers: [providerAt(second)], presets: [{ name: "new", cost_weight: 0.5 }] });
    server.child.kill("SIGHUP");
    await untilAll(async () => (await answerTo()) === "second", workers);
    expect([[...first.keys], [...second.keys]]).toEqual([["Bearer key-1"], ["Bearer key-2"]]);
    const { named } = (await (await call("/v1/router/cost-weights")).json()) as {
      named: { model: string }[];
    };
    expect(named.map(({ model }) => model)).toEqual(["auto", "auto:new"]);
    await expect.poll(eventKinds).toEqual(["profiles.reloaded", "settings.reloaded"]);
  });

  it("are taken from the changed file; a bad one is refused, with what is wrong, and what is in use stays", async () => {
    await start({ SEXTANT_SETTINGS_WATCH_MS: "50" });
    write({ providers: [{ ...providerAt(second), base_url: "ftp://example.com" }] });
    while (!server.stderr().includes("the settings cannot be loaded again")) await sleep(20);
    const refused = await reload();
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect([refused.status, error.code]).toEqual([409, "settings_rejected"]);
    expect(error.message).toContain(configPath());
    expect(error.message).toContain("`providers[0].base_url`");
    expect(error.message).toContain('"ftp://example.com"');
    expect(error.message).toMatch(/must be an http or https URL.* The settings in use stay\.$/);
    expect(server.stderr()).toContain(JSON.stringify(error.message).slice(1, -1));
    expect(await answerTo()).toBe("first");
    const attention = (await (await call("/admin/attention")).json()) as { events: object[] };
    expect(attention.events[0]).toMatchObject({
      kind: "settings.refused",
      target: { type: "settings", id: configPath() },
      details: { reason: error.message },
    });
    write("{");
    expect(((await (await reload()).json()) as { error: object }).error).toMatchObject({
      code: "settings_rejected",
    });
    // As it was: nothing changes, and the refusal is over.
    write({ providers: [providerAt(first)] });
    while ((await eventKinds())[1] !== "settings.reloaded") await sleep(20);
    write({ providers: [providerAt(second)] });
    while ((await answerTo()) !== "second") await sleep(20);
  });

  it("leave the circuits of unchanged providers as they are, and close those of changed ones", async () => {
    const third = await new NamedProvider("third").start();
    const other = { ...providerAt(third, ["model-c"]), id: "other" };
    write({ providers: [providerAt(first), other] });
    await start({
      SEXTANT_RETRIES: "0",
      SEXTANT_CIRCUIT_FAILURES: "2",
      SEXTANT_CIRCUIT_COOLDOWN_MS: "600000",
    });
    first.isDown = true;
    third.isDown = true;
    for (let time = 0; time < 3; time++) {
      await ask();
      await ask({ model: "model-c" });
    }
    const states = async () => {
      const metrics = await (await call("/metrics")).text();
      const open = metrics.matchAll(/^sextant_circuits\{provider="(\w+)",state="open"\} (\d)$/gm);
      return Object.fromEntries([...open].map(([, provider, count]) => [provider, count]));
    };
    expect(await states()).toMatchObject({ own: "1", other: "1" });
    write({ providers: [providerAt(second), other], fallbacks: {} });
    expect((await reload()).status).toBe(200);
    expect((await states()).other).toBe("1");
    expect((await states()).own ?? "0").toBe("0");
    expect(await answerTo()).toBe("second");
    third.stop();
  });

  it("that count from the next start on are named", async () => {
    await start();
    write({ providers: [providerAt(first)], retries: 5 });
    expect(await (await reload()).json()).toMatchObject({
      settings_changed: [],
      notes: expect.arrayContaining(["Changed settings that count from the next start on: retries."]),
    });
  });
});
