import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { addressesOf } from "../../../../src/gateway/providers/openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "../../../../src/gateway/providers/openai-compatible/quirks.js";
import {
  requestBody,
  type TokenLimitField,
  tokenLimitField,
} from "../../../../src/gateway/providers/openai-compatible/request.js";
import { type ProviderCall, ProviderFault } from "../../../../src/gateway/providers/provider.js";

const LOCAL = "http://localhost:8000/v1";
const of = (id: string) => quirksFor({ id, baseUrl: LOCAL });
const messages = [{ role: "user", content: "hi" }];

function call(body: Record<string, unknown>, more: Partial<ProviderCall> = {}): ProviderCall {
  return { upstreamModel: "m", api: "chat", body: { messages, ...body }, stream: false, ...more };
}

const use = (id: string, extra: object = {}) => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}" },
  ...extra,
});

const bodyFor = (id: string, made: ProviderCall, tokenLimitField: TokenLimitField = "as_sent") =>
  requestBody(made, { quirks: of(id), tokenLimitField });

/** The messages of a conversation as they are sent. */
const messagesFor = (id: string, talk: readonly JsonObject[], upstreamModel = "m") =>
  bodyFor(id, call({ messages: talk }, { upstreamModel })).messages;

/** What is sent beside them, as it is written. */
function sent(id: string, made: ProviderCall, limit?: TokenLimitField): Record<string, unknown> {
  const { model: _model, messages: _messages, ...fields } = bodyFor(id, made, limit);
  return JSON.parse(JSON.stringify(fields));
}

describe("The quirks of a provider", () => {
  it("are those of the provider that the settings name under `like`, if they do", () => {
    expect(quirksFor({ id: "mistral", like: "vllm", baseUrl: "https://api.x.ai/v1" })).toEqual(of("vllm"));
  });

  it.each([
    ["https://api.mistral.ai/v1", "mistral"],
    ["https://res.openai.azure.com/openai/v1", "azure"],
    ["https://us-east-1.api.x.ai/v1", "x-ai"],
    ["https://openrouter.ai/api/v1", "openrouter"],
    ["https://notopenrouter.ai/api/v1", "vllm"],
    ["https://api.mistral.ai.example.com/v1", "vllm"],
    ["nonsense", "vllm"],
  ])("are found by its address: %s", (baseUrl, like) => {
    expect(quirksFor({ id: "mine", baseUrl })).toEqual(of(like));
  });

  it("are refused for an unknown provider, with the list of known names", () => {
    const lookup = { id: "lab", like: "azzure", baseUrl: LOCAL };
    expect(() => quirksFor(lookup)).toThrow(/lab.*"azzure".*azure, google/);
  });
});

