import { expect, it } from "vitest";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { deploymentOf } from "../../fakes/deployments.js";
import { answers, FakeProvider } from "../../fakes/provider.js";
import { FakeRouter } from "../../fakes/router.js";
import { asCompletion, contextOf, named, requestFor, routed, startInference } from "./harness.js";

const MODELS = [
  { model: "large", provider: "lab", quality: 0.8, costUsd: 0.01 },
  { model: "large:low", provider: "lab", quality: 0.9, costUsd: 0.004, effort: "low" },
  { model: "large:high", provider: "lab", quality: 0.7, costUsd: 0.03, effort: "high" },
  { model: "larger:low", provider: "lab", quality: 1, costUsd: 0.001, effort: "low" },
  { model: "small", provider: "lab", quality: 0.6, costUsd: 0.001 },
];

function start() {
  const lab = new FakeProvider("lab", answers("hi"));
  const other = new FakeProvider("other", answers("hi"));
  const deployments = MODELS.flatMap(({ model, effort }) => {
    const parameters = effort === undefined ? {} : { reasoning_effort: effort };
    return ["lab", "other"].map((provider) => deploymentOf(provider, model, { parameters }));
  });
  const started = startInference([lab, other], {
    deployments,
    router: new FakeRouter(MODELS),
    settings: { autoCostWeight: 0.2 },
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

it("asks the provider that is named alone", async () => {
  const { ask, trace } = start();
  await ask({ choice: named("other/large"), body: { messages, reasoning_effort: "auto" } });
  expect(trace()).toMatchObject({ model: "large:low", provider: "other", requestedModel: "other/large" });
});

it("leaves a model without a choice at its default, and a choice among models as it is", async () => {
  const { ask, lab, router } = start();
  const body = { messages, reasoning_effort: "auto" };
  const answer = await ask({ choice: named("small"), body });
  expect([answer.model, answer.routing, router.requests]).toEqual(["small", null, []]);
  await ask({ choice: routed(["small", "large"]), body });
  expect(router.requests).toMatchObject([{ models: ["small", "large"] }]);
  for (const { body } of lab.calls) expect(body).not.toHaveProperty("reasoning_effort");
});

it("sends no provider the word", async () => {
  const { ask, lab } = start();
  const request = {
    api: "messages" as const,
    body: { messages, output_config: { effort: "auto", format: null } },
    headers: {},
    replaceable: true,
  };
  await ask({ choice: named("small"), effort: "auto", native: { request, use: "preferred", need: null } });
  expect(JSON.stringify(lab.calls.map(({ body, native }) => [body, native]))).not.toContain('"auto"');
});
