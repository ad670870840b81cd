import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import type { ChatBody, JsonObject } from "../../../src/gateway/providers/chat.js";
import { ProviderFault, type ProviderFaultDetails } from "../../../src/gateway/providers/provider.js";
import { type Repair, Repairs, repairOf } from "../../../src/gateway/run/repairs/repairs.js";
import { deploymentOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, fails } from "../../fakes/provider.js";
import { startInference } from "./harness.js";

const refuses = (field: string) =>
  ({
    status: 400,
    upstreamParam: field,
    upstreamMessage: `Unsupported parameter: '${field}' is not supported with this model.`,
  }) as const;
const NEITHER = [undefined, undefined];
const messages: ChatBody["messages"] = [{ role: "user", content: "Hello" }];

describe("A sampling field that a deployment refuses by name", () => {
  const refused = fails("request_refused", refuses("temperature"));
  const temperatures = (provider: FakeProvider) => provider.calls.map(({ body }) => body.temperature);

  it("is left out in one more call, which attempts and log show, and from then on", async () => {
    const provider = new FakeProvider("lab", refused, answers("Hi"));
    const { run, logLines } = startInference([provider]);
    const body = { messages, temperature: 0, top_p: 0.5 };
    expect((await run({ body })).attempts.map(({ code }) => code)).toEqual(["request_refused", "ok"]);
    await run({ body });
    expect(temperatures(provider)).toEqual([0, undefined, undefined]);
    expect(provider.calls.map((call) => call.body.top_p)).toEqual([0.5, 0.5, 0.5]);
    const lines = logLines.filter(([, message]) => message.includes("left out"));
    expect(lines).toEqual([["info", expect.any(String), expect.objectContaining({ field: "temperature" })]]);
  });

  it("is left out once a request, and so is each that is named after it", async () => {
    const others = [refused, fails("request_refused", refuses("top_p")), answers("Hi")];
    const provider = new FakeProvider("lab", ...others);
    const { run } = startInference([provider]);
    const body = { messages, temperature: 0, top_p: 0.5 };
    await run({ body });
    await run({ body });
    const sent = provider.calls.map((call) => [call.body.temperature, call.body.top_p]);
    expect(sent).toEqual([[0, 0.5], [undefined, 0.5], NEITHER, NEITHER]);
  });

  it("is for the caller once four have been changed", async () => {
    const fields = ["temperature", "top_p", "seed", "top_k", "min_p"];
    const provider = new FakeProvider("lab", ...fields.map((one) => fails("request_refused", refuses(one))));
    const { run } = startInference([provider], { settings: { maxAttempts: 9 } });
    const body = { messages, ...Object.fromEntries(fields.map((field) => [field, 1])) };
    await expect(run({ body })).rejects.toThrow("min_p");
    expect(provider.calls).toHaveLength(5);
  });

  it("is left out from then on also where it was refused once thinking was left out", async () => {
    // Anthropic: https://github.com/usestrix/strix/issues/503 (2026-05-27)
    const upstreamMessage = "Thinking may not be enabled when tool_choice forces tool use.";
    const forced = fails("request_refused", { status: 400, upstreamMessage });
    const provider = new FakeProvider("lab", forced, refused, answers("Hi"));
    const { run } = startInference([provider]);
    const body = { messages, temperature: 0, thinking: { type: "enabled" }, tool_choice: "required" };
    await run({ body });
    await run({ body });
    const sent = provider.calls.map((call) => [call.body.thinking, call.body.temperature]);
    expect(sent).toEqual([[{ type: "enabled" }, 0], [undefined, 0], NEITHER, NEITHER]);
  });

  it("is not left out from other requests where the second call was refused as well", async () => {
    const provider = new FakeProvider("lab", refused, refused, answers("Hi"));
    const { run } = startInference([provider]);
    const body = { messages, temperature: 0 };
    await expect(run({ body })).rejects.toThrow(SextantError);
    await run({ body });
    expect(temperatures(provider)).toEqual([0, undefined, 0]);
  });

  it("is kept apart by the effort of the request", () => {
    const [repairs, deployment] = [new Repairs(), deploymentOf("lab", "model-a")];
    const low = { messages, reasoning: { effort: "low" }, temperature: 0 };
    repairs.keep(repairFor(low, refuses("temperature")), deployment);
    expect(repairs.applied({ reasoning_effort: "low", temperature: 0 }, deployment)).toEqual({
      reasoning_effort: "low",
    });
    const none = { reasoning_effort: "none", temperature: 0 };
    expect(repairs.applied(none, deployment)).toBe(none);
  });
});

const mended = (sent: JsonObject, details: ProviderFaultDetails, version?: string) =>
  repairOf(new ProviderFault("request_refused", "", { status: 400, ...details }), sent, version);

