import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { has, list, member, type Refusal, rulesOf } from "./rule.js";

export const refusal = (text: string): Refusal => ({
  status: 400,
  text,
  body: { type: "error", error: { type: "invalid_request_error", message: text }, request_id: "req_1" },
});

const VERSION = /claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/;

/** 4.7 → 407; models of other names are old. */
export function versionOf(model: string): number {
  const [, , major = "3", minor = "0"] = VERSION.exec(model) ?? [];
  return Number(major) * 100 + Number(minor);
}

/** A text that is not there is no block. */
export function blocks({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content !== "string") return list(content);
  return content === "" ? [] : [{ type: "text", text: content }];
}

export const messagesOf = (body: JsonObject): readonly JsonObject[] => list(body.messages);

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

/** The first block of the conversation that is so, with its path. */
function blockIn(body: JsonObject, isSo: (block: JsonObject) => boolean) {
  const all = messagesOf(body).flatMap((message, index) =>
    blocks(message).map((block, at) => ({ block, path: `messages.${index}.content.${at}` })),
  );
  return all.find(({ block }) => isSo(block));
}

const MOST_IMAGE_BYTES = 5_242_880;

/** The fakes' signatures of thinking. Others that begin as real ones do pass. */
export const signatureOf = (thinking: string): string => `Er:${Buffer.from(thinking).toString("base64")}`;
const isSigned = (signature: unknown): boolean =>
  typeof signature === "string" && signature.startsWith("Er:");

const THINKING_PAGE = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/**
 * Anthropic's. That the first message must be a user's is not among them: its own API has taken others since late 2024,
 * Bedrock has not (github.com/anthropics/anthropic-sdk-typescript/issues/622, 2024-12-06).
 */
