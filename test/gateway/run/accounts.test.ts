/** Whatever happens to an accepted request: one trace, one settlement, nothing left behind. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import type { ProviderFaultCode } from "../../../src/gateway/providers/provider.js";
import type { Answer, AnswerStream } from "../../../src/gateway/run/inference.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { countTokens } from "../../../src/gateway/token-counting/count-tokens.js";
import { billed, billedCostUsd } from "../../../src/gateway/traces/billed-usage.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import {
  answers,
  cutOff,
  delta,
  FakeProvider,
  fails,
  finish,
  hangs,
  PLAIN_USAGE,
  role,
  type Script,
  type StreamStep,
  streams,
} from "../../fakes/provider.js";
import { named, routed, startInference } from "./harness.js";

const FAULT_CODES = [
  "connection_error cut_off timeout rate_limited overloaded server_error invalid_reply credentials_refused",
  "model_not_found context_length_exceeded request_refused",
].flatMap((codes) => codes.split(" ") as ProviderFaultCode[]);

const faultCode = fc.constantFrom(...FAULT_CODES);
const usage = fc.constantFrom(PLAIN_USAGE, null);
const bug: Script = { type: "throw", error: new TypeError("a mistake") };

const streamStep: fc.Arbitrary<StreamStep> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([role()]) },
  { weight: 4, arbitrary: fc.constant([delta({ content: "word " })]) },
  { weight: 1, arbitrary: fc.constant([{ chunk: null, usage: PLAIN_USAGE }]) },
  { weight: 1, arbitrary: fc.constant([delta({ content: "a" }), finish()]) },
  { weight: 1, arbitrary: faultCode.map(cutOff) },
  { weight: 1, arbitrary: fc.constant("hang" as const) },
);

const jsonScript: fc.Arbitrary<Script> = fc.oneof(
  { weight: 2, arbitrary: usage.map((run) => answers("fine", run)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(faultCode, fc.option(fc.nat(4000), { nil: null }))
      .map(([code, retryAfterMs]) => fails(code, { retryAfterMs })),
  },
  { weight: 1, arbitrary: fc.constant(hangs) },
  { weight: 1, arbitrary: fc.constant(bug) },
);
const streamScript: fc.Arbitrary<Script> = fc.oneof(
  { weight: 2, arbitrary: fc.array(streamStep, { maxLength: 6 }).map((steps) => streams(...steps)) },
  { weight: 1, arbitrary: jsonScript.filter(({ type }) => type !== "completion") },
);

const scenario = fc.boolean().chain((stream) =>
  fc.record({
    stream: fc.constant(stream),
    scripts: fc.array(fc.array(stream ? streamScript : jsonScript, { minLength: 1, maxLength: 5 }), {
      minLength: 3,
      maxLength: 3,
    }),
    choice: fc.constantFrom<InferenceRequest["choice"]>(
      named("model-a"),
      named("model-a", "first"),
      named("nobody"),
      named("off"),
      routed(),
      routed(["large", "nobody"]),
    ),
    fallbacks: fc.constantFrom<readonly string[]>([], ["model-b"], ["off"], ["nobody"], ["off", "model-b"]),
    /** When the client leaves: after so many turns of the microtask queue, or milliseconds; null: it stays. */
    leaves: fc.option(
      fc.oneof(
        fc.record({ turns: fc.nat(40) }),
        fc.record({ ms: fc.constantFrom(0, 1, 200, 5000, 60_000, 200_000) }),
      ),
      { nil: null },
    ),
    /** Batches that a reader takes before it stops; null: it reads on to the end. */
    reads: fc.option(fc.nat(3), { nil: null }),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    circuitFailures: fc.integer({ min: 1, max: 3 }),
  }),
);
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

const DEPLOYMENTS = [
  deploymentOf("first", "model-a", { price: priceOf(1, 2) }),
  deploymentOf("second", "model-a"),
  deploymentOf("third", "model-b"),
  deploymentOf("first", "medium"),
  deploymentOf("third", "small"),
  deploymentOf("nowhere", "off", { enabled: false }),
];

