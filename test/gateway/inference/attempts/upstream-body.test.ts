import { describe, expect, it } from "vitest";
import { upstreamBody } from "../../../../src/gateway/inference/planning/caller-effort.js";
import type { ChatBody } from "../../../../src/gateway/providers/chat.js";
import { deploymentOf } from "../../../fakes/deployments.js";

const MESSAGES = [{ role: "user", content: "hello" }];
const PLAIN = deploymentOf("lab", "model-a");
const REASONING = deploymentOf("lab", "o4-mini:high", {
  parameters: { reasoning_effort: "high" },
  refuses: ["temperature"],
});

const frozen = (body: ChatBody): ChatBody => Object.freeze({ ...body });

describe("The body sent upstream", () => {
  it("gets the documented temperature when the client left it out, and no other default", () => {
    expect(upstreamBody(frozen({ messages: MESSAGES }), PLAIN)).toEqual({
      messages: MESSAGES,
      temperature: 0.7,
    });
  });

  it.each([0, 0.7, 2, null])("keeps the client's temperature %s", (temperature) => {
    expect(upstreamBody(frozen({ messages: MESSAGES, temperature }), PLAIN)).toEqual({
      messages: MESSAGES,
      temperature,
    });
  });

  it("gets no default temperature when the client set top_p", () => {
    const body = frozen({ messages: MESSAGES, top_p: 0.9 });
    expect(upstreamBody(body, PLAIN)).toBe(body);
  });

  it("gets no default temperature for a model that refuses the field", () => {
    expect(upstreamBody(frozen({ messages: MESSAGES }), REASONING)).toEqual({
      messages: MESSAGES,
      reasoning_effort: "high",
    });
  });

  it("keeps a temperature that the client sent to such a model, which may refuse it", () => {
    expect(upstreamBody(frozen({ messages: MESSAGES, temperature: 1 }), REASONING)).toMatchObject({
      temperature: 1,
    });
  });

  it("takes the deployment's parameters only where the client sent nothing", () => {
    const body = { messages: MESSAGES, reasoning_effort: "low" };
    expect(upstreamBody(frozen(body), REASONING)).toMatchObject({ reasoning_effort: "low" });
  });

  it("has no second effort beside the client's, whatever the provider's field is", () => {
    const market = deploymentOf("market", "o4-mini:high", { parameters: { reasoning: { effort: "high" } } });
    const sent = upstreamBody(frozen({ messages: MESSAGES, reasoning_effort: "low" }), market);
    expect(sent).toMatchObject({ reasoning_effort: "low" });
    expect(sent).not.toHaveProperty("reasoning");
    expect(upstreamBody(frozen({ messages: MESSAGES }), market)).toMatchObject({
      reasoning: { effort: "high" },
    });
  });

  it("prefers the deployment's temperature to the default", () => {
    const cool = deploymentOf("lab", "model-a", { parameters: { temperature: 0.1 } });
    expect(upstreamBody(frozen({ messages: MESSAGES }), cool)).toMatchObject({ temperature: 0.1 });
  });

  it("has every other field unchanged", () => {
    const tools = [{ type: "function", function: { name: "f" } }];
    const sent = upstreamBody(
      frozen({ messages: MESSAGES, tools, top_k: 40, seed: 0, logit_bias: {} }),
      PLAIN,
    );
    expect(sent).toMatchObject({ top_k: 40, seed: 0, logit_bias: {} });
    expect(sent.tools).toBe(tools);
  });

  it("is the client's own body when there is nothing to add", () => {
    const body = frozen({ messages: MESSAGES, temperature: 1 });
    expect(upstreamBody(body, PLAIN)).toBe(body);
  });

  it("treats a field named __proto__ as a field, and is not changed by it", () => {
    const body = JSON.parse('{"messages": [], "__proto__": {"temperature": 2, "polluted": true}}');
    const sent = upstreamBody(body, REASONING);
    expect(JSON.stringify(sent)).toContain('"__proto__":{"temperature":2,"polluted":true}');
    expect(Object.getPrototypeOf(sent)).toBe(Object.prototype);
    expect(sent.polluted).toBeUndefined();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  describe("The body of a translated request with a reasoning effort", () => {
    const effortParameters = {
      none: { thinking: false },
      low: { reasoning_effort: "low" },
      max: { reasoning_effort: "high" },
    };
    const reasons = deploymentOf("lab", "model-a", { effortParameters });
    const body = frozen({ messages: MESSAGES, temperature: 1 });

    it.each(Object.entries(effortParameters))(
      "has the fields by which the model accepts it: %s",
      (effort, fields) => {
        expect(upstreamBody(body, reasons, { effort })).toEqual({ ...body, ...fields });
      },
    );

    it("has no such fields for a model that is not known to reason", () => {
      expect(upstreamBody(body, PLAIN, { effort: "low" })).toBe(body);
    });

    it("has the client's value for an unknown effort, which the provider refuses", () => {
      for (const effort of ["enormous", "constructor"])
        expect(upstreamBody(body, reasons, { effort })).toEqual({ ...body, reasoning_effort: effort });
      expect(upstreamBody(body, PLAIN, { effort: "enormous" })).toBe(body);
    });

    it("has them for a variant too, unless the body has its own field", () => {
      const variant = deploymentOf("lab", "model-a:high", {
        parameters: { reasoning_effort: "high" },
        effortParameters,
      });
      expect(upstreamBody(body, variant, { effort: "low" })).toMatchObject({ reasoning_effort: "low" });
      const own = { ...body, reasoning_effort: "medium" };
      expect(upstreamBody(own, reasons, { effort: "low" })).toEqual(own);
    });
  });
});