function repairFor(sent: JsonObject, details: ProviderFaultDetails): Repair {
  const repair = mended(sent, details);
  if (repair === null) throw new Error("no repair");
  return repair;
}

const hello = { role: "user", content: "Hello" };
const hi = { role: "assistant", content: "Hi" };
const calling = { role: "assistant", content: null, tool_calls: [] };
const called = { role: "assistant", content: null, tool_calls: [{ id: "a" }] };
const kind = { type: "text", text: "Be kind." };
const pngAs = (media_type: string) => ({
  type: "image",
  source: { type: "base64", media_type, data: "iVBORw0KGgo=" },
});
const linked = (url: string) => ({ type: "image_url", image_url: { url } });
const drawn = (type: string) => ({
  role: "user",
  content: [{ type: "input_image", image_url: `data:image/${type};base64,UklGRgECAwRXRUJQVlA4IA==` }],
});
const reference = { type: "item_reference", id: "item_2" };
const brief = { role: "system", content: "Be brief." };
const thinking = { type: "enabled", budget_tokens: 2000 };
const used = { type: "tool_use", id: "a", name: "b", input: {} };

describe("A request that is refused", () => {
  it.each<[string, JsonObject, JsonObject]>([
    // Claude from 4.1 to 4.6: https://github.com/cloud-apim/otoroshi-llm-extension/issues/140 (2025-10-30)
    [
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
      { temperature: 0.5, top_p: 0.5 },
      { temperature: 0.5 },
    ],
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { max_tokens: 5 },
      { max_completion_tokens: 5 },
    ],
    [
      "body.max_completion_tokens: Extra inputs are not permitted",
      { max_completion_tokens: 5 },
      { max_tokens: 5 },
    ],
    // OpenAI: https://github.com/tailcallhq/forgecode/issues/1185 (2025-07-22)
    [
      "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
      { max_tokens: 32_000 },
      { max_tokens: 16_384 },
    ],
    // Anthropic: https://github.com/anthropics/claude-code/issues/24451 (2026-02-09)
    [
      "max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5-20251101",
      { max_tokens: 128_001 },
      { max_tokens: 64_000 },
    ],
    // DeepSeek: https://github.com/mnfst/llm-gateway/issues/1177 (2026-03-17)
    [
      "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
      { max_tokens: 9000 },
      { max_tokens: 8192 },
    ],
    // Claude from 4.7 on: https://github.com/earendil-works/pi/issues/3297 (2026-04-16)
    [
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".',
      { thinking },
      { thinking: { type: "adaptive" } },
    ],
    // Claude before 4.6: https://github.com/pensarai/apex/pull/890 (2026-07-01)
    [
      "adaptive thinking is not supported on this model",
      { thinking: { type: "adaptive" }, max_tokens: 4000 },
      { thinking, max_tokens: 4000 },
    ],
    [
      "adaptive thinking is not supported on this model",
      { thinking: { type: "adaptive" }, max_tokens: 500 },
      { max_tokens: 500 },
    ],
    ["Thinking may not be enabled when tool_choice forces tool use.", { thinking }, {}],
    // Anthropic: https://github.com/Kilo-Org/kilocode/issues/5219 (2026-01-20)
    [
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
      { thinking },
      {},
    ],
    // DeepSeek: https://github.com/deepseek-ai/DeepSeek-V3/issues/1376 (2026-08-21)
    [
      "Thinking mode does not support this tool_choice",
      { tool_choice: "required", reasoning_effort: "high" },
      { tool_choice: "required", thinking: { type: "disabled" } },
    ],
    // Older Claudes: https://github.com/Maol-1997/cursor-claude-connector/issues/3 (2025-07-17)
    [
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter.',
      { messages: [{ role: "system", content: "Be brief." }] },
      { messages: [{ role: "user", content: "Be brief." }] },
    ],
    // Claude before 4.8: https://github.com/anthropics/claude-code/issues/61412 (2026-05-22)
    [
      "role 'system' is not supported on this model",
      {
        tools: [{ name: "a" }, { name: "b", defer_loading: true }, { name: "c", defer_loading: true }],
        messages: [
          hello,
          { role: "system", content: [], output_config: { effort: "low" } },
          {
            role: "system",
            content: [kind, { type: "tool_addition", tool: { type: "tool_reference", name: "b" } }],
            clear_at: "next_user_message",
          },
        ],
      },
      { tools: [{ name: "a" }, { name: "b" }], messages: [hello, { role: "user", content: [kind] }] },
    ],
    // DeepSeek's Messages: https://github.com/deepseek-ai/awesome-deepseek-integration/issues/639 (2026-05-29)
    [
      "Failed to deserialize the JSON body into the target type: messages[1].role: unknown variant `system`, expected `user` or `assistant`",
      { tools: [{ name: "b", defer_loading: true }], messages: [hello, brief] },
      {
        tools: [{ name: "b", defer_loading: true }],
        messages: [hello, { role: "user", content: "Be brief." }],
      },
    ],
    // Anthropic: https://github.com/router-for-me/CLIProxyAPI/pull/5583 (2026-09-07)
    [
      "messages.1.output_config: Extra inputs are not permitted",
      {
        messages: [
          hello,
          { ...brief, output_config: {} },
          { role: "system", content: [], output_config: {} },
        ],
      },
      { messages: [hello, brief] },
    ],
    // Vertex AI: https://github.com/QuantumNous/new-api/issues/2975 (2026-02-20)
    [
      "Unexpected value(s) `a-2026-01-05`, `b-2025-12-15` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header.",
      { anthropic_beta: ["a-2026-01-05", "c-2025-11-24", "b-2025-12-15"] },
      { anthropic_beta: ["c-2025-11-24"] },
    ],
    // Bedrock: https://github.com/anthropics/claude-code/issues/49370 (2026-04-16)
    ["invalid beta flag", { anthropic_beta: ["a-2026-01-05"] }, {}],
    // Anthropic: https://github.com/anthropics/claude-code/issues/59812 (2026-05-16)
    [
      "messages: text content blocks must be non-empty",
      { messages: [{ role: "assistant", content: [{ type: "text", text: "" }, used] }] },
      { messages: [{ role: "assistant", content: [used] }] },
    ],
    // Anthropic: https://github.com/anthropics/claude-code/issues/6774 (2025-08-28)
    [
      "messages.1: all messages must have non-empty content except for the optional final assistant message",
      { messages: [hello, { role: "assistant", content: "" }, { role: "user", content: [] }, hello] },
      { messages: [hello, hello] },
    ],
    // Anthropic: https://github.com/tailcallhq/forgecode/issues/1872 (2025-11-08)
    [
      "messages: final assistant content cannot end with trailing whitespace",
      { messages: [hello, { role: "assistant", content: [{ type: "text", text: "I am " }] }] },
      { messages: [hello, { role: "assistant", content: [{ type: "text", text: "I am" }] }] },
    ],
    [
      "messages: final assistant content cannot end with trailing whitespace",
      { messages: [hello, { role: "assistant", content: " " }] },
      { messages: [hello] },
    ],
    // DeepSeek: https://github.com/theopenco/llmgateway/pull/3462 (2026-08-07)
    [
      "messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
      { messages: [{ role: "developer", content: "Be brief." }, hello] },
      { messages: [brief, hello] },
    ],
    // Templates of Qwen: https://github.com/vllm-project/vllm/issues/41114 (2026-04-28)
    [
      "System message must be at the beginning.",
      { messages: [brief, hello, { role: "developer", content: [kind] }] },
      { messages: [{ role: "system", content: [{ type: "text", text: "Be brief." }, kind] }, hello] },
    ],
    // Templates of Gemma: https://github.com/suitenumerique/conversations/issues/197 (2025-12-05)
    [
      "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
      { messages: [hello, { role: "user", content: "And?" }, brief, hi, calling, hello] },
      { messages: [brief, { role: "user", content: "Hello\n\nAnd?" }, hi, calling, hello] },
    ],
    // OpenAI: https://github.com/Wei-Shaw/sub2api/issues/3981 (2026-07-10)
    [
      "Invalid 'input[1].id': 'item_1'. Expected an ID that begins with 'msg'.",
      { input: [{ ...hi, type: "message", id: "item_1" }, { ...hi, id: "msg_1" }, reference] },
      { input: [{ ...hi, type: "message" }, { ...hi, id: "msg_1" }, reference] },
    ],
    // OpenAI, vLLM: https://github.com/vllm-project/vllm/issues/42474 (2026-05-13); SGLang: https://github.com/anomalyco/opencode/pull/25230 (2026-05-01)
    [
      "This model's maximum context length is 8192 tokens. However, you requested 8192 output tokens and your prompt contains at least 1 input tokens, for a total of at least 8193 tokens.",
      { max_tokens: 8192 },
      {},
    ],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 16384 tokens and your request has 500 input tokens (32000 > 16384 - 500).",
      { max_completion_tokens: 32_000 },
      {},
    ],
    // OpenRouter: https://github.com/Gitlawb/openclaude/issues/1125 (2026-05-12)
    [
      "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 27342.",
      {},
      { max_tokens: 27_342 },
    ],
    [
      "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 27342.",
      { max_completion_tokens: 32_000 },
      { max_completion_tokens: 27_342 },
    ],
    // SGLang: https://github.com/anomalyco/opencode/pull/25230 (2026-05-01)
    [
      "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion.",
      { max_tokens: 32_000 },
      {},
    ],
    // Anthropic: https://github.com/anthropics/claude-code/issues/11534 (2025-11-13)
    [
      "`clear_thinking_20251015` strategy requires `thinking` to be enabled",
      { context_management: { edits: [{ type: "clear_thinking_20251015" }] } },
      {},
    ],
    // Kimi: https://github.com/mastra-ai/mastra/issues/12592, https://github.com/HKUDS/nanobot/pull/2598 (2026-03-28)
    // Kimi: https://github.com/QuantumNous/new-api/issues/3121 (2026-03-05), also at SiliconFlow:
    // https://github.com/agentscope-ai/QwenPaw/issues/433 (2026-03-03)
    [
      "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
      { messages: [hello, called, { ...called, reasoning_content: "Hm." }, hi] },
      {
        messages: [hello, { ...called, reasoning_content: "." }, { ...called, reasoning_content: "Hm." }, hi],
      },
    ],
    // DeepSeek: https://github.com/mnfst/llm-gateway/pull/2339 (2026-06-26)
    // DeepSeek: https://github.com/mnfst/modelparams.dev/issues/29 (2026-05-25)
    [
      "The `reasoning_content` in the thinking mode must be passed back to the API.",
      { messages: [{ ...called, reasoning_content: "" }] },
      { messages: [{ ...called, reasoning_content: "." }] },
    ],
    // https://github.com/vybestack/llxprt-code/issues/2130 (2026-06-23)
    // Anthropic: https://github.com/1jehuang/jcode/issues/465 (2026-07-10)
    [
      "messages.83.content.0.tool_result.content.1.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/png image",
      { messages: [{ role: "user", content: [{ type: "tool_result", content: [pngAs("image/jpeg")] }] }] },
      { messages: [{ role: "user", content: [{ type: "tool_result", content: [pngAs("image/png")] }] }] },
    ],
    // https://github.com/anthropics/claude-code-action/pull/1280 (2026-05-02)
    // Anthropic: https://github.com/anthropics/anthropic-sdk-typescript/issues/682 (2025-02-12)
    [
      "Image does not match the provided media type image/png",
      {
        messages: [{ ...hello, content: [linked("data:image/png;base64,R0lGODlh")] }],
        input: [drawn("png")],
      },
      {
        messages: [{ ...hello, content: [linked("data:image/gif;base64,R0lGODlh")] }],
        input: [drawn("webp")],
      },
    ],
  ])("with %s is changed: %j", (upstreamMessage, sent, changed) => {
    expect(repairFor(sent, { upstreamMessage }).change.apply(sent)).toEqual(changed);
  });

  /** A body with a member of that path and others at each step, and the same without the one of the path. */
  function bodiesOf(path: string): readonly JsonObject[] {
    const [step = "", ...rest] = path.split(".");
    const name = step.replace("[]", "");
    if (rest.length === 0) return [{ other: 1, [name]: {} }, { other: 1 }];
    return bodiesOf(rest.join(".")).map((held) => {
      return { other: 1, [name]: name === step ? held : [held, { other: 2 }] };
    });
  }

  it.each<[string, ...string[]]>([
    ["Model grok-4.6 does not support parameter presencePenalty.", "presence_penalty"],
    ["Argument not supported on this model: seed", "seed"],
    ["output_config.effort: 'xhigh' is not supported by this model.", "output_config.effort"],
    ["body.parallel_tool_calls: Extra inputs are not permitted", "parallel_tool_calls"],
    ["invalid temperature: only 1 is allowed for this model", "temperature"],
    ["Unsupported value: 'verbosity' does not support 'low' with this model.", "text.verbosity"],
    // https://github.com/anthropics/claude-code/issues/33180 (2026-03-11)
    ["tools.0.custom.eager_input_streaming: Extra inputs are not permitted", "tools[].eager_input_streaming"],
    // https://github.com/BerriAI/litellm/issues/23825 (2026-03-17): in a text of its own
    ['{"message":"tools.1.custom.input_examples: Extra inputs are not permitted"}', "tools[].input_examples"],
    // https://github.com/caozhiyuan/copilot-api/issues/145 (2026-03-31)
    [
      "system.1.cache_control.ephemeral.scope: Extra inputs are not permitted",
      "system[].cache_control.scope",
    ],
    // https://github.com/Wei-Shaw/sub2api/issues/2726 (2026-05-23)
    ["context_management: Extra inputs are not permitted", "context_management"],
    // https://github.com/BerriAI/litellm/issues/13609 (2025-08-14)
    ["The model returned the following errors: reasoning: Extra inputs are not permitted", "reasoning"],
    // Groq: https://github.com/NousResearch/hermes-agent/issues/11089 (2026-04-16)
    [
      "'messages.4' : for 'role:assistant' the following must be satisfied[('messages.4' : property 'reasoning_content' is unsupported)]",
      "messages[].reasoning_content",
    ],
    // Groq: https://github.com/vercel/ai/pull/8057 (2025-08-14)
    ["messages[2].reasoning: reasoning is not supported with this model", "messages[].reasoning"],
    // Mistral: https://github.com/decolua/9router/pull/2090 (2026-06-25)
    [
      "body.messages.2.assistant.reasoning_content: Extra inputs are not permitted; body.seed: Extra inputs are not permitted",
      ...["messages[].reasoning_content", "seed"],
    ],
    // Gemini: https://github.com/decolua/9router/issues/1870 (2026-06-18)
    [
      'Invalid JSON payload received. Unknown name "min_p": Cannot find field.\nInvalid JSON payload received. Unknown name "cache_control" at \'messages[0]\': Cannot find field.',
      ...["min_p", "messages[].cache_control"],
    ],
  ])("with %s goes without that field, and keeps the others: %s", (upstreamMessage, ...paths) => {
    const [sent, changed] = [0, 1].map((at) => Object.assign({}, ...paths.map((path) => bodiesOf(path)[at])));
    expect(repairFor(sent, { upstreamMessage }).change.apply(sent)).toEqual(changed);
  });

  it("for a reason that its text does not tell is changed by code and field", () => {
    const sent = { max_tokens: 5 };
    const details = { upstreamCode: "unsupported_parameter", upstreamParam: "max_tokens" };
    expect(repairFor(sent, details).change.apply(sent)).toEqual({ max_completion_tokens: 5 });
  });

  it.each<[string, readonly [string, string | undefined][]]>([
    [
      "Unsupported value: 'minimal' is not supported with the 'gpt-5.6-luna' model. Supported values are: 'none', 'low', 'medium', 'high', 'xhigh', and 'max'.",
      [["minimal", "low"]],
    ],
    [
      "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'minimal', 'low', 'medium', and 'high'.",
      [
        ["xhigh", "high"],
        ["max", "high"],
        ["none", "minimal"],
        ["low", "low"],
      ],
    ],
    ["This model does not support the effort parameter.", [["low", undefined]]],
    ["Model grok-4.20 does not support parameter reasoningEffort.", [["high", undefined]]],
    ['think value "medium" is not supported for this model', [["medium", undefined]]],
    ['"llama3.1:8b" does not support thinking', [["medium", undefined]]],
    [
      "Reasoning is mandatory for this endpoint and cannot be disabled.",
      [
        ["none", undefined],
        ["low", "low"],
      ],
    ],
  ])("for its effort with %s gets the nearest: %j", (upstreamMessage, efforts) => {
    const [[first] = [""]] = efforts;
    const upstreamParam = upstreamMessage.startsWith("Unsupported") ? "reasoning.effort" : null;
    const { change } = repairFor({ reasoning_effort: first }, { upstreamMessage, upstreamParam });
    for (const [effort, nearest] of efforts) {
      expect(change.apply({ reasoning_effort: effort }).reasoning_effort).toBe(nearest);
      expect(change.apply({ reasoning: { effort, summary: "auto" } }).reasoning).toEqual({
        summary: "auto",
        ...(nearest === undefined ? {} : { effort: nearest }),
      });
    }
    expect(change.apply({ output_config: { effort: efforts[0]?.[0] } })).toEqual(
      efforts[0]?.[1] === undefined ? {} : { output_config: { effort: efforts[0][1] } },
    );
  });

  it("for the schemas of its tools goes without the words that Gemini has not, and keeps properties of that name", () => {
    const tools = (parameters: object) => ({
      tools: [{ type: "function", function: { name: "a", parameters } }],
    });
    const words = { type: "object", $schema: "x", additionalProperties: false };
    const sent = tools({ ...words, properties: { const: { type: "integer", exclusiveMinimum: 0 } } });
    // Gemini: https://github.com/zed-industries/zed/issues/45552 (2025-12-23)
    const upstreamMessage = `Invalid JSON payload received. Unknown name "exclusiveMinimum" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`;
    const changed = tools({ type: "object", properties: { const: { type: "integer" } } });
    expect(repairFor(sent, { upstreamMessage }).change.apply(sent)).toEqual(changed);
  });

  // Anthropic: https://github.com/anomalyco/opencode/issues/47543 (2026-09-05)
  const TOP_ANTHROPIC =
    "tools.106.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level";
  // OpenAI: https://github.com/Dicklesworthstone/flywheel_connectors/issues/49 (2026-05-20)
  const TOP_OPENAI =
    "Invalid schema for function 'a': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
  const text = { type: "string" };
  const eitherOf = (...names: string[]) => names.map((name) => ({ required: [name] }));
  const of = (...names: string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, text])),
    required: names,
  });
  it.each<[string, JsonObject, JsonObject, string]>([
    // https://github.com/DeusData/codebase-memory-mcp/issues/1524 (2026-08-10)
    [
      TOP_ANTHROPIC,
      { ...of("project"), anyOf: eitherOf("paths", "scopes") },
      of("project"),
      "Give one of these sets of fields: `paths`; `scopes`.",
    ],
    // https://github.com/makenotion/notion-mcp-server/issues/340 (2026-08-05)
    [
      TOP_OPENAI,
      { type: "object", oneOf: [of("name", "content"), of("name", "url")] },
      { type: "object", properties: { name: text, content: text, url: text }, required: ["name"] },
      "Give one of these sets of fields: `name`, `content`; `name`, `url`.",
    ],
    // https://github.com/zereight/gitlab-mcp/pull/551 (2026-06-22)
    [
      TOP_ANTHROPIC,
      { oneOf: [{ properties: { by: { const: "id" } } }, { properties: { by: { const: "path" } } }] },
      { type: "object", properties: { by: { anyOf: [{ const: "id" }, { const: "path" }] } } },
      "Give one of these sets of fields: `by`; `by`.",
    ],
    // https://github.com/makenotion/notion-mcp-server/issues/102 (2025-08-07), of references that end nowhere a guess
    [
      TOP_OPENAI,
      { $ref: "#/$defs/a", $defs: { a: { allOf: [of("city"), { $ref: "#/$defs/a" }], not: {} } } },
      { ...of("city"), $defs: { a: { allOf: [of("city"), { $ref: "#/$defs/a" }], not: {} } } },
      "",
    ],
    // https://github.com/spring-projects/spring-ai/issues/4776
    // Gemini: https://github.com/BerriAI/litellm/pull/19103 (2026-01-14)
    ["parameters schema should be of type OBJECT", { allOf: [of("city")] }, of("city"), ""],
    // OpenAI: https://github.com/langchain-ai/langchain-mcp-adapters/issues/137 (2025-05-08)
    [
      "Invalid schema for function 'a': In context=(), object schema missing properties.",
      { type: "object" },
      { type: "object", properties: {} },
      "",
    ],
  ])("for a schema of alternatives gets one object, which the description explains: %s %j", (...row) => {
    const [upstreamMessage, given, schema, said] = row;
    const tool = (form: JsonObject, description: string) => ({ name: "a", description, parameters: form });
    const sent = { tools: [{ type: "function", function: tool(given, "Finds.") }, tool(given, "Finds.")] };
    const changed = tool(schema, said === "" ? "Finds." : `Finds.\n${said}`);
    expect(repairFor(sent, { upstreamMessage }).change.apply(sent)).toEqual({
      tools: [{ type: "function", function: changed }, changed],
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    // Kimi: https://github.com/openclaw/openclaw/pull/113462 (2026-07-25)
    // Kimi: https://github.com/MoonshotAI/kimi-code/issues/2661 (2026-08-05)
    [
      "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.tasks.items': when using anyOf, type should be defined in anyOf items instead of the parent schema>",
      { properties: { anyOf: { type: "object", anyOf: eitherOf("a", "b") } } },
      { properties: { anyOf: { anyOf: eitherOf("a", "b").map((one) => ({ type: "object", ...one })) } } },
    ],
    // Gemini: https://github.com/hideya/langchain-mcp-tools-ts/issues/36 (2025-06-17)
    // Gemini: https://github.com/google-gemini/gemini-cli/issues/3178 (2025-07-03)
    [
      "GenerateContentRequest.tools[0].function_declarations[11].parameters.properties[url].format: only 'enum' and 'date-time' are supported for STRING type",
      { properties: { url: { format: "uri" }, at: { format: "date-time" }, format: text } },
      { properties: { url: {}, at: { format: "date-time" }, format: text } },
    ],
    // Gemini: https://github.com/decolua/9router/issues/1870 (2026-06-18)
    [
      `Unknown name "optional" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`,
      { properties: { optional: { type: "string", optional: true, enum: [{ default: 1 }] } } },
      { properties: { optional: { type: "string", enum: [{ default: 1 }] } } },
    ],
  ])("for a part of a schema is changed wherever schemas have it: %s", (upstreamMessage, given, schema) => {
    const sent = { tools: [{ name: "a", input_schema: given }] };
    const changed = { tools: [{ name: "a", input_schema: schema }] };
    expect(repairFor(sent, { upstreamMessage }).change.apply(sent)).toEqual(changed);
  });

  it.each<[string, JsonObject]>([
    ["Unsupported parameter: 'tools' is not supported with this model.", { tools: [] }],
    ["Unsupported parameter: 'stop' is not supported with this model.", { stop: "a" }],
    ["Unsupported parameter: 'temperature' is not supported with this model.", {}],
    // https://github.com/BerriAI/litellm/issues/13825 (2025-08-20)
    [
      "The model returned the following errors: guardrails: Extra inputs are not permitted",
      { guardrails: {} },
    ],
    ["messages.0.content: Extra inputs are not permitted", { messages: [hello] }],
    ["tools.0.custom.input_schema: Extra inputs are not permitted", { tools: [{ input_schema: {} }] }],
    ["response_format: Extra inputs are not permitted", { response_format: { type: "json_object" } }],
    ["temperature: Input should be less than or equal to 2", { temperature: 3 }],
    ["max_tokens: 5 > 4", { max_tokens: 5 }],
    // A text may quote the request.
    ["You said: System message must be at the beginning.", { messages: [hello, brief] }],
    ["You said: Conversation roles must alternate.", { messages: [hello, hello] }],
    [
      "You said: messages.1: all messages must have non-empty content",
      { messages: [{ role: "user", content: "" }, hello] },
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9192 tokens (9000 in the messages, 192 in the completion).",
      { max_tokens: 192 },
    ],
    [
      "This request requires more credits, or fewer max_tokens. You requested up to 4000 tokens, but can only afford 12.",
      { max_tokens: 4000 },
    ],
    [
      "Function tools with reasoning_effort are not supported for our-model in /v1/chat/completions. Set reasoning_effort to 'none'.",
      { reasoning_effort: "low" },
    ],
    [
      "The model said: max_tokens is too large: 9. This model supports at most 1 completion tokens",
      { max_tokens: 9 },
    ],
  ])("with %s is the caller's to change", (upstreamMessage, sent) => {
    expect(mended(sent, { upstreamMessage })).toBeNull();
  });

  it("for long ids of calls gets short ones, the same for a call and its output, in both of OpenAI's APIs", () => {
    // OpenAI: https://github.com/openclaw/openclaw/pull/875 (2026-01-13), https://github.com/earendil-works/pi/issues/4720 (2026-05-18)
    const upstreamMessage =
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 65 instead.";
    const call = { type: "function", function: { name: "b", arguments: "{}" } };
    const withId = (id: string) => ({
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { ...call, id },
            { ...call, id: "short" },
          ],
        },
        { role: "tool", tool_call_id: id, content: "3 °C" },
      ],
      input: [{ type: "function_call", call_id: id }, { type: "function_call_output", call_id: id }, hello],
    });
    const sent = withId(`call_${"a".repeat(60)}`);
    const changed = repairFor(sent, { upstreamMessage }).change.apply(sent) as typeof sent;
    const short = changed.messages[0]?.tool_calls?.[0]?.id ?? "";
    expect(short).toHaveLength(40);
    expect(changed).toEqual(withId(short));
  });

  it("for a long key of the prompt cache gets a short one, always the same", () => {
    const upstreamMessage =
      "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 73 instead.";
    const sent = { prompt_cache_key: "a".repeat(73), user: "ada" };
    const { change } = repairFor(sent, { upstreamMessage, upstreamParam: "prompt_cache_key" });
    const { prompt_cache_key: key, user } = change.apply(sent);
    expect([String(key).length, user]).toEqual([64, "ada"]);
    expect(change.apply(sent).prompt_cache_key).toBe(key);
  });

  it("for credit that lasts for a shorter answer is no failure of the account, and later ones are asked for in full", async () => {
    const upstreamMessage =
      "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 27342.";
    const poor = fails("quota_exhausted", { status: 402, upstreamMessage });
    const provider = new FakeProvider("lab", poor, answers("Hi"), answers("Hi"));
    const { run, inference } = startInference([provider]);
    for (let time = 0; time < 2; time++) await run({ body: { messages, max_tokens: 32_000 } });
    expect(provider.calls.map(({ body }) => body.max_tokens)).toEqual([32_000, 27_342, 32_000]);
    expect(inference.health("lab", "model-a").error_rate).toBe(0);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      "messages[0].role: unknown variant `developer`, expected one of `system`, `user`",
      { messages: [{ ...brief, role: "developer" }, hello] },
      { messages: [brief, hello] },
    ],
    [
      "Invalid 'input[0].id': 'item_1'. Expected an ID that begins with 'msg'.",
      { input: [{ ...hi, id: "item_1" }] },
      { input: [hi] },
    ],
  ])("with %s is changed from then on", (upstreamMessage, sent, changed) => {
    const [repairs, deployment] = [new Repairs(), deploymentOf("lab", "model-a")];
    repairs.keep(repairFor(sent, { upstreamMessage }), deployment);
    const others = { tools: [] };
    expect(repairs.applied({ ...sent, ...others }, deployment)).toEqual({ ...changed, ...others });
  });

  it.each([
    ["Invalid '", "id"],
    ["Invalid 'id", "': id"],
    ["", "length is 1 tokens "],
    ["", "unsupported 'a.b"],
    ["effort should be ", "low, "],
  ])("is read in linear time, also after %s one of %s again and again", (start, piece) => {
    const upstreamMessage = start + piece.repeat(1_000_000 / piece.length);
    expect(mended({ top_k: 1 }, { upstreamMessage })).toBeNull();
  });

  it("is looked for in the body as far as its first 24 paths, each once", () => {
    const looks: unknown[] = [];
    const sent = Object.defineProperty({}, "message", { get: () => looks.push(1), enumerable: true });
    const named = Array.from({ length: 100 }, (_, at) => `'message.a${at}'`).join(" ");
    expect(mended(sent, { upstreamMessage: `unsupported ${named}` })).toBeNull();
    expect(looks.length).toBeLessThan(60);
  });

  it("for one field is not changed in another one that its text quotes", () => {
    const upstreamMessage = "Invalid value: 'temperature' is not supported'. Supported values are: 'user'.";
    expect(mended({ temperature: 0 }, { upstreamMessage, upstreamParam: "messages[0].role" })).toBeNull();
  });

  it.each([
    ["2026-10-21", true],
    ["2023-06-01", false],
    [undefined, false],
  ])(
    "that the version %s of Anthropic's API has no longer is the caller's to leave out: %s",
    (version, isCallers) => {
      const upstreamMessage = "temperature: Extra inputs are not permitted";
      expect(mended({ temperature: 1 }, { upstreamMessage }, version) === null).toBe(isCallers);
    },
  );
});

