import { describe, expect, it } from "vitest";
import type { ChatBody } from "../../../src/gateway/providers/chat.js";
import { upstreamBody } from "../../../src/gateway/run/caller-effort.js";
import { deploymentOf } from "../../fakes/deployments.js";

const messages = [{ role: "user", content: "hello" }];
const efforts = {
  none: { thinking: false },
  low: { reasoning_effort: "low" },
  max: { reasoning_effort: "high" },
};
const [high, refuses] = [{ reasoning_effort: "high" }, ["temperature"]];
const DEPLOYMENTS = {
  plain: deploymentOf("lab", "model-a"),
  reasoning: deploymentOf("lab", "o4-mini:high", { parameters: high, refuses }),
  market: deploymentOf("market", "o4-mini:high", { parameters: { reasoning: { effort: "high" } } }),
  cool: deploymentOf("lab", "model-a", { parameters: { temperature: 0.1 } }),
  reasons: deploymentOf("lab", "model-a", { effortParameters: efforts }),
  variant: deploymentOf("lab", "model-a:high", { parameters: high, effortParameters: efforts }),
};

type Fields = Readonly<Record<string, unknown>>;
const sent = (fields: Fields, to: keyof typeof DEPLOYMENTS, effort?: string): Fields => {
  const body: ChatBody = Object.freeze({ messages, ...fields });
  const { messages: _, ...rest } = upstreamBody(
    body,
    DEPLOYMENTS[to],
    effort === undefined ? {} : { effort },
  );
  return rest;
};

describe("The body sent upstream", () => {
  it.each<[string, Fields, keyof typeof DEPLOYMENTS, Fields]>([
    ["the documented temperature and no other default", {}, "plain", { temperature: 0.7 }],
    ["the client's temperature 0", { temperature: 0 }, "plain", { temperature: 0 }],
    ["the client's temperature null", { temperature: null }, "plain", { temperature: null }],
    ["no default temperature beside top_p", { top_p: 0.9 }, "plain", { top_p: 0.9 }],
    ["no default temperature for a model that refuses it", {}, "reasoning", high],
    ["the client's, which may be refused", { temperature: 1 }, "reasoning", { ...high, temperature: 1 }],
    ["the deployment's temperature before the default", {}, "cool", { temperature: 0.1 }],
    ["the client's effort", { reasoning_effort: "low" }, "reasoning", { reasoning_effort: "low" }],
    ["one effort", { reasoning_effort: "low", top_p: 1 }, "market", { reasoning_effort: "low", top_p: 1 }],
    ["the deployment's effort", { top_p: 1 }, "market", { reasoning: { effort: "high" }, top_p: 1 }],
    ["every other field", { top_k: 40, seed: 0, top_p: 1 }, "plain", { top_k: 40, seed: 0, top_p: 1 }],
  ])("has %s", (_, fields, to, expected) => {
    expect(sent(fields, to)).toEqual(expected);
  });

  it("is the client's own body when there is nothing to add", () => {
    const body = Object.freeze({ messages, temperature: 1 });
    expect(upstreamBody(body, DEPLOYMENTS.plain)).toBe(body);
    expect(upstreamBody(body, DEPLOYMENTS.plain, { effort: "low" })).toBe(body);
  });

  it("treats a field named __proto__ as a field, and is not changed by it", () => {
    const body = JSON.parse('{"messages": [], "__proto__": {"temperature": 2, "polluted": true}}');
    const upstream = upstreamBody(body, DEPLOYMENTS.reasoning);
    expect(JSON.stringify(upstream)).toContain('"__proto__":{"temperature":2,"polluted":true}');
    expect(Object.getPrototypeOf(upstream)).toBe(Object.prototype);
    expect(upstream.polluted).toBeUndefined();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each<[string, string, Fields, keyof typeof DEPLOYMENTS, Fields]>([
    ["none", "the fields by which the model accepts it", {}, "reasons", efforts.none],
    ["low", "the fields by which the model accepts it", {}, "reasons", efforts.low],
    ["max", "the fields by which the model accepts it", {}, "reasons", efforts.max],
    ["low", "nothing for a model that is not known to reason", {}, "plain", {}],
    ["enormous", "the client's value, which is refused", {}, "reasons", { reasoning_effort: "enormous" }],
    ["constructor", "the client's value", {}, "reasons", { reasoning_effort: "constructor" }],
    ["enormous", "nothing for a model that is not known to reason", {}, "plain", {}],
    ["low", "the request's in place of a variant's", {}, "variant", efforts.low],
    ["low", "the body's field", { reasoning_effort: "medium" }, "reasons", { reasoning_effort: "medium" }],
  ])("of a translated request with the effort %s has %s", (effort, _, fields, to, expected) => {
    expect(sent({ temperature: 1, ...fields }, to, effort)).toEqual({ temperature: 1, ...expected });
  });
});