async function play({
  stream,
  scripts,
  choice,
  fallbacks,
  leaves,
  reads,
  random,
  circuitFailures,
}: Scenario) {
  const ids = ["first", "second", "third"];
  const providers = ids.map((id, index) => new FakeProvider(id, ...(scripts[index] ?? [])));
  const settings = { circuitFailures };
  const started = startInference(providers, { deployments: DEPLOYMENTS, random, settings });
  const { inference, run, time } = started;
  const client = new AbortController();
  const outcome: { error?: unknown } = {};
  const work = run({ stream, choice, fallbacks }, client.signal)
    .then((answer) => readSome(answer, reads))
    .catch((error: unknown) => {
      outcome.error = error;
    });
  if (leaves !== null) {
    if ("ms" in leaves) await time.advance(leaves.ms);
    else for (let turn = 0; turn < leaves.turns; turn++) await undefined;
    client.abort();
  }
  await time.advance(700_000);
  await work;
  await inference.settled();
  return { ...started, providers, client, outcome };
}

async function readSome(answer: Answer | AnswerStream, reads: number | null): Promise<void> {
  if (answer.kind === "completion" || reads === 0) return;
  let read = 0;
  for await (const batch of answer.batches) {
    expect(batch.length).toBeGreaterThan(0);
    read += 1;
    if (read === reads) break;
  }
}

describe("The accounting of an accepted request", () => {
  beforeAll(async () => {
    await countTokens(["loads the tokenizer"], { model: "gpt-4o" });
  });

  it("is closed exactly once, whatever providers, clients and readers do", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scenario, async (run) => {
        const { sink, limiter, time, providers, client, outcome } = await play(run);
        expect(limiter.reservations.map(({ settled }) => settled.length)).toEqual([1]);
        expect(time.running).toBe(0);
        expect(providers.map(({ openStreams }) => openStreams)).toEqual([0, 0, 0]);

        const calls = providers.reduce((sum, provider) => sum + provider.calls.length, 0);
        const refused = outcome.error instanceof SextantError && outcome.error.status < 500 && calls === 0;
        expect(sink.traces.length).toBe(refused ? 0 : 1);
        const [trace] = sink.traces;
        const [settled] = limiter.reservations[0]?.settled ?? [];
        expect(settled?.tokens).toBe(billed(trace?.attempts ?? []).tokens);
        if (trace !== undefined && billed(trace.attempts).tokens > 0) {
          expect(settled?.costUsd).toBe(billedCostUsd(trace));
        }
        seen.add(refused ? "refused" : (trace?.error?.code ?? trace?.status ?? ""));
        if (trace === undefined) return;

        expect(trace.attempts.filter(({ code }) => code !== "circuit_open").length).toBe(calls);
        expect(calls).toBeLessThanOrEqual(6);
        expect(trace.error === null).toBe(trace.status === "success");
        if (trace.status === "success") expect(trace.attempts.at(-1)?.code).toBe("ok");
        if (trace.error?.code === "client_disconnected") {
          expect(client.signal.aborted || run.reads !== null).toBe(true);
        }
      }),
      // The same cases every time: whether each way to end is met must not depend on chance.
      { numRuns: 300, seed: 1 },
    );
    const endings = ["refused", "success", "client_disconnected", "upstream_error", "upstream_timeout"];
    expect([...seen]).toEqual(expect.arrayContaining(endings));
  });

  it("leaves every provider usable: a healthy one answers again after its cooldowns", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (scenarioRun) => {
        const { run, providers } = await play({ ...scenarioRun, choice: named("model-a") });
        for (const provider of providers) provider.recover(answers("well"));
        expect((await run()).attempts.map(({ code }) => code)).toEqual(["ok"]);
      }),
      { numRuns: 100 },
    );
  });
});