describe("The body sent to an OpenAI-compatible provider", () => {
  describe("with Gemini's thought signatures", () => {
    const signed = { google: { thought_signature: "c2ln" } };
    const said = (...tool_calls: readonly object[]) => ({ role: "assistant", content: null, tool_calls });
    const fromGemini = [
      messages[0] ?? {},
      said(use("a", { extra_content: signed }), use("b")),
      { role: "tool", tool_call_id: "a", content: "1" },
    ];
    const unsigned = [messages[0] ?? {}, said(use("a"), use("b"))];

    it.each(["google", "openrouter", "vllm"])("keeps them for %s, without changes", (id) => {
      expect(messagesFor(id, fromGemini, "gemini-3-pro-preview")).toBe(fromGemini);
    });

    it.each(["openai", "azure", "groq", "together", "fireworks", "x-ai"])("omits them for %s", (id) => {
      expect(messagesFor(id, fromGemini)).toEqual([messages[0], said(use("a"), use("b")), fromGemini[2]]);
      expect(messagesFor(id, [{ role: "assistant", content: "Hi", extra_content: signed }])).toEqual([
        { role: "assistant", content: "Hi" },
      ]);
      expect(messagesFor(id, unsigned)).toBe(unsigned);
    });

    it.each(["gemini-3-pro-preview", "models/gemini-3.5-flash", "gemini-flash-latest"])(
      "adds Google's placeholder to the first call of each message without one, for %s",
      (model) => {
        const google = { thought_signature: "skip_thought_signature_validator" };
        const skipped = { extra_content: { google } };
        const marked = said(use("a", skipped), use("b"));
        expect(messagesFor("google", unsigned, model)).toEqual([messages[0], marked]);
        const empty = [said(use("a", { extra_content: null }))];
        expect(messagesFor("google", empty, model)).toEqual([said(use("a", skipped))]);
      },
    );

    it.each([
      ["google", "gemini-2.5-flash"],
      ["google", "gemma-4-31b-it"],
      ["vllm", "gemini-3-pro"],
    ])("adds no placeholder at %s for %s", (id, model) => {
      expect(messagesFor(id, unsigned, model)).toBe(unsigned);
    });
  });

  it("has for Mistral ids of nine letters and digits, always the same ones, and no reasoning or signatures", () => {
    const talk = [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: null,
        reasoning_content: "Hm.",
        tool_calls: [{ ...use("call_of_another_vendor"), extra_content: {} }, use("abcDEF123")],
      },
      { role: "tool", tool_call_id: "call_of_another_vendor", content: "1" },
      { role: "tool", tool_call_id: "abcDEF123", content: "2" },
    ];
    const [user, assistant, first, second] = messagesFor("mistral", talk) as readonly JsonObject[];
    const id = String(first?.tool_call_id);
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect([user, second]).toEqual([talk[0], talk[3]]);
    const tool_calls = [use(id), use("abcDEF123")];
    expect(assistant).toEqual({ role: "assistant", content: null, tool_calls });
    expect(messagesFor("mistral", talk)).toEqual([user, assistant, first, second]);
  });

  it("has for Mistral an answer between a tool's output and a user's message, and marks the beginning of an answer", () => {
    const user = { role: "user", content: "And now?" };
    const output = { role: "tool", tool_call_id: "abcDEF123", content: "2" };
    const begun = { role: "assistant", content: "{" };
    expect(messagesFor("mistral", [output, output, user, begun])).toEqual([
      ...[output, output, { role: "assistant", content: "OK." }, user, { ...begun, prefix: true }],
    ]);
    expect(messagesFor("mistral", [{ ...begun, prefix: false }])).toEqual([{ ...begun, prefix: false }]);
  });

  it("has for Mistral no answer that says nothing", () => {
    const user = { role: "user", content: "And now?" };
    const silent = { content: [], tool_calls: [], reasoning_content: "Hm." };
    const nothing = [{ content: "" }, { content: null }, silent];
    const answers = nothing.map((said) => ({ role: "assistant", ...said }));
    expect(messagesFor("mistral", [user, ...answers, user])).toEqual([user, user]);
  });

  it("asks for nothing about tools where there are none", () => {
    const settings = { tools: [], tool_choice: "auto", parallel_tool_calls: false };
    expect(sent("lab", call(settings))).toEqual({});
    expect(sent("lab", call({ tool_choice: "required" }))).toEqual({ tool_choice: "required" });
    const some = { ...settings, tools: [{ type: "function" }] };
    expect(sent("lab", call(some))).toEqual(some);
  });

  it("omits signed thinking of an earlier answer of Claude, and changes no other message", () => {
    const user = { role: "user", content: "Why?" };
    const claude = { role: "assistant", content: "So.", thinking_blocks: [{ type: "thinking" }] };
    expect(messagesFor("lab", [user, claude])).toEqual([user, { role: "assistant", content: "So." }]);
    const plain = [user];
    expect(messagesFor("lab", plain)).toBe(plain);
  });

  it("requests usage in a stream, only where that is necessary, whatever the client sent", () => {
    const streamed = call({ stream_options: { a: 1 } }, { stream: true });
    expect(sent("openai", streamed).stream_options).toEqual({ a: 1, include_usage: true });
    expect(sent("mistral", streamed)).toEqual({ stream: true });
    expect(sent("openrouter", streamed)).toEqual({ stream: true });
    expect(sent("openai", call({ stream_options: { include_usage: true } }))).toEqual({});
    for (const stream_options of [{ include_usage: false }, null, "x", [1]]) {
      const { stream_options: sentOptions } = sent("lab", call({ stream_options }, { stream: true }));
      expect(sentOptions).toEqual({ include_usage: true });
    }
  });

  it("uses the provider's field names", () => {
    expect(sent("mistral", call({ seed: 7 }))).toEqual({ random_seed: 7 });
    expect(sent("mistral", call({ seed: 7, random_seed: 8 }))).toEqual({ random_seed: 8 });
    expect(sent("mistral", call({}))).toEqual({});
  });

  it("omits what a provider refuses, unless that would change the answer", () => {
    const ours = { store: true, user: "u", metadata: {} };
    const bookkeeping = { ...ours, service_tier: "auto", safety_identifier: "s" };
    const defaults = { frequency_penalty: 0, presence_penalty: 0, top_p: 1, n: 1, temperature: 0.7 };
    expect(sent("google", call({ ...bookkeeping, ...defaults }))).toEqual({ temperature: 0.7 });
    const wanted = { frequency_penalty: 0.5, presence_penalty: -1, top_p: 0.9, n: 2 };
    expect(sent("google", call(wanted))).toEqual(wanted);
    expect(sent("x-ai", call({ presence_penalty: 0, frequency_penalty: 1 }))).toEqual({
      frequency_penalty: 1,
    });
  });

  it.each<[TokenLimitField, Record<string, number>]>([
    ["as_sent", { max_tokens: 6 }],
    ["max_tokens", { max_tokens: 6 }],
    ["max_completion_tokens", { max_completion_tokens: 6 }],
  ])(
    "sends the token limit as %s; of two that the client sent, that of the newer name",
    (field, expected) => {
      expect(sent("lab", call({ max_tokens: 6 }), field)).toEqual(expected);
      expect(sent("lab", call({ max_tokens: 5, max_completion_tokens: 6 }), field)).toEqual(expected);
      expect(sent("lab", call({}), field)).toEqual({});
    },
  );

  it.each([
    [3, { logprobs: true, top_logprobs: 3 }],
    [0, { logprobs: true }],
    [undefined, { logprobs: false }],
  ])("requests %s log probabilities of a legacy completion for %j", (logprobs, fields) => {
    expect(sent("lab", call(fields, { api: "completions" }))).toEqual({ prompt: "hi", logprobs });
  });

  it.each([
    [[]],
    [[...messages, ...messages]],
    [[{ role: "system", content: "x" }]],
    [[{ role: "user", content: [{ type: "image_url" }] }]],
    [[{ role: "user" }]],
  ])("is undefined for a legacy completion of a conversation: %j", (conversation) => {
    const made = call({ messages: conversation }, { api: "completions" });
    expect(() => bodyFor("lab", made)).toThrow(ProviderFault);
  });
});

