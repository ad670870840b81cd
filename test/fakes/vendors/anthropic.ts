import type { JsonObject } from "../../../src/providers/chat.js";
import { has, list, member, type Refusal, type VendorRequest, type VendorRule } from "./rule.js";

const refusal = (text: string): Refusal => ({
  status: 400,
  text,
  body: { type: "error", error: { type: "invalid_request_error", message: text }, request_id: "req_1" },
});

const VERSION = /claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/;

/** 4.7 → 407; models of other names are old. */
function versionOf(model: string): number {
  const [, , major = "3", minor = "0"] = VERSION.exec(model) ?? [];
  return Number(major) * 100 + Number(minor);
}

const blocks = (message: JsonObject): readonly JsonObject[] =>
  typeof message.content === "string" ? [{ type: "text", text: message.content }] : list(message.content);

const messagesOf = (body: JsonObject): readonly JsonObject[] => list(body.messages);

const thinks = (body: JsonObject): boolean =>
  ["enabled", "adaptive"].includes(String(member(body.thinking, "type")));

/** Levels of `output_config.effort`; empty where the model has none. */
function effortsOf(model: string): readonly string[] {
  const version = versionOf(model);
  if (version >= 407) return ["low", "medium", "high", "xhigh", "max"];
  if (version === 406) return ["low", "medium", "high", "max"];
  return version === 405 && model.includes("opus") ? ["low", "medium", "high"] : [];
}

