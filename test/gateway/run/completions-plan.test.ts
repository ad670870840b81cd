import { describe, expect, it } from "vitest";
import { completionsPlan, nativeRequestFor } from "../../../src/gateway/run/request-needs.js";
import { deploymentOf } from "../../fakes/deployments.js";

const NEED = { param: "echo", what: "the prompt before the answer" };
const chat = deploymentOf("openai", "both");
const text = deploymentOf("lab", "both", { api: "completions" });

describe("The plan for features that only models with `api: completions` have", () => {
  const plan = [{ name: "both", deployments: [chat, text] }];
  const chats = [{ name: "chats", deployments: [chat] }];

  it("has the deployments with that API", () => {
    expect(completionsPlan([...chats, ...plan], NEED)).toEqual([{ name: "both", deployments: [text] }]);
  });

  it("is refused when there are none, with the field and the remedy", () => {
    const message = expect.stringContaining('"chats" can only chat. Leave it out, name such a model');
    const refused = expect.objectContaining({ code: "invalid_request", param: "echo", message });
    expect(() => completionsPlan(chats, NEED)).toThrow(refused);
  });
});

it.each([
  ["preferred", {}, true],
  ["preferred", { parameters: { top_k: 5 } }, false],
  ["usual", {}, false],
  ["usual", { api: "responses" }, true],
  ["required", { parameters: { top_k: 5 } }, true],
] as const)("That a provider's own API is %s passes a request on to %j: %s", (use, changes, isPassedOn) => {
  const request = { api: "responses", body: {}, headers: {}, replaceable: true } as const;
  const providers = new Map([["openai", { natives: new Set(["responses"] as const) }]]);
  const sent = nativeRequestFor(
    deploymentOf("openai", "m", changes),
    { request, use, need: null },
    providers,
  );
  expect(sent).toBe(isPassedOn ? request : undefined);
});

it.each([
  [{}, { effort: "low" }],
  [{ reasoning: { summary: "auto" } }, { summary: "auto", effort: "low" }],
  [{ reasoning: { effort: "high" } }, { effort: "high" }],
])(
  "A request that only Responses can serve, with %j, asks a model at an effort for %j",
  (body, reasoning) => {
    const request = { api: "responses", body, headers: {}, replaceable: false } as const;
    const providers = new Map([["openai", { natives: new Set(["responses"] as const) }]]);
    const low = deploymentOf("openai", "m:low", { parameters: { reasoning_effort: "low" } });
    const sent = nativeRequestFor(low, { request, use: "required", need: null }, providers);
    expect(sent).toEqual({ ...request, body: { reasoning } });
  },
);
