import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { type Provider, ProviderFault } from "../../../src/gateway/providers/provider.js";
import { leastTokens } from "../../../src/gateway/run/cache-breakpoints.js";
import { reasoningSeals } from "../../../src/gateway/run/repairs/seals.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { CachingHost, type CachingHostOptions, cachedShareOf } from "../../fakes/caching-host.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { keyedLab } from "../../fakes/keyed-provider.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { answers, FakeProvider, PLAIN_USAGE } from "../../fakes/provider.js";
import {
  asCompletion,
  contextOf,
  named,
  requestFor,
  type StartedInference,
  type StartOptions,
  startInference,
} from "./harness.js";

const PROMPT = "The parcels of the second depot are counted on weekdays. ".repeat(400);
const MODEL = "claude-sonnet-4-5";
const TOOLS = ["read", "write"].map((name) => ({ type: "function", function: { name, parameters: {} } }));
const START_MS = Date.parse("2026-11-26T09:00:00Z");
const MINUTE_MS = 60_000;

/** The messages of each request of a tool loop. */
function toolLoop(turns: number): readonly (readonly JsonObject[])[] {
  const messages: JsonObject[] = [{ role: "user", content: PROMPT }];
  return Array.from({ length: turns }, (_, turn) => {
    const asked = [...messages];
    const call = { id: `call_${turn}`, type: "function", function: { name: "read", arguments: "{}" } };
    messages.push({ role: "assistant", content: null, tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: call.id, content: `line ${turn}` });
    return asked;
  });
}

/** Asks at the present time, by the clocks of the process and of the world. */
function ask({ inference, time }: StartedInference, changes: Partial<InferenceRequest>) {
  const context = { ...contextOf(undefined, time.clock()), createdAtMs: START_MS + time.clock() };
  return inference.run(requestFor({ choice: named(MODEL), metadata: {}, ...changes }), context);
}

type HostsById = Readonly<Record<string, Omit<CachingHostOptions, "now">>>;

interface Played extends Pick<StartOptions, "settings"> {
  readonly turns: number;
  readonly betweenMs?: number;
  readonly choice?: Partial<InferenceRequest["choice"]>;
  readonly body?: JsonObject;
}

/** Plays a tool loop against hosts whose calls take 1.5 s each, more than is expected of a host that was not called. */
async function play(hosts: HostsById, { turns, betweenMs = 1000, choice, body, settings }: Played) {
  const now = () => started.time.clock();
  const before = () => started.time.advance(1500);
  const providers = Object.entries(hosts).map(([id, host]) => new CachingHost(id, { now, ...host, before }));
  const price = priceOf(1, 1, { cachedInputUsdPerMtok: 0.1 });
  const deployments = providers.map(({ id }) => deploymentOf(id, MODEL, { price }));
  const started = startInference(providers, { deployments, settings: { retries: 0, ...settings } });
  for (const messages of toolLoop(turns)) {
    const asked = { ...named(MODEL), ...choice } as InferenceRequest["choice"];
    await ask(started, { choice: asked, body: { tools: TOOLS, ...body, messages } });
    await started.time.advance(betweenMs);
  }
  const { traces } = started.sink;
  return {
    providers,
    traces,
    share: cachedShareOf(providers),
    places: traces.map(({ provider }) => provider),
    hostsOf: traces.map(({ attempts }) => attempts[0]?.host),
  };
}

