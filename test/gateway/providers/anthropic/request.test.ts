import { describe, expect, it } from "vitest";
import { LEFT_OUT } from "../../../../src/gateway/providers/anthropic/fields.js";
import { bodyFor, MODELS, refusalFor, translated } from "./translate.js";

describe("A request for the Messages API", () => {
  it("passes fields that Anthropic supports and OpenAI does not", () => {
    const mcp_servers = [{ type: "url", url: "https://example.com", name: "docs" }];
    const edits = { context_management: { edits: [] }, cache_control: { type: "ephemeral" } };
    const own = { container: "container_1", mcp_servers, ...edits, inference_geo: "us", top_k: 40 };
    expect(bodyFor(own)).toMatchObject(own);
  });

  it.each(Object.keys(LEFT_OUT))("omits %s, which has no counterpart", (field) => {
    const { model, stream, ...rest } = bodyFor({ [field]: field === "n" ? 1 : true });
    expect(rest).not.toHaveProperty(field);
    expect([model, stream]).toEqual([MODELS.budgeted, false]);
  });

  it("treats null as absent", () => {
    const fields = "temperature stop tools user response_format reasoning_effort unknown".split(" ");
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
  ])("is refused for an invalid or unsupported %s, by name, before anything is sent", (param, fields) => {
    const fault = refusalFor(fields);
    expect(fault).toMatchObject({ code: "request_refused", upstreamParam: param, status: null });
    expect(fault.message).toContain(param);
  });

  it("keeps fields named like an object's built-in members", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "messages": []}');
    const { body } = translated(hostile);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ constructor: 1 });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

describe("The token limit of a Messages request", () => {
  it("is max_completion_tokens, else max_tokens", () => {
    expect(bodyFor({ max_completion_tokens: 100, max_tokens: 200 }).max_tokens).toBe(100);
    for (const max_tokens of [200, 0]) expect(bodyFor({ max_tokens }).max_tokens).toBe(max_tokens);
  });

  it.each([
    ["claude-3-haiku-20240307", 4_096],
    [MODELS.old, 8_192],
    ["claude-opus-4-1", 32_000],
    [MODELS.otherVendor, 8_192],
    [MODELS.newest, 32_000],
  ])("for %s defaults to %i", (model, limit) => {
    expect(bodyFor({}, model).max_tokens).toBe(limit);
  });

  it("is lowered to the model's maximum, where that is known", () => {
    const wanted = { max_tokens: 1_000_000 };
    expect(bodyFor(wanted, MODELS.old).max_tokens).toBe(8_192);
    expect(bodyFor(wanted, "claude-haiku-4-5").max_tokens).toBe(64_000);
    expect(bodyFor(wanted, "claude-opus-9").max_tokens).toBe(1_000_000);
    expect(bodyFor(wanted, MODELS.otherVendor).max_tokens).toBe(1_000_000);
  });
});

describe("The sampling of a Messages request", () => {
  it("is capped at a temperature of 1, Anthropic's highest", () => {
    expect(bodyFor({ temperature: 1.6 }).temperature).toBe(1);
    expect(bodyFor({ temperature: 0 }).temperature).toBe(0);
  });

  it("omits a top_p of 1, which has no effect", () => {
    expect(bodyFor({ top_p: 1 }, MODELS.old)).not.toHaveProperty("top_p");
    expect(bodyFor({ top_p: 0.9 }, MODELS.old).top_p).toBe(0.9);
  });

  it("has temperature alone for models that accept one of temperature and top_p", () => {
    const both = { temperature: 0.2, top_p: 0.9 };
    const sampling = (fields: object, model: string) => {
      const { temperature, top_p } = bodyFor(fields, model);
      return { temperature, top_p };
    };
    expect(sampling(both, MODELS.budgeted)).toEqual({ temperature: 0.2 });
    for (const fields of [{ top_p: 0.9 }, { temperature: 1.5, top_p: 0.9 }])
      expect(sampling(fields, MODELS.budgeted)).toEqual({ top_p: 0.9 });
    for (const model of [MODELS.old, MODELS.otherVendor]) expect(sampling(both, model)).toEqual(both);
  });

  it.each([MODELS.newest, MODELS.alwaysThinking])("is omitted for %s, which refuses it", (model) => {
    const body = bodyFor({ temperature: 0.2, top_p: 0.9, top_k: 5 }, model);
    expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "stream"]);
  });
});

describe("The stop sequences of a Messages request", () => {
  it("come from a string or a list", () => {
    expect(bodyFor({ stop: "END" }).stop_sequences).toEqual(["END"]);
    expect(bodyFor({ stop: ["END", "\n\nUser:"] }).stop_sequences).toEqual(["END", "\n\nUser:"]);
    expect(bodyFor({ stop: [] })).not.toHaveProperty("stop_sequences");
  });

  it.each([
    ["stop", "\n"],
    ["stop[1]", ["END", " \t"]],
    ["stop[0]", [""]],
  ])("of white space are refused as %s, because Anthropic does not support them", (param, stop) => {
    expect(refusalFor({ stop }).upstreamParam).toBe(param);
  });
});

describe("The user and service fields of a Messages request", () => {
  it("map user, or safety_identifier, to metadata.user_id", () => {
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
  ])("map the service tier %s to %s", (tier, expected) => {
    expect(bodyFor({ service_tier: tier }).service_tier).toBe(expected);
  });

  it("map anthropic_beta to the header", () => {
    const { body, headers } = translated({ anthropic_beta: ["a-1", "b-2"] });
    expect(headers).toEqual({ "anthropic-beta": "a-1,b-2" });
    expect(body).not.toHaveProperty("anthropic_beta");
    expect(translated({}).headers).toEqual({});
  });
});
