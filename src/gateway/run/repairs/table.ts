/**
 * What vendors refuse by name, and how a request is changed so that it passes. The test has who says so, the report and its day.
 * A field that a vendor does not know needs no row: `fields.ts` has the rule for all of them.
 */
import type { JsonObject } from "../../providers/chat.js";
import { type Change, type Refused, type Said, without } from "./change.js";
import * as conversation from "./conversation.js";
import * as efforts from "./efforts.js";
import * as parameters from "./parameters.js";
import * as schemas from "./schemas.js";
import { withoutSealed } from "./seals.js";

type Row = readonly [
  says: RegExp,
  /** Returns the body itself when it has nothing to change. */
  change: (body: JsonObject, said: Said) => JsonObject,
  /** Default: `alike`. */
  scope?: Change["scope"],
];

const leaveOut = (name: string) => (body: JsonObject) => without(body, name);
const withoutReasoning = (body: JsonObject) => withoutSealed(body, () => true);
const notThinking = (body: JsonObject) => ({
  ...without(body, "reasoning_effort"),
  thinking: { type: "disabled" },
});

const TABLE: readonly Row[] = [
  // Reasoning that another host, account or model sealed: the answer is given without it.
  [/^The encrypted content .+ not be verified|^invalid_encrypted_content$/m, withoutReasoning, "sealed"],
  [/invalid `?signature`? in `?thinking/i, withoutReasoning, "sealed"],
  [/thinking` blocks in the latest assistant message cannot be modified/, withoutReasoning, "sealed"],
  [/corrupted thought signature/i, withoutReasoning, "sealed"],

  // Reasoning that is wanted back.
  [/reasoning_content is missing in assistant tool call/, conversation.withThoughtsBeforeCalls],
  [/reasoning_content`? .{0,40}must be passed back/, conversation.withThoughtsBeforeCalls],

  // Thinking.
  [/thinking\.type\.enabled.{0,3} is not supported/, parameters.withAdaptiveThinking],
  [/adaptive thinking is not supported/i, parameters.withThinkingBudget],
  [/tool_choice forces tool use/, leaveOut("thinking")],
  [/Expected `thinking` or `redacted_thinking`/, leaveOut("thinking")],
  [/^`clear_thinking_\d+` strategy requires `thinking`/, leaveOut("context_management")],
  [/thinking mode does not support this tool_choice/i, notThinking],
  // OpenRouter and DeepSeek's relays, where thinking cannot be switched off
  [/reasoning is mandatory|only works in thinking mode/i, efforts.withThoughts],
  // OpenAI and others, of the efforts that a model has
  [/^(?=.*effort).*(?:values are|one of|should be)[:\s](.*)/is, efforts.withListedEffort],
  // Anthropic, xAI, Ollama, of models that have none
  [/support (?:the |parameter )?(?:reasoning)?effort|think value|support thinking/i, efforts.withoutEffort],
  [/`temperature` and `top_p` cannot both/, leaveOut("top_p")],

  // The limit of an answer.
  [/^max_tokens is too large: \d+\. This model supports at most (\d+)/, parameters.withLimit],
  [/^max_tokens: \d+ > (\d+), which is the maximum/, parameters.withLimit],
  [/^Invalid max_tokens value, the valid range of max_tokens is \[1, ?(\d+)\]/, parameters.withLimit],
  [/^This request requires more credits, .*can only afford (\d+)/, parameters.withLimit, "now"],
  [/length (?:is|of) (\d+) tokens.{0,200}?(?:has |least |: |\()(\d+)/, parameters.withRestOfContext, "now"],

  // Features of Anthropic's API, by the names that ask for them.
  [/^Unexpected value\(s\) (.+) for the `anthropic-beta` header/, parameters.withoutBetas],
  [/^invalid beta flag/i, leaveOut("anthropic_beta")],

  // The form of messages.
  [/text content blocks must (?:be non-empty|contain non-whitespace)/, conversation.withoutEmpty],
  [/^messages\.\d+: all messages must have non-empty content/, conversation.withoutEmpty],
  [/^messages: final assistant content cannot end with trailing/, conversation.withoutTrailingSpace],
  [
    /Unexpected role "system"|role 'system' is not supported|role: unknown variant `system`/,
    conversation.withoutInstructionTurns,
  ],
  [/^messages\.\d+\.output_config: Extra inputs are not permitted/, conversation.withoutTurnEffort],
  [/^[\w :]*messages\[\d+\]\.role: unknown variant `developer`/, conversation.inRole("developer", "system")],
  [/^(?:C|After the optional system message, c)onversation roles must alternate/, conversation.inTurns],
  [/^System message must be at the beginning/, conversation.inTurns],
  [
    /^Invalid '(?:[^'\n]*\W)?(?=\w*id|(?:user|prompt_cache_key)')(\w+)': .*? length (\d+)/,
    conversation.withShortIds,
  ],
  [/^Invalid 'input\[\d+\]\.id'.*Expected an ID that begins with/, conversation.withoutOthersIds],
  [/image was specified using the \S+ media type/, conversation.withImageTypes],
  [/Image does not match the provided media type/, conversation.withImageTypes],

  // Schemas of functions.
  [/does not support oneOf, allOf, or anyOf at the top level/, schemas.inOneObject],
  [/must have type 'object' and not have 'oneOf'/, schemas.inOneObject],
  [/In context=\(\), object schema missing properties/, schemas.inOneObject],
  [/parameters schema should be of type OBJECT/, schemas.inOneObject],
  [/^.*Unknown name "[^"]+" at '[^']*function_declarations.*/s, schemas.withoutWords],
  [/\.format: only 'enum' and 'date-time' are supported/, schemas.withoutFormats],
  [/when using anyOf, type should be defined in anyOf items/, schemas.withTypedBranches],
];

/** The changes of the rows whose words a provider said, with the field and the code beside them, in their order. */
export const changesOfTable = ({ text, param, code }: Refused): readonly Change[] =>
  TABLE.flatMap(([says, change, scope = "alike"]) => {
    const said = says.exec([text, param, code].join("\n"));
    return said === null ? [] : [{ key: says.source, scope, apply: (body) => change(body, said) }];
  });