describe("The name of the token limit", () => {
  const field = (id: string, upstreamModel: string, api: ProviderCall["api"] = "chat") =>
    tokenLimitField(call({}, { upstreamModel, api }), of(id));

  it.each<[TokenLimitField, string, string]>([
    ["max_completion_tokens", "openai", "o1 o3-mini-2025-01-31 gpt-5 gpt-5.1-mini gpt-10 openai/o3"],
    ["as_sent", "azure", "gpt-4o gpt-3.5-turbo gpt-oss-120b chatgpt-4o-latest llama-o1 prod"],
  ])("is %s at %s for %s", (expected, id, models) => {
    for (const model of models.split(" ")) expect(field(id, model), model).toBe(expected);
  });

  it("is the old one where only that is known, and for legacy completions", () => {
    expect(field("deepseek", "o1")).toBe("max_tokens");
    expect(field("openai", "gpt-5", "completions")).toBe("max_tokens");
  });
});

it.each([
  ["", "/openai/v1/chat/completions"],
  ["/openai/", "/openai/v1/chat/completions"],
  ["/openai/v1/", "/openai/v1/chat/completions"],
  ["/openai/v1?api-version=preview", "/openai/v1/chat/completions?api-version=preview"],
  ["?api-version=1", "/openai/deployments/my%20model/chat/completions?api-version=1"],
  ["/openai?api-version=1", "/openai/deployments/my%20model/chat/completions?api-version=1"],
  ["/openai/deployments/own?api-version=1", "/openai/deployments/own/chat/completions?api-version=1"],
])("The addresses of Azure's OpenAI-compatible API with the end %s are %s", (end, expected) => {
  const { baseUrl, pathOf } = addressesOf(`https://res.openai.azure.com${end}`, of("azure"));
  const { pathname, search } = new URL(baseUrl);
  const path = pathOf({ api: "chat", upstreamModel: "my model" });
  expect(pathname.replace(/\/$/, "") + path + search).toBe(expected);
});
