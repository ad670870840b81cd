/** Profile sets and settings that change while the server answers: by their files, by SIGHUP, by `POST /admin/reload`. */
import { cpSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHAT_ONLY, reply, UpstreamServer } from "../fakes/upstream-server.js";
import { openStream } from "../gateway/features/chat/stream-client.js";
import { KEY } from "../gateway/server.js";
import { chatReply, heldStream } from "./replies.js";
import { buildSampleSet, SAMPLE_MODELS } from "./sample-set.js";
import { newFolder, removeFolder, type ServerProcess, startServe } from "./server-process.js";
import { type Caller, callerOf } from "./whole-gateway.js";

const THREE = SAMPLE_MODELS.join();
const TWO = SAMPLE_MODELS.slice(0, 2).join();
const ASK = { model: "model-a", messages: [{ role: "user", content: "Hello" }] };
const PRICE = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
const EVENTS = ["profiles.reloaded", "settings.reloaded"];

let sets: string;
let folder: string;
let first: UpstreamServer;
let second: UpstreamServer;
let server: ServerProcess;
let call: Caller;

const live = () => join(folder, "profiles");
const configPath = () => join(folder, "sextant.config.json");

/** Replaces the set in use as a deployment does: by a rename. */
function deploy(name: "two" | "three", spoil: (set: string) => void = () => {}): void {
  const next = join(folder, "next");
  cpSync(join(sets, name), next, { recursive: true });
  spoil(next);
  rmSync(live(), { recursive: true, force: true });
  renameSync(next, live());
}

const providerAt = ({ origin }: UpstreamServer, more: object = {}) => ({
  id: "own",
  type: "openai-compatible",
  base_url: `${origin}/v1`,
  api_key_env: "OWN_KEY",
  models: ["model-a", ...SAMPLE_MODELS].map((id) => ({ id, price: PRICE })),
  ...more,
});

function write(settings: object | string): void {
  const text = typeof settings === "string" ? settings : JSON.stringify(settings);
  writeFileSync(`${configPath()}.new`, text);
  renameSync(`${configPath()}.new`, configPath());
}

const writeKey = (key: string) => writeFileSync(join(folder, ".env"), `OWN_KEY=${key}\n`);
const reload = () => call("/admin/reload", { method: "POST" });

/** @throws Error with what came in its place */
async function answer(): Promise<string> {
  const { status, text, json } = await call("/v1/chat/completions", { body: ASK });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return json().choices[0].message.content;
}

/** @throws Error with what came in its place */
async function decide() {
  const messages = [{ role: "user", content: "Why is the sky blue?" }];
  const { status, text, json } = await call("/v1/router", { body: { messages, execute: false } });
  if (status !== 200) throw new Error(`${status} ${text}`);
  const { profile_version: version, candidates } = json().routing;
  const models: string[] = candidates.map(({ model }: { model: string }) => model);
  const ofSample = models.filter((model) => model.startsWith("sample-"));
  return { version, models: ofSample.sort().join() };
}

/** The latest events, as many as there are names. */
const latestEvents = async () =>
  (await call("/admin/events"))
    .json()
    .data.slice(0, EVENTS.length)
    .map(({ kind }: { kind: string }) => kind)
    .sort();

beforeAll(() => {
  sets = newFolder();
  buildSampleSet(join(sets, "three"));
  buildSampleSet(join(sets, "two"), SAMPLE_MODELS.slice(0, 2));
});
afterAll(() => removeFolder(sets));
beforeEach(async () => {
  folder = newFolder();
  first = await UpstreamServer.start(CHAT_ONLY);
  second = await UpstreamServer.start(CHAT_ONLY);
  first.answer(chatReply({ content: "first" }));
  second.answer(chatReply({ content: "second" }));
  writeKey("key-1");
  write({ providers: [providerAt(first)] });
  deploy("three");
});
afterEach(async () => {
  await server.stop();
  await Promise.all([first.close(), second.close()]);
  removeFolder(folder);
});

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  server = await startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_PROFILES: live(),
    SEXTANT_LOG_LEVEL: "info",
    ...environment,
  });
  call = callerOf(server.address);
}

