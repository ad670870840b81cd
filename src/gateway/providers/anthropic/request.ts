import { type ChatBody, isJsonObject, type JsonObject, withoutNulls } from "../chat.js";
import { type ProviderCall, refusal } from "../provider.js";
import { textBlocks } from "./content.js";
import { toConversation } from "./conversation.js";
import { betaHeaders, passedFields, toMetadata, toServiceTier, toStopSequences } from "./fields.js";
import { type ModelTraits, modelTraits } from "./model-traits.js";
import { type ResponseFormat, toResponseFormat } from "./response-format.js";
import { type Thinking, thinks, toThinking } from "./thinking.js";
import { isForced, type Tooling, toTooling } from "./tools.js";

export interface MessagesRequest {
  readonly body: JsonObject;
  /** Headers in addition to those of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the tool whose input is the answer; null when the answer is text. */
  readonly answerTool: string | null;
}

/**
 * Converts a chat request to `POST /v1/messages`. Pure. Fields without a counterpart are listed in `fields.ts`. Also:
 *
 * - a limit above the model's is lowered to it, and a missing one is taken from `model-traits.ts`
 * - `temperature` above 1 becomes 1, the maximum; `top_p` of 1 is omitted, since it has no effect
 * - models that accept only one of `temperature` and `top_p` get the temperature, unless it is 1; models that refuse
 *   sampling parameters (from Claude 4.7 on) or think get neither, nor `top_k`
 *
 * @param host whether it binds answers to a schema
 * @throws ProviderFault `request_refused`, not retryable, naming the field that cannot be translated
 */
export function toMessagesRequest(
  { upstreamModel, body, stream }: ProviderCall,
  host: { readonly structuredOutput: boolean } = { structuredOutput: true },
): MessagesRequest {
  const known = modelTraits(upstreamModel);
  const traits = host.structuredOutput ? known : { ...known, structuredOutput: false };
  const passed = passedFields(body);
  const { system, turns } = toConversation(body.messages, traits);
  const tooling = toTooling(body, turns);
  const responseFormat = toResponseFormat(body.response_format, {
    traits,
    taken: tooling.tools.map(({ name }) => name),
  });
  const maxTokens = toMaxTokens(body, traits);
  const forced = isForced(tooling.choice) || responseFormat.kind === "tool";
  const thinking = toThinking(body, { traits, maxTokens, turns, forced });
  const mayForce = traits.thinkingStops && !thinks(thinking.thinking);
  const { tools, choice } = withAnswerTool(tooling, responseFormat, mayForce);
  const instructions = responseFormat.kind === "instructed" ? textBlocks(responseFormat.instruction) : [];
  return {
    body: {
      ...passed,
      model: upstreamModel,
      max_tokens: maxTokens,
      messages: turns,
      stream,
      ...withoutNulls({
        system: nonEmpty([...system, ...instructions]),
        tools: nonEmpty(tools),
        tool_choice: choice,
        stop_sequences: nonEmpty(toStopSequences(body.stop)),
        metadata: toMetadata(body),
        service_tier: toServiceTier(body.service_tier),
        thinking: thinking.thinking,
        output_config: toOutputConfig(body, responseFormat, thinking),
        ...toSampling(body, traits, thinking),
      }),
    },
    headers: betaHeaders(body.anthropic_beta),
    answerTool:
      responseFormat.kind === "tool" && tools.includes(responseFormat.tool) ? responseFormat.tool.name : null,
  };
}

const nonEmpty = <Item>(list: readonly Item[]): readonly Item[] | null => (list.length === 0 ? null : list);

function toMaxTokens(body: ChatBody, { maxOutputTokens, defaultMaxTokens }: ModelTraits): number {
  const field = (body.max_completion_tokens ?? null) === null ? "max_tokens" : "max_completion_tokens";
  const wanted = body[field] ?? defaultMaxTokens;
  if (typeof wanted !== "number" || !Number.isSafeInteger(wanted) || wanted < 0) {
    throw refusal(field, "must be a whole number of tokens");
  }
  return Math.min(wanted, maxOutputTokens ?? wanted);
}

/**
 * Adds the answer tool. The client's tools remain callable; when one of them is forced, the answer format applies to a
 * later turn.
 */
function withAnswerTool(tooling: Tooling, responseFormat: ResponseFormat, mayForce: boolean): Tooling {
  if (responseFormat.kind !== "tool" || isForced(tooling.choice)) return tooling;
  const open = tooling.choice?.type !== "none" && tooling.tools.length > 0;
  const must = open ? { type: "any" } : { type: "tool", name: responseFormat.tool.name };
  return { tools: [...tooling.tools, responseFormat.tool], choice: mayForce ? must : null };
}

/** A client's own `output_config` takes precedence. */
function toOutputConfig(
  { output_config }: ChatBody,
  responseFormat: ResponseFormat,
  { effort }: Thinking,
): JsonObject | null {
  const config = {
    ...withoutNulls({ effort, format: responseFormat.kind === "bound" ? responseFormat.format : null }),
    ...(isJsonObject(output_config) ? output_config : {}),
  };
  return Object.keys(config).length === 0 ? null : config;
}

function toSampling(body: ChatBody, traits: ModelTraits, { thinking }: Thinking): JsonObject {
  if (traits.sampling === "none" || thinks(thinking)) return {};
  const warmth = numberOf(body.temperature);
  const temperature = warmth === null ? null : Math.min(warmth, 1);
  const topP = numberOf(body.top_p);
  const cut = topP !== null && topP < 1 ? topP : null;
  const sampling = { temperature, top_p: cut, top_k: numberOf(body.top_k) };
  if (traits.sampling === "both" || temperature === null || cut === null) return sampling;
  return temperature === 1 ? { ...sampling, temperature: null } : { ...sampling, top_p: null };
}

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);