describe("Reasoning that a provider cannot read", () => {
  // Anthropic: https://github.com/ding113/claude-code-hub/issues/518 (2026-01-03)
  const INVALID = "messages.1.content.0: Invalid `signature` in `thinking` block";
  // OpenAI: https://github.com/Wei-Shaw/sub2api/issues/2863 (2026-05-28)
  const UNREADABLE = "The encrypted content gAAA...x could not be verified.";
  const thought = (signature: string) => ({ type: "thinking", thinking: "Hm.", signature });
  const said = { type: "text", text: "Hi" };

  const answered = (...content: readonly object[]) => ({
    messages: [hello, { role: "assistant", content }, hello],
  });
  const reasoned = (fields: object) => ({ messages: [{ role: "assistant", content: "Hi", ...fields }] });
  // Anthropic: https://github.com/anthropics/claude-code/issues/63418 (2026-05-28)
  const MODIFIED =
    "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";
  const encrypted = { type: "reasoning", summary: [], encrypted_content: "a" };
  const details = [{ type: "reasoning.encrypted", data: "a" }];
  const signed = { id: "a", extra_content: { google: { thought_signature: "a" } } };
  it.each<[string, JsonObject, JsonObject]>([
    [MODIFIED, answered(thought("a"), said), answered(said)],
    [INVALID, answered(thought("a"), said), answered(said)],
    [INVALID, reasoned({ thinking_blocks: [thought("a")] }), reasoned({ thinking_blocks: [] })],
    [INVALID, { thinking, ...answered(thought("a"), used) }, answered(used)],
    [UNREADABLE, { input: [hello, encrypted, hello] }, { input: [hello, hello] }],
    [UNREADABLE, reasoned({ reasoning_details: details }), reasoned({ reasoning_details: [] })],
    // Gemini: https://github.com/google-gemini/gemini-cli/issues/13467 (2025-11-20)
    [
      "Corrupted thought signature.",
      reasoned({ tool_calls: [signed] }),
      reasoned({ tool_calls: [{ id: "a" }] }),
    ],
  ])("is left out: %s %j", (upstreamMessage, sent, changed) => {
    expect(repairFor(sent, { upstreamMessage }).change.apply(sent)).toEqual(changed);
  });

  it("is remembered, and other reasoning is sent", () => {
    const [repairs, deployment] = [new Repairs(), deploymentOf("lab", "model-a")];
    const forged = answered(thought("a"), said);
    repairs.keep(repairFor(forged, { upstreamMessage: INVALID }), deployment);
    expect(repairs.applied(forged, deployment)).toEqual(answered(said));
    const own = answered(thought("b"), said);
    expect(repairs.applied(own, deployment)).toBe(own);
  });
});
