/**
 * What vendors refuse by name, and how a request is changed so that it passes. Above each row: who says so, the report and its day.
 * A field that a vendor does not know needs no row: `fields.ts` has the rule for all of them, `efforts.ts` for efforts.
 */
import type { JsonObject } from "../../../providers/chat.js";
import { type Change, type Refused, type Said, without } from "./change.js";
import * as conversation from "./conversation.js";
import * as parameters from "./parameters.js";
import * as schemas from "./schemas.js";
import { withoutSealed } from "./seals.js";

type Row = readonly [
  says: RegExp,
  /** Returns the body itself when it has nothing to change. */
  change: (body: JsonObject, said: Said) => JsonObject,
  /** Default: `always`. */
  scope?: Change["scope"],
];

const leaveOut = (name: string) => (body: JsonObject) => without(body, name);
const withoutReasoning = (body: JsonObject) => withoutSealed(body, () => true);

const TABLE: readonly Row[] = [
  // Reasoning that another host, account or model sealed: the answer is given without it.
  // OpenAI: https://github.com/Wei-Shaw/sub2api/issues/2863 (2026-05-28)
  [
    /^The encrypted content .{1,200} could not be verified|^invalid_encrypted_content$/,
    withoutReasoning,
    "once",
  ],
  // Anthropic: https://github.com/ding113/claude-code-hub/issues/518 (2026-01-03)
  [/invalid `?signature`? in `?thinking/i, withoutReasoning, "once"],
  // Anthropic: https://github.com/anthropics/claude-code/issues/63418 (2026-05-28)
  [/thinking` blocks in the latest assistant message cannot be modified/, withoutReasoning, "once"],
  // Gemini: https://github.com/google-gemini/gemini-cli/issues/13467 (2025-11-20); the other two are guesses
  [/(?:corrupted|invalid) thought signature|thought signature is not valid/i, withoutReasoning, "once"],

  // Reasoning that is wanted back. Kimi: https://github.com/QuantumNous/new-api/issues/3121 (2026-03-05), also at SiliconFlow:
  // https://github.com/agentscope-ai/QwenPaw/issues/433 (2026-03-03)
  [/reasoning_content is missing in assistant tool call/, conversation.withThoughtsBeforeCalls],
  // DeepSeek: https://github.com/mnfst/modelparams.dev/issues/29 (2026-05-25)
  [/reasoning_content`? .{0,40}must be passed back/, conversation.withThoughtsBeforeCalls],

  // Thinking. Claude from 4.7 on: https://github.com/earendil-works/pi/issues/3297 (2026-04-16)
  [/thinking\.type\.enabled.{0,3} is not supported/, parameters.withAdaptiveThinking, "alike"],
  // Older Claudes: a guess
  [/adaptive thinking is not supported/i, parameters.withThinkingBudget, "alike"],
  // Anthropic: https://github.com/usestrix/strix/issues/503 (2026-05-27)
  [/tool_choice forces tool use/, leaveOut("thinking"), "alike"],
  // Anthropic: https://github.com/Kilo-Org/kilocode/issues/5219 (2026-01-20)
  [/Expected `thinking` or `redacted_thinking`/, leaveOut("thinking"), "alike"],
  // Anthropic: https://github.com/anthropics/claude-code/issues/11534 (2025-11-13)
  [/^`clear_thinking_\d+` strategy requires `thinking`/, leaveOut("context_management"), "alike"],
  // DeepSeek: https://github.com/deepseek-ai/DeepSeek-V3/issues/1376 (2026-08-21)
  [
    /thinking mode does not support this tool_choice/i,
    (body) => ({ ...without(body, "reasoning_effort"), thinking: { type: "disabled" } }),
    "alike",
  ],

  // The limit of an answer. OpenAI: https://github.com/tailcallhq/forgecode/issues/1185 (2025-07-22)
  [/^max_tokens is too large: \d+\. This model supports at most (\d+)/, parameters.withLowerLimit],
  // Anthropic: https://github.com/anthropics/claude-code/issues/24451 (2026-02-09)
  [/^max_tokens: \d+ > (\d+), which is the maximum/, parameters.withLowerLimit],
  // DeepSeek: a guess
  [/^Invalid max_tokens value, the valid range of max_tokens is \[1, ?(\d+)\]/, parameters.withLowerLimit],
  // vLLM and OpenAI count the prompt, newer vLLMs have not yet: https://github.com/vllm-project/vllm/issues/42474 (2026-05-13)
  [
    /^(?:'max_tokens' or 'max_completion_tokens' is too large: \d+\. )?This model's maximum context length is (\d+) tokens(?: and your request has (\d+) input tokens|\. However, you requested \d+ (?:tokens \((\d+) in the messages|output tokens and))/,
    parameters.withRestOfContext,
    "now",
  ],
  // SGLang: https://github.com/anomalyco/opencode/pull/25230 (2026-05-01)
  [
    /^Requested token count exceeds the model's maximum context length of (\d+) tokens\. You requested a total of \d+ tokens: (\d+) tokens from the input/,
    parameters.withRestOfContext,
    "now",
  ],
  // OpenRouter: https://github.com/Gitlawb/openclaude/issues/1125 (2026-05-12)
  [
    /^This request requires more credits, or fewer max_tokens\b.*can only afford (\d+)/,
    parameters.withPaidLimit,
    "now",
  ],
  // Claude from 4.1 to 4.6: https://github.com/cloud-apim/otoroshi-llm-extension/issues/140 (2025-10-30)
  [/`temperature` and `top_p` cannot both/, leaveOut("top_p"), "alike"],

  // The form of messages. Anthropic: https://github.com/anthropics/claude-code/issues/59812 (2026-05-16)
  [/text content blocks must (?:be non-empty|contain non-whitespace)/, conversation.withoutEmptyText],
  // Anthropic: https://github.com/anthropics/claude-code/issues/6774 (2025-08-28)
  [/^messages\.\d+: all messages must have non-empty content/, conversation.withoutEmpty],
  // Anthropic: https://github.com/tailcallhq/forgecode/issues/1872 (2025-11-08)
  [
    /^messages: final assistant content cannot end with trailing whitespace/,
    conversation.withoutTrailingSpace,
  ],
  // Older Claudes, of instructions in the middle of a conversation: a guess
  [/Unexpected role "system"/, conversation.inRole("system", "user")],
  // DeepSeek: https://github.com/theopenco/llmgateway/pull/3462 (2026-08-07)
  [
    /^(?:Failed to deserialize the JSON body into the target type: )?messages\[\d+\]\.role: unknown variant `developer`/,
    conversation.inRole("developer", "system"),
  ],
  // Templates of Gemma: https://github.com/suitenumerique/conversations/issues/197 (2025-12-05)
  [/^(?:C|After the optional system message, c)onversation roles must alternate/, conversation.inTurns],
  // Templates of Qwen: https://github.com/vllm-project/vllm/issues/41114 (2026-04-28)
  [/^System message must be at the beginning/, conversation.withInstructionsFirst],
  // OpenAI: https://github.com/openclaw/openclaw/pull/875 (2026-01-13)
  [
    /^Invalid '[^']*(?:tool_calls\[\d+\]\.id|call_id)': string too long\. Expected a string with maximum length (\d+)/,
    conversation.withShortIds,
  ],
  // OpenAI: https://github.com/earendil-works/pi/issues/4720 (2026-05-18)
  [
    /^Invalid '(prompt_cache_key|user|safety_identifier)': string too long\. Expected a string with maximum length (\d+)/,
    conversation.withShortKey,
  ],
  // OpenAI: https://github.com/Wei-Shaw/sub2api/issues/3981 (2026-07-10)
  [/^Invalid 'input\[\d+\]\.id'.*Expected an ID that begins with/, conversation.withoutOthersIds],
  // Anthropic: https://github.com/1jehuang/jcode/issues/465 (2026-07-10)
  [/image was specified using the \S+ media type/, conversation.withImageTypes],
  // Anthropic: https://github.com/anthropics/anthropic-sdk-typescript/issues/682 (2025-02-12)
  [/Image does not match the provided media type/, conversation.withImageTypes],

  // Schemas of functions. Anthropic: https://github.com/anomalyco/opencode/issues/47543 (2026-09-05)
  [/does not support oneOf, allOf, or anyOf at the top level/, schemas.inOneObject],
  // OpenAI: https://github.com/Dicklesworthstone/flywheel_connectors/issues/49 (2026-05-20)
  [/must have type 'object' and not have 'oneOf'/, schemas.inOneObject],
  // OpenAI: https://github.com/langchain-ai/langchain-mcp-adapters/issues/137 (2025-05-08)
  [/In context=\(\), object schema missing properties/, schemas.inOneObject],
  // Gemini: https://github.com/BerriAI/litellm/pull/19103 (2026-01-14)
  [/parameters schema should be of type OBJECT/, schemas.inOneObject],
  // Gemini: https://github.com/zed-industries/zed/issues/45552 (2025-12-23)
  [/^.*Unknown name "[^"]+" at '[^']*function_declarations.*/s, schemas.withoutWords],
  // Gemini: https://github.com/google-gemini/gemini-cli/issues/3178 (2025-07-03)
  [/\.format: only 'enum' and 'date-time' are supported/, schemas.withoutFormats],
  // Kimi: https://github.com/MoonshotAI/kimi-code/issues/2661 (2026-08-05)
  [/when using anyOf, type should be defined in anyOf items/, schemas.withTypedBranches],
];

/** The changes of the rows whose words a provider said, or has as its code, in their order. */
export const changesOfTable = ({ text, code }: Pick<Refused, "text" | "code">): readonly Change[] =>
  TABLE.flatMap(([says, change, scope = "always"]) => {
    const said = says.exec(text) ?? says.exec(code ?? "");
    return said === null ? [] : [{ key: says.source, scope, apply: (body) => change(body, said) }];
  });
