import { describe, expect, it } from "vitest";
import { callerEffort, switchedOff } from "../../../src/gateway/run/caller-effort.js";
import type { NativeForm } from "../../../src/gateway/run/request.js";

const messages = [{ role: "user", content: "hello" }];
const effortOf = (fields: object) => callerEffort({ body: { messages, ...fields } });

const nativeForm = (body: object): NativeForm => ({
  request: { api: "messages", body: { ...body }, headers: {}, replaceable: true },
  use: "preferred",
  need: null,
});

describe("The effort that a request names", () => {
  it.each([
    [{ reasoning_effort: "low" }, "low"],
    [{ reasoning: { effort: "xhigh" } }, "xhigh"],
    [{ output_config: { effort: "max" } }, "max"],
    [{ thinking: { type: "disabled" } }, "none"],
    [{ thinking: { type: "enabled", budget_tokens: 8000 } }, "high"],
    [{ reasoning: { enabled: false } }, "none"],
    [{ enable_thinking: true }, "high"],
    [{ chat_template_kwargs: { enable_thinking: false } }, "none"],
  ])("is read from %j", (fields, effort) => {
    expect(effortOf(fields)).toBe(effort);
  });

  it("is that of a translated request before a field of the body", () => {
    expect(callerEffort({ body: { messages, reasoning_effort: "low" }, effort: "high" })).toBe("high");
  });

  it("is none in a request of Anthropic's form that switches thinking off, whose translation does not say so", () => {
    const native = nativeForm({ thinking: { type: "disabled" } });
    expect(callerEffort({ body: { messages }, effort: null, native })).toBe("none");
    expect(switchedOff(native)).toBe("none");
    expect(switchedOff(nativeForm({ thinking: { type: "enabled", budget_tokens: 2000 } }))).toBeUndefined();
  });

  it.each([
    {},
    { reasoning_effort: "utmost" },
    { reasoning_effort: null },
    { reasoning: { summary: "auto" } },
  ])("is undefined for %j", (fields) => {
    expect(effortOf(fields)).toBeUndefined();
  });
});