describe("Sets and settings that are loaded again when the operator says so", () => {
  beforeEach(() =>
    start({
      SEXTANT_WATCH_MS: "0",
      SEXTANT_RETRIES: "0",
      SEXTANT_CIRCUIT_FAILURES: "2",
      SEXTANT_CIRCUIT_COOLDOWN_MS: "600000",
    }),
  );

  it("fail no request, are used whole, and leave streams where they began; SIGHUP does the same", async () => {
    const failures: string[] = [];
    const decided = new Map<string, Set<string>>();
    let isOver = false;
    const clients = Array.from({ length: 6 }, async (_, client) => {
      while (!isOver) {
        const asking = client % 2 === 0 ? answer() : decide();
        const got = await asking.catch((fault: Error) => void failures.push(fault.message));
        if (typeof got === "object")
          decided.set(got.version, (decided.get(got.version) ?? new Set()).add(got.models));
      }
    });
    const rounds = [
      { from: first, to: second, set: "two", models: TWO },
      { from: second, to: first, set: "three", models: THREE },
      { from: first, to: second, set: "two", models: TWO },
    ] as const;
    for (const [round, { from, to, set, models }] of rounds.entries()) {
      const whole = chatReply({ content: from === first ? "first" : "second" });
      const { script, finish } = heldStream();
      from.answer((exchange) => (exchange.request.body.includes('"stream":true') ? script : whole)(exchange));
      const stream = openStream(server.port, { body: { ...ASK, stream: true } });
      await stream.received("Hello");
      write({ providers: [providerAt(to)], presets: [{ name: `p${round}`, cost_weight: 0.5 }] });
      deploy(set);
      const reloaded = await reload();
      expect(reloaded.status).toBe(200);
      expect(reloaded.json()).toMatchObject({ settings_changed: ["presets", "providers"] });
      expect(await answer()).toBe(to === first ? "first" : "second");
      expect((await decide()).models).toBe(models);
      finish();
      expect(await stream.ended).toMatchObject({ whole: true, text: expect.stringContaining(" world") });
    }
    isOver = true;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    // One list of candidates for each version.
    for (const lists of decided.values()) expect(lists.size).toBe(1);

    writeKey("key-2");
    write({ providers: [providerAt(first)], presets: [{ name: "new", cost_weight: 0.5 }] });
    deploy("three");
    server.child.kill("SIGHUP");
    await expect.poll(answer).toBe("first");
    await expect.poll(async () => (await decide()).models).toBe(THREE);
    expect(first.lastRequest.headers.authorization).toBe("Bearer key-2");
    const { named } = (await call("/v1/router/cost-weights")).json();
    expect(named.map(({ model }: { model: string }) => model)).toEqual(["auto", "auto:new"]);
    await expect.poll(latestEvents).toEqual(EVENTS);
  });

  it("keep open circuits of unchanged providers, close those of changed ones, and name settings that count from the next start on", async () => {
    const third = await UpstreamServer.start(CHAT_ONLY);
    const other = providerAt(third, { id: "other", models: [{ id: "model-c" }] });
    write({ providers: [providerAt(first), other] });
    await reload();
    for (const down of [first, third]) down.answer(reply({ status: 500 }));
    for (const model of ["model-a", "model-c"])
      for (let time = 0; time < 3; time++) await call("/v1/chat/completions", { body: { ...ASK, model } });
    const open = async () => {
      const { text } = await call("/metrics");
      const lines = text.matchAll(
        /^sextant_circuits\{provider="(\w+)",state="open",reason="server_error"\} (\d)$/gm,
      );
      return Object.fromEntries([...lines].map(([, provider, count]) => [provider, count]));
    };
    expect(await open()).toMatchObject({ own: "1", other: "1" });
    write({ providers: [providerAt(second), other], max_attempts: 5 });
    expect((await reload()).json()).toMatchObject({
      settings_changed: ["providers"],
      notes: expect.arrayContaining(["Changed settings that count from the next start on: max_attempts."]),
    });
    const { own = "0", other: unchanged } = await open();
    expect([own, unchanged]).toEqual(["0", "1"]);
    expect(await answer()).toBe("second");
    await third.close();
  });
});

it("Sets and settings are taken from changed files; bad ones are refused with the reason, and those in use stay", async () => {
  await start({ SEXTANT_WATCH_MS: "50" });
  const { version } = await decide();
  deploy("two", (set) => truncateSync(join(set, "anchors.bin"), 100));
  await expect.poll(() => server.stderr()).toMatch(/anchors\.bin has SHA-256 .* The profiles in use stay\./);
  const damaged = await reload();
  expect([damaged.status, damaged.json().error.code]).toEqual([409, "profiles_rejected"]);
  expect(await decide()).toEqual({ version, models: THREE });
  deploy("two");
  await expect.poll(async () => (await decide()).models).toBe(TWO);

  write({ providers: [{ ...providerAt(second), base_url: "ftp://example.com" }] });
  await expect.poll(() => server.stderr()).toContain("the settings cannot be loaded again");
  const refused = await reload();
  const { code, message } = refused.json().error;
  expect([refused.status, code]).toEqual([409, "settings_rejected"]);
  for (const part of [configPath(), "`providers[0].base_url`", '"ftp://example.com"'])
    expect(message).toContain(part);
  expect(message).toMatch(/must be an http or https URL.* The settings in use stay\.$/);
  expect(await answer()).toBe("first");
  expect((await call("/admin/attention")).json().events).toContainEqual(
    expect.objectContaining({ kind: "settings.refused", details: { reason: message } }),
  );
  const { text: metrics } = await call("/metrics");
  expect(metrics).toMatch(/^sextant_profile_reloads_total\{outcome="loaded"\} [1-9]/m);
  expect(metrics).toMatch(/^sextant_profile_reloads_total\{outcome="refused"\} [1-9]/m);
  write({ providers: [providerAt(second)] });
  await expect.poll(answer).toBe("second");
});
