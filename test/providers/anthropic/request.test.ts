import { describe, expect, it } from "vitest";
import { LEFT_OUT } from "../../../src/providers/anthropic/fields.js";
import { bodyFor, HELLO, MODELS, refusalFor, translated } from "./translate.js";

describe("a request for the Messages API", () => {
  it("holds the model, a limit, the turns and whether to stream, and nothing else, when nothing else was asked for", () => {
    expect(bodyFor({})).toEqual({
      model: MODELS.budgeted,
      max_tokens: 32_000,
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      stream: false,
    });
  });

  it("passes what Anthropic knows and OpenAI does not", () => {
    const own = {
      container: "container_1",
      mcp_servers: [{ type: "url", url: "https://example.com", name: "docs" }],
      cache_control: { type: "ephemeral", ttl: "1h" },
      context_management: { edits: [] },
      inference_geo: "us",
      top_k: 40,
    };
    expect(bodyFor(own)).toMatchObject(own);
  });

  it.each(Object.keys(LEFT_OUT))("leaves %s out, for which Messages has no counterpart", (field) => {
    const { model, stream, ...rest } = bodyFor({ [field]: field === "n" ? 1 : true });
    expect(rest).not.toHaveProperty(field);
    expect([model, stream]).toEqual([MODELS.budgeted, false]);
  });

  it("takes null for absent", () => {
    const fields = ["temperature", "stop", "tools", "user", "response_format", "reasoning_effort", "unknown"];
    expect(bodyFor(Object.fromEntries(fields.map((field) => [field, null])))).toEqual(bodyFor({}));
  });

  it.each([
    ["n", { n: 2 }],
    ["functions", { functions: [] }],
    ["function_call", { function_call: "auto" }],
    ["audio", { audio: { voice: "alloy" } }],
    ["web_search_options", { web_search_options: {} }],
    ["max_tokens", { max_tokens: 1.5 }],
    ["max_tokens", { max_tokens: -1 }],
    ["max_completion_tokens", { max_completion_tokens: "100" }],
    ["anthropic_beta", { anthropic_beta: ["fine", "not\r\nfine"] }],
    ["response_format.type", { response_format: { type: "grammar" } }],
    ["reasoning_effort", { reasoning_effort: "extreme" }],
  ])("refuses %s it cannot honour, naming it, without asking anybody", (param, fields) => {
    const fault = refusalFor(fields);
    expect(fault).toMatchObject({
      code: "request_refused",
      upstreamParam: param,
      status: null,
      retryable: false,
    });
    expect(fault.message).toContain(param);
  });

  it("keeps members named like an object's own apart from them", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "messages": []}');
    const { body } = translated(hostile);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ constructor: 1 });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

describe("the limit of an answer", () => {
  it("is max_completion_tokens, else max_tokens", () => {
    expect(bodyFor({ max_completion_tokens: 100, max_tokens: 200 }).max_tokens).toBe(100);
    expect(bodyFor({ max_tokens: 200 }).max_tokens).toBe(200);
    expect(bodyFor({ max_tokens: 0 }).max_tokens).toBe(0);
  });

  it.each([
    ["claude-3-haiku-20240307", 4_096],
    [MODELS.old, 8_192],
    ["claude-opus-4-1", 32_000],
    [MODELS.foreign, 8_192],
    [MODELS.newest, 32_000],
  ])("is for %s %i when none was given", (model, limit) => {
    expect(bodyFor({}, model).max_tokens).toBe(limit);
  });

  it("is lowered to what the model can write, where that is known", () => {
    const wanted = { max_tokens: 1_000_000 };
    expect(bodyFor(wanted, MODELS.old).max_tokens).toBe(8_192);
    expect(bodyFor(wanted, "claude-haiku-4-5").max_tokens).toBe(64_000);
    expect(bodyFor(wanted, "claude-opus-9").max_tokens).toBe(1_000_000);
    expect(bodyFor(wanted, MODELS.foreign).max_tokens).toBe(1_000_000);
  });
});