export const ANTHROPIC_RULES = rulesOf("anthropic", {
  "max-tokens": {
    refused: "no `max_tokens`",
    reported: "https://github.com/tickernelz/opencode-mem/issues/50 (2026-03-03)",
    check: ({ body }) => !has(body, "max_tokens") && refusal("max_tokens: Field required"),
  },
  "budget-below-limit": {
    refused: "a thinking budget that is not below `max_tokens`",
    reported: "https://github.com/liuw1535/antigravity2api-nodejs/issues/150 (2026-02-10)",
    when: ({ body }) => Number(member(body.thinking, "budget_tokens")) >= Number(body.max_tokens),
    says: refusal(
      `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${THINKING_PAGE}#max-tokens-and-context-window-size`,
    ),
  },
  "budget-least": {
    refused: "a thinking budget below 1,024",
    reported: "https://github.com/themaximalist/llm.js/issues/30 (2026-08-19)",
    when: ({ body }) => Number(member(body.thinking, "budget_tokens")) < 1024,
    says: refusal("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"),
  },
  "temperature-with-thinking": {
    refused: "a `temperature` other than 1 with thinking",
    reported: "https://github.com/MartialBE/one-hub/issues/529 (2025-03-05)",
    when: ({ body }) => thinks(body) && has(body, "temperature") && body.temperature !== 1,
    says: refusal(
      `\`temperature\` may only be set to 1 when thinking is enabled. Please consult our documentation at ${THINKING_PAGE}#important-considerations-when-using-extended-thinking`,
    ),
  },
  "temperature-and-top-p": {
    refused: "`temperature` and `top_p` together, from Opus 4.1 and the 4.5 models on",
    reported: "https://github.com/cloud-apim/otoroshi-llm-extension/issues/140 (2025-10-30)",
    when: ({ model, body }) =>
      versionOf(model) >= 401 && versionOf(model) < 407 && has(body, "temperature") && has(body, "top_p"),
    says: refusal("`temperature` and `top_p` cannot both be specified for this model. Please use only one."),
  },
  sampling: {
    refused: "`temperature`, `top_p` or `top_k` from Opus 4.7 on",
    reported: "https://github.com/rocketride-org/rocketride-server/issues/1194 (2026-06-09)",
    check: ({ model, body }) => {
      const field = ["temperature", "top_p", "top_k"].find((name) => has(body, name));
      if (versionOf(model) < 407 || field === undefined) return null;
      return refusal(`\`${field}\` is deprecated for this model.`);
    },
  },
  "enabled-thinking": {
    refused: "thinking with a budget from Opus 4.7 on",
    reported: "https://github.com/earendil-works/pi/issues/3297 (2026-04-16)",
    when: ({ model, body }) => versionOf(model) >= 407 && member(body.thinking, "type") === "enabled",
    says: refusal(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ),
  },
  effort: {
    refused: "efforts that the model has not (the text is a guess)",
    reported: "https://github.com/aaif-goose/goose/pull/9281 (2026-05-16)",
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
  "forced-tool-with-thinking": {
    refused: "a forced tool with thinking",
    reported: "https://github.com/usestrix/strix/issues/503 (2026-05-27)",
    when: ({ body }) => thinks(body) && ["any", "tool"].includes(String(member(body.tool_choice, "type"))),
    says: refusal("Thinking may not be enabled when tool_choice forces tool use."),
  },
  "result-without-use": {
    refused: "a tool's result without its use",
    reported: "https://github.com/tghamm/Anthropic.SDK/issues/184 (2026-02-16)",
    check: ({ body }) => strayResult(body),
  },
  "use-without-result": {
    refused: "a use of a tool without its result",
    reported: "https://github.com/anthropics/claude-code/issues/8612 (2025-10-01)",
    check: ({ body }) => unansweredUse(body),
  },
  signature: {
    refused: "thinking that another model or host signed",
    reported: "https://github.com/ding113/claude-code-hub/issues/518 (2026-01-03)",
    check: ({ body }) => {
      const foreign = blockIn(
        body,
        ({ type, signature }) => type === "thinking" && !String(signature).startsWith("Er"),
      );
      return foreign && refusal(`${foreign.path}: Invalid \`signature\` in \`thinking\` block`);
    },
  },
  "empty-text": {
    refused: "an empty text",
    reported: "https://github.com/anthropics/claude-code/issues/59812 (2026-05-16)",
    check: ({ body }) =>
      messagesOf(body)
        .flatMap(blocks)
        .some(({ type, text }) => type === "text" && text === "") &&
      refusal("messages: text content blocks must be non-empty"),
  },
  prefill: {
    refused: "the beginning of the answer as last message, from Opus 4.6 on",
    reported: "https://github.com/anomalyco/opencode/issues/13768 (2026-02-15)",
    when: ({ model, body }) => versionOf(model) >= 406 && messagesOf(body).at(-1)?.role === "assistant",
    says: refusal(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
  },
  "empty-content": {
    refused: "a message without content, other than the last one of the assistant",
    reported: "https://github.com/anthropics/claude-code/issues/6774 (2025-08-28)",
    check: ({ body }) => {
      const all = messagesOf(body);
      const at = all.findIndex(
        ({ role, content }, index) =>
          (content === "" || (Array.isArray(content) && content.length === 0)) &&
          !(role === "assistant" && index === all.length - 1),
      );
      if (at < 0) return null;
      return refusal(
        `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
      );
    },
  },
  "tool-name": {
    refused: "names of tools with other characters than letters, digits, `_` and `-`",
    reported: "https://github.com/microsoft/wassette/issues/56 (2025-08-03)",
    check: ({ body }) => {
      const at = list(body.tools).findIndex(({ name }) => !/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)));
      return (
        at >= 0 && refusal(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
      );
    },
  },
  "tool-names": {
    refused: "two tools of one name",
    reported: "https://github.com/danny-avila/LibreChat/issues/13162 (2026-05-17)",
    check: ({ body }) => {
      const names = list(body.tools).map(({ name }) => name);
      return new Set(names).size < names.length && refusal("tools: Tool names must be unique.");
    },
  },
  "top-alternatives": {
    refused: "a function's schema that has alternatives at its top",
    reported: "https://github.com/anomalyco/opencode/issues/47543 (2026-09-05)",
    check: ({ body }) => {
      const has = (schema: unknown) => ["anyOf", "oneOf", "allOf"].some((word) => member(schema, word));
      const at = list(body.tools).findIndex(({ input_schema: schema }) => has(schema));
      if (at < 0) return null;
      return refusal(
        `tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      );
    },
  },
  "image-type": {
    refused: "an image of another type than it is said to be",
    reported: "https://github.com/1jehuang/jcode/issues/465 (2026-07-10)",
    check: ({ body }) => {
      const typeOf = ({ source }: JsonObject) => member(source, "media_type");
      const isJpeg = ({ source }: JsonObject) => String(member(source, "data")).startsWith("/9j/");
      const wrong = blockIn(body, (block) => isJpeg(block) && typeOf(block) !== "image/jpeg");
      if (wrong === undefined) return null;
      return refusal(
        `${wrong.path}.image.source.base64: The image was specified using the ${typeOf(wrong.block)} media type, but the image appears to be a image/jpeg image`,
      );
    },
  },
  "image-size": {
    refused: "an image above 5 MB",
    reported: "https://github.com/anthropics/claude-code/issues/11181 (2025-11-07)",
    check: ({ body }) => {
      const lengthOf = ({ source }: JsonObject) => String(member(source, "data") ?? "").length;
      const large = blockIn(body, (block) => lengthOf(block) > MOST_IMAGE_BYTES);
      if (large === undefined) return null;
      return refusal(
        `${large.path}.image.source.base64: image exceeds 5 MB maximum: ${lengthOf(large.block)} bytes > ${MOST_IMAGE_BYTES} bytes`,
      );
    },
  },
  "cache-marks": {
    refused: "more than four marks of `cache_control`",
    reported: "https://github.com/Wei-Shaw/sub2api/issues/2013 (2026-04-27)",
    check: ({ body }) => {
      const marks =
        JSON.stringify([body.system, body.tools, body.messages]).split('"cache_control":{').length - 1;
      return (
        marks > 4 && refusal(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
      );
    },
  },
  "modified-thinking": {
    refused: "thinking that is not as it was signed",
    reported: "https://github.com/anthropics/claude-code/issues/63418 (2026-05-28)",
    check: ({ body }) => {
      const modified = blockIn(
        body,
        ({ type, thinking, signature }) =>
          type === "thinking" && isSigned(signature) && signature !== signatureOf(String(thinking)),
      );
      if (modified === undefined) return null;
      return refusal(
        `${modified.path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      );
    },
  },
  "most-tokens": {
    refused: "`max_tokens` above what the model can write",
    reported: "https://github.com/anthropics/claude-code/issues/24451 (2026-02-09)",
    check: ({ model, body }) => {
      const most = versionOf(model) >= 406 ? 128_000 : 64_000;
      if (!(Number(body.max_tokens) > most)) return null;
      return refusal(
        `max_tokens: ${body.max_tokens} > ${most}, which is the maximum allowed number of output tokens for ${model}`,
      );
    },
  },
  "trailing-space": {
    refused: "white space at the end of the answer's beginning",
    reported: "https://github.com/tailcallhq/forgecode/issues/1872 (2025-11-08)",
    check: ({ body }) => {
      const last = messagesOf(body).at(-1);
      const text = last?.role === "assistant" ? blocks(last).at(-1)?.text : "";
      if (typeof text !== "string" || text === text.trimEnd()) return null;
      return refusal("messages: final assistant content cannot end with trailing whitespace");
    },
  },
  "temperature-range": {
    refused: "a `temperature` above 1 (the text is a guess)",
    reported: "https://github.com/odysseus-dev/odysseus/pull/1737 (2026-06-03)",
    check: ({ body }) => Number(body.temperature ?? 0) > 1 && refusal("temperature: range: 0..1"),
  },
  "loop-without-thinking": {
    refused: "a thinking budget in a loop of tools that began without thinking",
    reported: "https://github.com/Kilo-Org/kilocode/issues/5219 (2026-01-20)",
    check: ({ body }) => {
      const all = messagesOf(body);
      const at = all.findLastIndex(({ role }) => role === "assistant");
      const [first, ...others] = blocks(all[at] ?? {});
      const isLoop = [first, ...others].some((block) => block?.type === "tool_use");
      if (member(body.thinking, "type") !== "enabled" || !isLoop || String(first?.type).endsWith("thinking"))
        return null;
      return refusal(
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at ${THINKING_PAGE}`,
      );
    },
  },
});
