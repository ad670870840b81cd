import { describe, expect, it } from "vitest";
import { bodyFor, HELLO, MODELS } from "./translate.js";

const OPUS_45 = "claude-opus-4-5";
const clock = { type: "function", function: { name: "clock" } };
const call = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "a", type: "function", function: { name: "clock", arguments: "{}" } }],
};
const called = [HELLO, call, { role: "tool", tool_call_id: "a", content: "Noon" }];

describe("reasoning_effort", () => {
  it.each([
    ["none", undefined],
    ["minimal", 1_024],
    ["low", 1_024],
    ["medium", 4_096],
    ["high", 16_000],
    ["xhigh", 16_000],
  ])(
    "%s is a budget of %s within the default limit, for models with a budget",
    (reasoning_effort, budget) => {
      for (const model of [MODELS.budgeted, OPUS_45, MODELS.otherVendor]) {
        const { thinking, output_config } = bodyFor({ reasoning_effort, max_tokens: 32_000 }, model);
        const enabled = { type: "enabled", budget_tokens: budget };
        expect([thinking, output_config]).toEqual([budget === undefined ? undefined : enabled, undefined]);
      }
    },
  );

  it("takes at most half of the answer's limit, and is omitted where that is too little", () => {
    const high = (max_tokens: number) => bodyFor({ reasoning_effort: "high", max_tokens }).thinking;
    expect(high(4_000)).toEqual({ type: "enabled", budget_tokens: 2_000 });
    expect(high(2_048)).toEqual({ type: "enabled", budget_tokens: 1_024 });
    expect(high(2_000)).toBeUndefined();
  });

  it.each([
    [MODELS.adaptive, "minimal", "low"],
    [MODELS.adaptive, "medium", "medium"],
    [MODELS.adaptive, "xhigh", "high"],
    [MODELS.adaptive, "max", "max"],
    [MODELS.newest, "low", "low"],
    [MODELS.newest, "xhigh", "xhigh"],
    [MODELS.alwaysThinking, "high", "high"],
  ])("for %s at %s is sent as the effort %s", (model, reasoning_effort, effort) => {
    expect(bodyFor({ reasoning_effort }, model)).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort },
    });
  });

  it("none disables thinking where possible, and otherwise requests the least", () => {
    for (const [model, least] of [
      [MODELS.newest, { thinking: { type: "disabled" } }],
      [MODELS.alwaysThinking, { output_config: { effort: "low" } }],
    ] as const)
      expect(bodyFor({ reasoning_effort: "none" }, model)).toEqual({ ...bodyFor({}, model), ...least });
  });

  it("is ignored for models without thinking", () => {
    expect(bodyFor({ reasoning_effort: "high" }, MODELS.old)).toEqual(bodyFor({}, MODELS.old));
  });

  it("yields to a tool that must be called", () => {
    const forced = { reasoning_effort: "high", tools: [clock], tool_choice: "required" };
    expect(bodyFor(forced, MODELS.budgeted)).not.toHaveProperty("thinking");
    expect(bodyFor(forced, MODELS.newest)).not.toHaveProperty("thinking");
    expect(bodyFor(forced, MODELS.newest).output_config).toEqual({ effort: "high" });
  });

  it("yields to an answer that must come by a tool", () => {
    const json_schema = { name: "counts", schema: { type: "object" } };
    const formed = { reasoning_effort: "high", response_format: { type: "json_schema", json_schema } };
    expect(bodyFor(formed, MODELS.otherVendor)).not.toHaveProperty("thinking");
    expect(bodyFor(formed, MODELS.otherVendor)).toMatchObject({ tool_choice: { type: "tool" } });
  });

  it("yields when the turn that called a tool is returned without its thinking", () => {
    const thinking_blocks = [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }];
    const whole = called.map((message) => (message === call ? { ...call, thinking_blocks } : message));
    const low = { reasoning_effort: "low", messages: called };
    expect(bodyFor(low)).not.toHaveProperty("thinking");
    expect(bodyFor({ ...low, messages: whole })).toHaveProperty("thinking");
    expect(bodyFor(low, MODELS.newest)).toHaveProperty("thinking");
  });
});

describe("A client's own thinking parameter", () => {
  it("is sent unchanged", () => {
    const thinking = { type: "adaptive", display: "summarized" };
    expect(bodyFor({ thinking }, MODELS.newest).thinking).toEqual(thinking);
    expect(bodyFor({ thinking, reasoning_effort: "low" }, MODELS.newest)).toMatchObject({
      thinking,
      output_config: { effort: "low" },
    });
  });

  it("is lowered to what the answer's limit allows, or omitted", () => {
    const thinking = { type: "enabled", budget_tokens: 4_096 };
    const within = (max_tokens: number) => bodyFor({ thinking, max_tokens }).thinking;
    expect(within(4_097)).toEqual(thinking);
    expect(within(4_096)).toEqual({ type: "enabled", budget_tokens: 2_048 });
    expect(within(1_024)).toBeUndefined();
  });
});

describe("A request with thinking", () => {
  it.each([
    ["a budget", MODELS.budgeted, { thinking: { type: "enabled", budget_tokens: 2_000 } }],
    ["an effort", MODELS.adaptive, { reasoning_effort: "low" }],
  ])("by %s omits sampling parameters", (_, model, fields) => {
    const body = bodyFor({ ...fields, temperature: 0.7, top_p: 0.5, top_k: 10 }, model);
    for (const field of ["temperature", "top_p", "top_k"]) expect(body).not.toHaveProperty(field);
  });

  it("that is disabled keeps its temperature", () => {
    expect(bodyFor({ reasoning_effort: "high", max_tokens: 100, temperature: 0.7 }).temperature).toBe(0.7);
    expect(bodyFor({ thinking: { type: "disabled" }, temperature: 0.7 }).temperature).toBe(0.7);
  });
});