describe("sampling", () => {
  it("ends at a temperature of 1, Anthropic's highest", () => {
    expect(bodyFor({ temperature: 1.6 }).temperature).toBe(1);
    expect(bodyFor({ temperature: 0 }).temperature).toBe(0);
  });

  it("leaves out a top_p of 1, which changes nothing", () => {
    expect(bodyFor({ top_p: 1 }, MODELS.old)).not.toHaveProperty("top_p");
    expect(bodyFor({ top_p: 0.9 }, MODELS.old).top_p).toBe(0.9);
  });

  it("sends temperature alone to models that take one of temperature and top_p", () => {
    const both = { temperature: 0.2, top_p: 0.9 };
    expect(bodyFor(both, MODELS.budgeted)).toMatchObject({ temperature: 0.2 });
    expect(bodyFor(both, MODELS.budgeted)).not.toHaveProperty("top_p");
    expect(bodyFor({ top_p: 0.9 }, MODELS.budgeted)).toMatchObject({ top_p: 0.9 });
    const neutral = bodyFor({ temperature: 1.5, top_p: 0.9 }, MODELS.budgeted);
    expect(neutral).toMatchObject({ top_p: 0.9 });
    expect(neutral).not.toHaveProperty("temperature");
    expect(bodyFor(both, MODELS.old)).toMatchObject(both);
    expect(bodyFor(both, MODELS.foreign)).toMatchObject(both);
  });

  it.each([MODELS.newest, MODELS.alwaysThinking, "claude-opus-12"])(
    "is left to %s, which refuses to be told",
    (model) => {
      const body = bodyFor({ temperature: 0.2, top_p: 0.9, top_k: 5 }, model);
      expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "stream"]);
    },
  );
});

describe("stop sequences", () => {
  it("come from one or several", () => {
    expect(bodyFor({ stop: "END" }).stop_sequences).toEqual(["END"]);
    expect(bodyFor({ stop: ["END", "\n\nUser:"] }).stop_sequences).toEqual(["END", "\n\nUser:"]);
    expect(bodyFor({ stop: [] })).not.toHaveProperty("stop_sequences");
  });

  it.each([
    ["stop", "\n"],
    ["stop[1]", ["END", " \t"]],
    ["stop[0]", [""]],
  ])("of white space are refused as %s, because Anthropic would not stop there", (param, stop) => {
    expect(refusalFor({ stop }).upstreamParam).toBe(param);
  });
});

describe("what says who asks and how to serve them", () => {
  it("turns user, or safety_identifier, into metadata.user_id", () => {
    expect(bodyFor({ user: "u-1" }).metadata).toEqual({ user_id: "u-1" });
    expect(bodyFor({ safety_identifier: "s-1" }).metadata).toEqual({ user_id: "s-1" });
    expect(bodyFor({ user: "u-1", metadata: { user_id: "m-1" } }).metadata).toEqual({ user_id: "m-1" });
  });

  it.each([
    ["auto", "auto"],
    ["priority", "auto"],
    ["default", "standard_only"],
    ["standard_only", "standard_only"],
    ["flex", undefined],
  ])("turns the service tier %s into %s", (tier, expected) => {
    expect(bodyFor({ service_tier: tier }).service_tier).toBe(expected);
  });

  it("sends anthropic_beta as the header", () => {
    const { body, headers } = translated({
      anthropic_beta: ["files-api-2025-04-14", "mcp-client-2025-11-20"],
    });
    expect(headers).toEqual({ "anthropic-beta": "files-api-2025-04-14,mcp-client-2025-11-20" });
    expect(body).not.toHaveProperty("anthropic_beta");
    expect(translated({}).headers).toEqual({});
  });
});

describe("a legacy prompt", () => {
  it("is an ordinary user message", () => {
    expect(bodyFor({ messages: [HELLO] }).messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello" }] },
    ]);
  });
});
