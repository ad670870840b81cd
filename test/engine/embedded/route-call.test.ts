import { describe, expect, it } from "vitest";
import {
  type Prompt,
  type RouteOptions,
  routeCall,
  routeManyCall,
} from "../../../src/engine/embedded/route-call.js";
import { SextantError } from "../../../src/foundation/errors.js";
import { errorThrownBy } from "../../support/errors.js";

const refusal = (call: () => unknown) => errorThrownBy(call, SextantError);
const refused = (prompt: unknown, options?: unknown) =>
  refusal(() => routeCall(prompt as Prompt, options as RouteOptions));

describe("A call of the embedded router", () => {
  it("takes a prompt as a user message, and a conversation as it is", () => {
    expect(routeCall("Hello", undefined)).toEqual({
      request: { messages: [{ role: "user", content: "Hello" }] },
      cancellation: {},
    });
    const conversation = [
      { role: "system", content: "Be short." },
      { role: "assistant", content: null, tool_calls: [] },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] },
    ] as const;
    expect(routeCall(conversation, {}).request.messages).toBe(conversation);
  });

  it("hands its options on, the signal apart", () => {
    const { signal } = new AbortController();
    const canRun = () => true;
    const options = { models: ["a", "b"], costWeight: 7, maxTokens: 5, needsTools: true, canRun };
    const { request, cancellation } = routeCall("Hello", { ...options, promptTokens: 3, signal });
    expect(request).toEqual({ ...options, promptTokens: 3, messages: [{ role: "user", content: "Hello" }] });
    expect(cancellation).toEqual({ signal });
  });

  it.each<[param: string, prompt: unknown, fault: string]>([
    ["prompt", undefined, "is missing: it must be a string or a list of messages."],
    ["prompt", { messages: [] }, "is an object: it must be a string or a list of messages."],
    ["prompt", [], "is an empty list: it must hold at least one message."],
    ["prompt[0]", ["hello"], "is a string: it must be an object with `role` and `content`."],
    ["prompt[0].role", [{ role: "bot", content: "x" }], 'is "bot": it must be one of system, '],
    ["prompt[0].content", [{ role: "user" }], "is missing: it must be a string, a list of parts"],
  ])("refuses %s of %j", (param, prompt, fault) => {
    const error = refused(prompt);
    expect([error.code, error.param]).toEqual(["invalid_request", param]);
    expect(error.message).toContain(`\`${param}\` ${fault}`);
  });

  it.each<[options: unknown, message: string]>([
    [0.5, "`options` is 0.5: it must be an object, such as `{ costWeight: 0.3 }`."],
    [{ cost_weight: 0.5 }, "`options.cost_weight` is not known here. Did you mean `costWeight`?"],
    [{ costWeight: "0.5" }, '`options.costWeight` is "0.5": it must be a number of at least 0.'],
    [{ costWeight: -1 }, "`options.costWeight` is -1: it must be a number of at least 0."],
    [{ costWeight: Number.NaN }, "`options.costWeight` is NaN: it must be a number of at least 0."],
    [{ models: "gpt-5.5" }, '`options.models` is "gpt-5.5": it must be a list of at least two model ids.'],
    [{ maxTokens: 0 }, "`options.maxTokens` is 0: it must be a whole number of at least 1."],
    [{ signal: new AbortController() }, "`options.signal` is an object: it must be an AbortSignal."],
    [{ canRun: ["a"] }, "`options.canRun` is a list of 1: it must be a function of a model's id."],
  ])("refuses the options %o", (options, message) => {
    expect(refused("Hello", options).message).toBe(message);
  });

  it("repeats nothing of a prompt", () => {
    expect(refused([{ role: "user", content: { secret: "s3cret" } }]).message).not.toContain("s3cret");
    expect(refusal(() => routeManyCall([41_789] as unknown as string[], {})).message).not.toContain("41789");
  });
});

describe("A call for many prompts", () => {
  it("takes texts and conversations", () => {
    const { requests } = routeManyCall(["a", [{ role: "user", content: "b" }]], { costWeight: 0.2 });
    expect(requests.map(({ messages }) => messages[0]?.content)).toEqual(["a", "b"]);
    expect(requests.map(({ costWeight }) => costWeight)).toEqual([0.2, 0.2]);
  });

  it("names the prompt that cannot be used", () => {
    expect(refusal(() => routeManyCall("Hello" as unknown as string[], {})).message).toBe(
      "`prompts` is a string: it must be a list of prompts.",
    );
    expect(refusal(() => routeManyCall(["a", 5 as unknown as string], {})).param).toBe("prompts[1]");
  });
});