describe("A conversation with a named model", () => {
  it("stays at the provider that has it in its cache, though another is expected to be faster", async () => {
    const hosts = { first: {}, second: {} };
    const without = await play(hosts, { turns: 8, settings: { sticky: "off" } });
    const kept = await play(hosts, { turns: 8 });
    expect(new Set(without.places).size).toBe(2);
    expect(new Set(kept.places).size).toBe(1);
    expect(kept.share).toBeGreaterThan(0.85);
    expect(without.share).toBeLessThan(kept.share);
    expect(kept.hostsOf.slice(1).map((host) => host?.reason)).toEqual(Array(7).fill("conversation"));
    expect(kept.hostsOf.at(-1)?.saved_usd).toBeGreaterThan(0);
  });

  it("is free to go elsewhere once the vendor's cache has forgotten it", async () => {
    const { places, hostsOf } = await play({ first: {}, second: {} }, { turns: 2, betweenMs: 6 * MINUTE_MS });
    expect(places).toEqual(["first", "second"]);
    expect(hostsOf[1]).toMatchObject({ reason: "latency", saved_usd: null });
  });

  it("stays at the host of OpenRouter that answered, unless the caller orders otherwise", async () => {
    const hosts = { openrouter: { upstreams: ["DeepInfra", "Together", "Groq"] } };
    const without = await play(hosts, { turns: 9, settings: { sticky: "off" } });
    const kept = await play(hosts, { turns: 9 });
    expect(without.share).toBeLessThan(0.7);
    expect(kept.share).toBeGreaterThan(0.85);
    const [first, ...later] = kept.traces.map(({ attempts }) => attempts[0]?.upstream);
    expect(new Set(later)).toEqual(new Set([first]));
    expect(kept.providers[0]?.calls.map(({ body }) => body.provider)).toEqual([
      undefined,
      ...Array(8).fill({ order: ["DeepInfra"] }),
    ]);
    const ordered = await play(hosts, { turns: 3, choice: { hosts: { order: ["Groq"], sort: "price" } } });
    expect(ordered.providers[0]?.calls.map(({ body }) => body.provider)).toEqual(
      Array(3).fill({ order: ["Groq"], sort: "price" }),
    );
  });

  /** A provider with these keys, drawn at random, in the time of the inference over it. */
  function startKeyed(
    keys: readonly string[],
    providerOf: (key: string, now: () => number) => Provider,
    options = {},
  ) {
    const time = new ManualTime();
    let drawn = 0;
    const accounts = keys.map((key) => ({ key, provider: providerOf(key, time.clock) }));
    const lab = keyedLab(accounts, { clock: time.clock, random: () => (drawn++ * 0.37) % 1 });
    const deployments = [
      deploymentOf("lab", MODEL, { price: priceOf(1, 1, { cachedInputUsdPerMtok: 0.1 }) }),
    ];
    const started = startInference([lab], { time, deployments, ...options });
    return { ...started, keysUsed: () => started.sink.traces.map(({ attempts }) => attempts[0]?.key) };
  }

  it.each([
    ["stays with the key of the provider that answered", "on", 1],
    ["goes to any key where conversations are not recognised", "off", 3],
  ] as const)("%s", async (_, sticky, keys) => {
    const hostOf = (_key: string, now: () => number) => new CachingHost("lab", { now });
    const started = startKeyed(["one", "two", "three"], hostOf, { settings: { sticky } });
    for (const messages of toolLoop(8)) {
      await ask(started, { body: { tools: TOOLS, messages } });
      await started.time.advance(1000);
    }
    expect(new Set(started.keysUsed()).size).toBe(keys);
  });

  it("returns to the key that sealed its reasoning, also when no cache is left", async () => {
    let refused = 0;
    const sealing = (key: string): Provider => ({
      id: "lab",
      natives: new Set(),
      async send({ body }) {
        if (reasoningSeals(body).some((seal) => !seal.endsWith(`by ${key}`))) {
          refused += 1;
          throw new ProviderFault("request_refused", "The encrypted content could not be verified.");
        }
        const details = [{ type: "reasoning.encrypted", data: `sextant:lab:0:by ${key}` }];
        const message = { role: "assistant", content: "Done.", reasoning_details: details };
        const completion = { choices: [{ index: 0, message, finish_reason: "stop" }] };
        return { kind: "completion", completion, usage: PLAIN_USAGE };
      },
      close: async () => {},
    });
    const started = startKeyed(["a", "b", "c"], sealing, { settings: { retries: 0 } });
    const messages: JsonObject[] = [{ role: "user", content: PROMPT }];
    for (let turn = 0; turn < 6; turn++) {
      const { completion } = asCompletion(await ask(started, { body: { messages: [...messages] } }));
      messages.push(completion.choices[0]?.message ?? {}, { role: "user", content: `Go on: ${turn}` });
      await started.time.advance(20 * MINUTE_MS);
    }
    expect([refused, new Set(started.keysUsed()).size]).toEqual([0, 1]);
  });

  it("sends a request with the key that made what it continues", async () => {
    const started = startKeyed(["a", "b"], () => new FakeProvider("lab", answers("hello")));
    for (const key of ["b", "a", "b"]) await ask(started, { key });
    expect(started.keysUsed()).toEqual(["b", "a", "b"]);
  });
});

describe("A prompt to Claude", () => {
  const claude = { anthropic: { onRequest: true } };
  const marksOf = ({ providers }: Awaited<ReturnType<typeof play>>) =>
    providers[0]?.calls.map(({ body }) => body.cache_control !== undefined);

  it("is marked for the cache where it continues and the caller marks nothing", async () => {
    const off = await play(claude, { turns: 6, settings: { cacheBreakpoints: "off" } });
    const on = await play(claude, { turns: 6 });
    expect([off.share, marksOf(off)]).toEqual([0, Array(6).fill(false)]);
    expect(on.share).toBeGreaterThan(0.8);
    expect(marksOf(on)).toEqual(Array(6).fill(true));
  });

  it("is left as it is where it is a single question, and where the caller marks", async () => {
    expect(marksOf(await play(claude, { turns: 2, body: { tools: [] } }))).toEqual([false, true]);
    const tools = TOOLS.map((tool, at) =>
      at === 0 ? tool : { ...tool, cache_control: { type: "ephemeral" } },
    );
    expect(marksOf(await play(claude, { turns: 2, body: { tools } }))).toEqual([false, false]);
  });
});

describe("The least prompt that is marked", () => {
  it.each([
    ["claude-opus-5", 512],
    ["claude-opus-4-7", 2048],
    ["anthropic/claude-sonnet-4.6", 2048],
    ["claude-opus-4-6", 4096],
    ["claude-3-5-haiku-20241022", 2048],
  ])("of %s has %d tokens", (model, tokens) => {
    expect(leastTokens(model)).toBe(tokens);
  });
});