function unansweredUse(body: JsonObject): Refusal | null {
  const messages = messagesOf(body);
  for (const [index, message] of messages.entries()) {
    const used = blocks(message).filter(({ type }) => type === "tool_use");
    const results = blocks(messages[index + 1] ?? {}).filter(({ type }) => type === "tool_result");
    const open = used.filter(({ id }) => !results.some(({ tool_use_id: of }) => of === id));
    if (open.length > 0)
      return refusal(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map(({ id }) => id).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
  }
  return null;
}

function strayResult(body: JsonObject): Refusal | null {
  const messages = messagesOf(body);
  for (const [index, message] of messages.entries()) {
    const used = blocks(messages[index - 1] ?? {}).filter(({ type }) => type === "tool_use");
    for (const [at, { type, tool_use_id: id }] of blocks(message).entries())
      if (type === "tool_result" && !used.some((use) => use.id === id))
        return refusal(
          `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
  }
  return null;
}

function foreignSignature(body: JsonObject): Refusal | null {
  for (const [index, message] of messagesOf(body).entries())
    for (const [at, block] of blocks(message).entries())
      if (block.type === "thinking" && !String(block.signature).startsWith("Er"))
        return refusal(`messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`);
  return null;
}

const user = { role: "user", content: "Hello" };
const use = { type: "tool_use", id: "toolu_1", name: "weather", input: {} };
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "3 °C" };
const tools = [{ name: "weather", input_schema: { type: "object", properties: {} } }];
const messages = (model: string, fields: JsonObject): VendorRequest => ({
  ...{ api: "messages", model, body: { model, max_tokens: 4000, messages: [user], ...fields } },
});
const THINKING_PAGE = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/**
 * Anthropic's. That the first message must be a user's is not among them: its own API has taken others since late 2024,
 * Bedrock has not (github.com/anthropics/anthropic-sdk-typescript/issues/622, 2024-12-06).
 */
export const ANTHROPIC_RULES: readonly VendorRule[] = [
  {
    ...{ id: "anthropic.max-tokens", vendor: "anthropic" },
    refused: "no `max_tokens`",
    ...{ source: "https://github.com/tickernelz/opencode-mem/issues/50", seen: "2026-03-03" },
    example: messages("claude-haiku-4-5", { max_tokens: undefined }),
    check: ({ body }) => (has(body, "max_tokens") ? null : refusal("max_tokens: Field required")),
  },
  {
    ...{ id: "anthropic.budget-below-limit", vendor: "anthropic" },
    refused: "a thinking budget that is not below `max_tokens`",
    ...{ source: "https://github.com/liuw1535/antigravity2api-nodejs/issues/150", seen: "2026-02-10" },
    example: messages("claude-sonnet-4-5", { thinking: { type: "enabled", budget_tokens: 4000 } }),
    check: ({ body }) =>
      Number(member(body.thinking, "budget_tokens")) >= Number(body.max_tokens)
        ? refusal(
            `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${THINKING_PAGE}#max-tokens-and-context-window-size`,
          )
        : null,
  },
  {
    ...{ id: "anthropic.budget-least", vendor: "anthropic" },
    refused: "a thinking budget below 1,024",
    ...{ source: "https://github.com/themaximalist/llm.js/issues/30", seen: "2026-08-19" },
    example: messages("claude-sonnet-4-5", { thinking: { type: "enabled", budget_tokens: 512 } }),
    check: ({ body }) =>
      Number(member(body.thinking, "budget_tokens")) < 1024
        ? refusal("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
        : null,
  },
  {
    ...{ id: "anthropic.temperature-with-thinking", vendor: "anthropic" },
    refused: "a `temperature` other than 1 with thinking",
    ...{ source: "https://github.com/MartialBE/one-hub/issues/529", seen: "2025-03-05" },
    example: messages("claude-sonnet-4-5", {
      thinking: { type: "enabled", budget_tokens: 2000 },
      temperature: 0,
    }),
    check: ({ body }) =>
      thinks(body) && has(body, "temperature") && body.temperature !== 1
        ? refusal(
            `\`temperature\` may only be set to 1 when thinking is enabled. Please consult our documentation at ${THINKING_PAGE}#important-considerations-when-using-extended-thinking`,
          )
        : null,
  },
  {
    ...{ id: "anthropic.temperature-and-top-p", vendor: "anthropic" },
    refused: "`temperature` and `top_p` together, from Opus 4.1 and the 4.5 models on",
    ...{ source: "https://github.com/cloud-apim/otoroshi-llm-extension/issues/140", seen: "2025-10-30" },
    example: messages("claude-sonnet-4-5", { temperature: 0.5, top_p: 0.5 }),
    check: ({ model, body }) =>
      versionOf(model) >= 401 && versionOf(model) < 407 && has(body, "temperature") && has(body, "top_p")
        ? refusal("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
        : null,
  },
  {
    ...{ id: "anthropic.sampling", vendor: "anthropic" },
    refused: "`temperature`, `top_p` or `top_k` from Opus 4.7 on",
    ...{ source: "https://github.com/rocketride-org/rocketride-server/issues/1194", seen: "2026-06-09" },
    example: messages("claude-opus-4-8", { temperature: 0 }),
    check: ({ model, body }) => {
      const field = ["temperature", "top_p", "top_k"].find((name) => has(body, name));
      return versionOf(model) >= 407 && field !== undefined
        ? refusal(`\`${field}\` is deprecated for this model.`)
        : null;
    },
  },
  {
    ...{ id: "anthropic.enabled-thinking", vendor: "anthropic" },
    refused: "thinking with a budget from Opus 4.7 on",
    ...{ source: "https://github.com/earendil-works/pi/issues/3297", seen: "2026-04-16" },
    example: messages("claude-opus-4-8", { thinking: { type: "enabled", budget_tokens: 2000 } }),
    check: ({ model, body }) =>
      versionOf(model) >= 407 && member(body.thinking, "type") === "enabled"
        ? refusal(
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
          )
        : null,
  },
  {
    ...{ id: "anthropic.effort", vendor: "anthropic" },
    refused: "efforts that the model has not (the text is a guess)",
    ...{ source: "https://github.com/aaif-goose/goose/pull/9281", seen: "2026-05-16" },
    example: messages("claude-sonnet-4-5", { output_config: { effort: "high" } }),
    check: ({ model, body }) => {
      const effort = member(body.output_config, "effort");
      if (typeof effort !== "string" || effortsOf(model).includes(effort)) return null;
      return refusal(
        effortsOf(model).length === 0
          ? "This model does not support the effort parameter."
          : `output_config.effort: '${effort}' is not supported by this model.`,
      );
    },
  },
  {
    ...{ id: "anthropic.forced-tool-with-thinking", vendor: "anthropic" },
    refused: "a forced tool with thinking",
    ...{ source: "https://github.com/usestrix/strix/issues/503", seen: "2026-05-27" },
    example: messages("claude-sonnet-4-5", {
      ...{ thinking: { type: "enabled", budget_tokens: 2000 }, tools, tool_choice: { type: "any" } },
    }),
    check: ({ body }) =>
      thinks(body) && ["any", "tool"].includes(String(member(body.tool_choice, "type")))
        ? refusal("Thinking may not be enabled when tool_choice forces tool use.")
        : null,
  },
  {
    ...{ id: "anthropic.result-without-use", vendor: "anthropic" },
    refused: "a tool's result without its use",
    ...{ source: "https://github.com/tghamm/Anthropic.SDK/issues/184", seen: "2026-02-16" },
    example: messages("claude-haiku-4-5", { messages: [{ role: "user", content: [result] }] }),
    check: ({ body }) => strayResult(body),
  },
  {
    ...{ id: "anthropic.use-without-result", vendor: "anthropic" },
    refused: "a use of a tool without its result",
    ...{ source: "https://github.com/anthropics/claude-code/issues/8612", seen: "2025-10-01" },
    example: messages("claude-haiku-4-5", {
      messages: [user, { role: "assistant", content: [use] }, user],
    }),
    check: ({ body }) => unansweredUse(body),
  },
  {
    ...{ id: "anthropic.signature", vendor: "anthropic" },
    refused: "thinking that another model or host signed",
    ...{ source: "https://github.com/ding113/claude-code-hub/issues/518", seen: "2026-01-03" },
    example: messages("claude-sonnet-4-5", {
      thinking: { type: "enabled", budget_tokens: 2000 },
      messages: [
        user,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "foreign" },
            { type: "text", text: "Hello" },
          ],
        },
        user,
      ],
    }),
    check: ({ body }) => foreignSignature(body),
  },
  {
    ...{ id: "anthropic.empty-text", vendor: "anthropic" },
    refused: "an empty text",
    ...{ source: "https://github.com/anthropics/claude-code/issues/59812", seen: "2026-05-16" },
    example: messages("claude-haiku-4-5", {
      messages: [{ role: "user", content: [{ type: "text", text: "" }] }],
    }),
    check: ({ body }) =>
      messagesOf(body)
        .flatMap(blocks)
        .some(({ type, text }) => type === "text" && text === "")
        ? refusal("messages: text content blocks must be non-empty")
        : null,
  },
  {
    ...{ id: "anthropic.prefill", vendor: "anthropic" },
    refused: "the beginning of the answer as last message, from Opus 4.6 on",
    ...{ source: "https://github.com/anomalyco/opencode/issues/13768", seen: "2026-02-15" },
    example: messages("claude-opus-4-8", { messages: [user, { role: "assistant", content: "{" }] }),
    check: ({ model, body }) =>
      versionOf(model) >= 406 && messagesOf(body).at(-1)?.role === "assistant"
        ? refusal(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
          )
        : null,
  },
];
