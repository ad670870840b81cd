import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { deploymentOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, fails } from "../../fakes/provider.js";
import { FakeRouter } from "../../fakes/router.js";
import {
  asCompletion,
  contextOf,
  named,
  requestFor,
  routed,
  type StartOptions,
  startInference,
} from "./harness.js";

const MODELS = [
  { model: "large", provider: "lab", quality: 0.8, costUsd: 0.01 },
  { model: "large:low", provider: "lab", quality: 0.9, costUsd: 0.004, effort: "low" },
  { model: "large:high", provider: "lab", quality: 0.7, costUsd: 0.03, effort: "high" },
  { model: "larger:low", provider: "lab", quality: 1, costUsd: 0.001, effort: "low" },
  { model: "small", provider: "lab", quality: 0.6, costUsd: 0.001 },
];

interface Options {
  readonly lab?: FakeProvider;
  readonly settings?: StartOptions["settings"];
}

function start({ lab = new FakeProvider("lab", answers("hi")), settings }: Options = {}) {
  const other = new FakeProvider("other", answers("hi"));
  const deployments = MODELS.flatMap(({ model, effort }) => {
    const parameters = effort === undefined ? {} : { reasoning_effort: effort };
    const upstreamModel = model.replace(/:.*/, "");
    return ["lab", "other"].map((provider) => deploymentOf(provider, model, { parameters, upstreamModel }));
  });
  deployments.push(deploymentOf("lab", "large-2026-01-15"));
  const started = startInference([lab, other], {
    deployments,
    router: new FakeRouter(MODELS),
    settings: { autoCostWeight: 0.2, ...settings },
  });
  const ask = async (changes: Partial<InferenceRequest>) => {
    const request = requestFor({
      body: { messages: [{ role: "user", content: "hi" }], ...changes.body },
      ...changes,
    });
    const context = contextOf();
    const principal = { ...context.principal, costWeight: 0.4 };
    return asCompletion(await started.inference.run(request, { ...context, principal }));
  };
  return { ...started, lab, ask };
}

const messages = [{ role: "user", content: "hi" }];

const AUTO = { messages, reasoning_effort: "auto" };

it.each<[string, Partial<InferenceRequest>]>([
  ["chat", { body: { messages, reasoning_effort: "auto" } }],
  ["an object, as OpenRouter has it", { body: { messages, reasoning: { effort: "auto" } } }],
  ["a translated API", { body: { messages }, effort: "auto" }],
])(
  "A named model is asked for the effort that is chosen among its own, by the word auto: %s",
  async (_, changes) => {
    const { ask, lab, router, trace } = start();
    const answer = await ask({ choice: named("large"), ...changes });
    expect(router.requests).toMatchObject([
      { models: ["large", "large:low", "large:high"], costWeight: 0.4 },
    ]);
    expect(router.requests[0]).not.toHaveProperty("effort");
    expect(answer).toMatchObject({ model: "large:low", routing: { effort_saved_usd: 0.006 } });
    expect(lab.calls[0]?.body).toMatchObject({ reasoning_effort: "low" });
    expect(lab.calls[0]?.body).not.toHaveProperty("reasoning");
    expect(trace()).toMatchObject({ requestedModel: "large", effort: "low" });
  },
);

it("asks the provider that is named alone, and the version", async () => {
  const { ask, sink, router } = start();
  await ask({ choice: named("other/large"), body: AUTO });
  expect(sink.traces.at(-1)).toMatchObject({
    model: "large:low",
    provider: "other",
    requestedModel: "other/large",
  });
  await ask({ choice: named("large", "other-ai"), body: AUTO });
  expect(sink.traces.at(-1)).toMatchObject({ model: "large:low", provider: "other" });
  await expect(ask({ choice: named("large", "nosuch"), body: AUTO })).rejects.toMatchObject({
    code: "provider_not_found",
  });
  router.requests.length = 0;
  await ask({ choice: named("large-2026-01-15"), body: AUTO });
  expect([sink.traces.at(-1)?.model, router.requests]).toEqual(["large-2026-01-15", []]);
});

it("leaves a model without a choice at its default, and a choice among models as it is", async () => {
  const { ask, lab, router } = start();
  const answer = await ask({ choice: named("small"), body: AUTO });
  expect([answer.model, answer.routing, router.requests]).toEqual(["small", null, []]);
  await ask({ choice: routed(["small", "large"]), body: AUTO });
  expect(router.requests).toMatchObject([{ models: ["small", "large"] }]);
  for (const { body } of lab.calls) expect(body).not.toHaveProperty("reasoning_effort");
});

it("leaves a model at its default where no two efforts can answer the prompt", async () => {
  const { ask, router } = start();
  router.route = async () => {
    throw new SextantError("insufficient_models", "Only one model is left.");
  };
  const answer = await ask({ choice: named("large"), body: AUTO });
  expect([answer.model, answer.routing]).toEqual(["large", null]);
});

it("tries the fallbacks after the chosen effort, the usual ones too", async () => {
  const failing = new FakeProvider("lab", fails("server_error", { status: 503 }));
  const { ask } = start({ lab: failing, settings: { fallbacks: { large: ["other/small"] }, retries: 0 } });
  expect(await ask({ choice: named("lab/large"), fallbacks: ["other/small"], body: AUTO })).toMatchObject({
    model: "small",
  });
  expect(await ask({ choice: named("large", "lab"), body: AUTO })).toMatchObject({ model: "small" });
  expect(failing.calls).toHaveLength(2);
});

describe("The word", () => {
  const native = (body: object): Partial<InferenceRequest> => ({
    choice: named("large"),
    body: { messages },
    native: {
      request: { api: "messages", body: { messages, ...body }, headers: {}, replaceable: true },
      use: "preferred",
      need: null,
    },
  });
  it.each([
    [
      "with thinking that is switched off, which is kept",
      { thinking: { type: "disabled" } },
      [],
      { thinking: { type: "disabled" } },
    ],
    [
      "with thinking of its own kind, which goes too",
      { thinking: { type: "adaptive" } },
      ["large:low"],
      undefined,
    ],
  ])("is sent to no provider: %s", async (_, body, chosen, sent) => {
    const { ask, lab, router } = start();
    lab.natives = new Set(["messages"]);
    await ask({ ...native({ ...body, output_config: { effort: "auto", format: null } }), effort: "auto" });
    expect(router.requests.map(() => "large:low")).toEqual(chosen);
    const [call] = lab.calls;
    expect(JSON.stringify([call?.body, call?.native])).not.toContain('"auto"');
    if (sent !== undefined) expect(call?.native?.body).toMatchObject(sent);
    else expect(JSON.stringify(call?.native ?? {})).not.toContain("thinking");
  });
});
