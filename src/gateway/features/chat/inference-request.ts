import { SextantError } from "../../../foundation/errors.js";
import { numberText } from "../../../foundation/exact-numbers.js";
import { timesAsked } from "../../../foundation/latency-fields.js";
import { CHAT_REQUEST_FIELDS, type ChatRequestBody } from "../../api/chat-request.js";
import { COMPLETION_REQUEST_FIELDS, type CompletionRequestBody } from "../../api/completion-request.js";
import {
  type CountTokensRequestBody,
  MESSAGES_REQUEST_FIELDS,
  type MessagesRequestBody,
} from "../../api/messages-request.js";
import { RESPONSES_REQUEST_FIELDS, type ResponsesRequestBody } from "../../api/responses-request.js";
import { ROUTER_REQUEST_FIELDS, type RouterRequestBody } from "../../api/router-request.js";
import { nativeMessage } from "../../dialects/messages/conversation.js";
import { chatBodyFromMessages } from "../../dialects/messages/request.js";
import { chatBodyFromResponses, nativeRequest, nativeUse } from "../../dialects/responses/request.js";
import { isJsonObject, type JsonObject } from "../../providers/chat.js";
import { type EmbeddingInput, inputsOf } from "../../providers/embeddings.js";
import { capsOf, isAllowed, requireWeight, withOutputCap } from "../../run/caps.js";
import type {
  CompletionsNeed,
  ConversationFields,
  InferenceRequest,
  NamedChoice,
  RoutedChoice,
} from "../../run/request.js";
import { agentRuleFor } from "../agent-rules/agent-call.js";
import type { AgentRule } from "../agent-rules/settings.js";
import { autoNamed, type Caller, requestedWeight } from "./auto-choice.js";
import { refuseMisspeltFields } from "./misspelt.js";

/** Fields that are ours alone: no provider gets them. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "provider",
  "fallbacks",
  "router",
  "metadata",
]);

const ROUTER_OWN_FIELDS: ReadonlySet<string> = new Set([
  "stream",
  "execute",
  "models",
  "cost_weight",
  "max_mean_cost_usd",
  "max_latency_ms",
  "latency_weight",
  "explain",
  "sticky",
  "conversation",
  "provider",
  "metadata",
]);

/** The documented default of API §2: a text without an end in sight would otherwise go on to the model's limit. */
const DEFAULT_COMPLETION_TOKENS = 1024;

/** Of text completions: what chat says in another way, or not at all. */
const COMPLETION_OWN_FIELDS: ReadonlySet<string> = new Set([
  ...OWN_FIELDS,
  "prompt",
  "logprobs",
  "suffix",
  "echo",
  "best_of",
]);

/** Checked fields whose null says the same as leaving them out, which not every provider understands. */
const NULLABLE_FIELDS: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "stop",
  "presence_penalty",
  "frequency_penalty",
  "n",
  "tools",
]);

const MISPLACED = {
  models: 'Put the candidates into `router.models`, with `model: "auto"`.',
  cost_weight: 'Put it into `router.cost_weight`, with `model: "auto"`.',
  sticky: 'Put it into `router.sticky`, with `model: "auto"`.',
  execute: "POST /v1/router decides without executing.",
};

const MISPLACED_IN_ROUTER = {
  model:
    "The router chooses it: name the candidates in `models`, or use POST /v1/chat/completions for one model.",
  fallbacks: "A model that fails is followed by the next best candidate: put them into `models`.",
  router: "Put its fields at the top level.",
};

interface ReadRequest extends Omit<InferenceRequest, "kind" | "choice" | keyof ReturnType<typeof commonOf>> {
  /** Id of the conversation that the provider keeps: its name, unless it was given one. */
  readonly keptConversation?: string | undefined;
}

/** How requests of one API are read. */
interface Dialect<Body> {
  readonly kind: InferenceRequest["kind"];
  /** Whose field has the limit of an answer. */
  readonly limit: Parameters<typeof withOutputCap>[2];
  readonly known: readonly string[];
  readonly misplaced: Readonly<Record<string, string>>;
  /** @throws SextantError `invalid_request` for what cannot be translated */
  readonly read: (body: Body) => ReadRequest;
}

/** @throws SextantError `invalid_request` for fields that contradict each other, are misspelt or cannot be translated */
export function inferenceRequest<Body extends ChoiceBody & CommonBody>(
  { kind, limit, known, misplaced, read }: Dialect<Body>,
  sent: Body,
  caller: Caller,
): InferenceRequest {
  const fitting = agentRuleFor(sent, {
    agentRules: caller.settings.agentRules,
    headers: caller.headers,
  });
  const rule = fitting && isRuleAllowed(fitting, caller) ? fitting : undefined;
  const asked = rule ? inPlaceOf(sent, rule) : sent;
  const auto = autoNamed(asked.model, caller.settings);
  const body = withOutputCap(asked, auto?.preset?.max_tokens, limit);
  refuseMisspeltFields(body, { known, misplaced });
  const { keptConversation, ...request } = read(body);
  const choice = choiceOf(body, {
    auto,
    // A least weight raises that of a rule, which the caller has not named.
    caller: rule ? { ...caller, caps: undefined } : caller,
    keptConversation: keptConversation ?? (rule && sent.router?.conversation),
  });
  if (choice.type === "routed") {
    const { needsCompletions: need } = request;
    if (need !== undefined) {
      throw contradiction(
        need.param,
        `asks for ${need.what}, which needs a model with \`api: completions\`. Name one as \`model\``,
      );
    }
    refuseUnroutableParts(request.body);
  }
  return {
    kind,
    choice:
      rule && choice.type === "routed"
        ? { ...choice, note: `asked for ${sent.model}; ${rule.when} rule` }
        : choice,
    ...request,
    ...commonOf(body),
    ...(rule && { requestedModel: sent.model }),
  };
}

/** Whether the caller may use the model that a rule names. */
const isRuleAllowed = ({ use: model }: AgentRule, { caps, settings }: Caller): boolean =>
  autoNamed(model, settings) !== undefined ||
  isAllowed({ provider: "", model }, capsOf(caps, undefined) ?? { allowed: [] });

/** What the request says of how to choose was for its own model, but for which hosts may see it. */
const inPlaceOf = <Body extends ChoiceBody>(body: Body, { use: model }: AgentRule): Body => ({
  ...body,
  model,
  router: undefined,
  provider: typeof body.provider === "object" ? body.provider : undefined,
});

export const CHAT: Dialect<ChatRequestBody> = {
  kind: "chat",
  limit: "chat",
  known: CHAT_REQUEST_FIELDS,
  misplaced: MISPLACED,
  read: (body) => ({
    body: { ...forwardedFields(body, OWN_FIELDS), messages: withImageObjects(body.messages) },
  }),
};

export const COMPLETIONS: Dialect<CompletionRequestBody> = {
  kind: "completion",
  limit: "messages",
  known: COMPLETION_REQUEST_FIELDS,
  misplaced: { ...MISPLACED, messages: "Send a `prompt`, or use POST /v1/chat/completions." },
  read(body) {
    const { messages, fields, need } = textPrompt(body);
    const likeliest = body.logprobs ?? null;
    return {
      ...(need !== null && { needsCompletions: need }),
      body: {
        ...forwardedFields(body, COMPLETION_OWN_FIELDS),
        max_tokens: body.max_tokens ?? DEFAULT_COMPLETION_TOKENS,
        ...(likeliest !== null && { logprobs: true, top_logprobs: likeliest }),
        ...fields,
        messages,
      },
    };
  },
};

export const RESPONSES: Dialect<ResponsesRequestBody> = {
  kind: "responses",
  limit: "responses",
  known: RESPONSES_REQUEST_FIELDS,
  misplaced: { ...MISPLACED, messages: "Put the conversation into `input`." },
  read(body) {
    const passedOn = forwardedFields(body, OWN_FIELDS);
    const { body: chat, onlyNative: need, ...translated } = chatBodyFromResponses(passedOn);
    const keeps = body.store ?? body.background ?? false;
    const native = {
      ...nativeRequest(passedOn),
      ...(keeps && { store: true }),
      ...(keeps && body.metadata ? { metadata: textsOf(body.metadata) } : {}),
    };
    return {
      body: chat,
      ...translated,
      native: {
        request: { api: "responses", body: native, headers: {}, replaceable: need === null },
        use: need !== null ? "required" : nativeUse(passedOn),
        need,
      },
      keptConversation: keptConversation(body.conversation),
    };
  },
};

/** What a client's headers say of Anthropic's API: its version, empty for any, and names of features beyond that. */
export interface AnthropicApi {
  readonly version?: string | undefined;
  readonly betas?: readonly string[] | undefined;
}

export const messages = ({
  version = "",
  betas = [],
}: AnthropicApi): Dialect<CountTokensRequestBody & Partial<MessagesRequestBody>> => ({
  kind: "messages",
  limit: "messages",
  known: MESSAGES_REQUEST_FIELDS,
  misplaced: MISPLACED,
  read(body) {
    const limited = { ...body, max_tokens: body.max_tokens ?? 1 };
    const { body: chat, effort, onlyNative: need } = chatBodyFromMessages(limited);
    const native = {
      ...forwardedFields(body, OWN_FIELDS),
      messages: body.messages.map(nativeMessage),
      ...(body.metadata ? { metadata: userOnly(body.metadata) } : {}),
      ...(betas.length > 0 && { anthropic_beta: betas }),
    };
    const headers: Readonly<Record<string, string>> = version === "" ? {} : { "anthropic-version": version };
    return {
      body: chat,
      effort,
      native: {
        request: { api: "messages", body: native, headers, replaceable: need === null },
        use: need === null ? "preferred" : "required",
        need,
      },
    };
  },
});

/** OpenAI takes texts alone. */
const textsOf = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, String(numberText(value))]));

/** A number that a double has no room for is a text. */
const tagsOf = (metadata: ChatRequestBody["metadata"]): InferenceRequest["metadata"] =>
  Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [key, numberText(value)]));

/** Anthropic knows no other tag. */
const userOnly = ({ user_id: userId }: JsonObject): JsonObject =>
  userId === undefined ? {} : { user_id: userId };

/** @throws SextantError `invalid_request` for misspelt fields, `not_allowed` for a weight below the caller's least */
export function routerInferenceRequest(
  body: RouterRequestBody,
  { session, caps }: Pick<Caller, "session" | "caps">,
): InferenceRequest & { readonly choice: RoutedChoice } {
  refuseMisspeltFields(body, {
    known: ROUTER_REQUEST_FIELDS,
    misplaced: MISPLACED_IN_ROUTER,
  });
  if (body.max_mean_cost_usd !== undefined && body.cost_weight !== undefined)
    throw contradiction("max_mean_cost_usd", "takes the place of `cost_weight`. Send one of them");
  requireWeight(body.cost_weight, { param: "cost_weight", caps: capsOf(caps, undefined) });
  return {
    kind: "router",
    choice: {
      type: "routed",
      models: body.models,
      costWeight: body.cost_weight ?? 0,
      ...(body.max_mean_cost_usd === undefined ? {} : { maxMeanCostUsd: body.max_mean_cost_usd }),
      ...timesAsked(body.max_latency_ms, body.latency_weight),
      ...(body.explain === true ? { explain: true } : {}),
      ...hostsOf(body.provider),
      conversation: conversationFields(body, session),
    },
    body: { ...forwardedFields(body, ROUTER_OWN_FIELDS), messages: withImageObjects(body.messages) },
    stream: body.stream ?? false,
    fallbacks: [],
    metadata: tagsOf(body.metadata),
  };
}

type ChoiceBody = Pick<ChatRequestBody, "model" | "provider" | "router"> & JsonObject;

interface ChoiceOptions extends Pick<ReadRequest, "keptConversation"> {
  readonly auto: ReturnType<typeof autoNamed>;
  readonly caller: Caller;
}

function choiceOf(
  { model, provider, router }: ChoiceBody,
  { auto, caller, keptConversation: conversation }: ChoiceOptions,
): NamedChoice | RoutedChoice {
  const { session } = caller;
  if (auto === undefined) {
    if (router !== undefined && router !== null) {
      throw contradiction(
        "router",
        'only says how `model: "auto"` chooses. Ask for that model, or remove it',
      );
    }
    const said = conversationFields({ conversation }, session);
    return { type: "named", model, ...hostsOf(provider), ...(said && { conversation: said }) };
  }
  if (auto.provider !== undefined && provider && provider !== auto.provider) {
    const said = typeof provider === "string" ? `"${provider}"` : "an object";
    throw contradiction("provider", `is ${said}, but \`model\` is "${model}". Remove one of them`);
  }
  return {
    type: "routed",
    name: model,
    models: router?.models ?? auto.preset?.models,
    costWeight: requestedWeight(router?.cost_weight, auto, caller),
    ...timesAsked(
      router?.max_latency_ms ?? auto.preset?.max_latency_ms,
      router?.latency_weight ?? auto.preset?.latency_weight,
    ),
    ...(auto.preset !== undefined && { preset: auto.preset.name }),
    ...(router?.explain === true ? { explain: true } : {}),
    ...hostsOf(provider ?? auto.provider),
    conversation: conversationFields(
      { sticky: router?.sticky, conversation: router?.conversation ?? conversation },
      session,
    ),
  };
}

/** The provider that a request names, or its preferences among several. */
function hostsOf(
  asked: ChatRequestBody["provider"],
): Pick<NamedChoice, "hosts"> & { readonly provider: string | undefined } {
  if (typeof asked !== "object" || asked === null) return { provider: asked ?? undefined };
  const { sort } = asked;
  return {
    provider: undefined,
    hosts: { ...asked, sort: (typeof sort === "object" ? sort?.by : sort) ?? undefined },
  };
}

type CommonBody = Pick<ChatRequestBody, "stream" | "fallbacks" | "metadata">;

/** @throws SextantError `invalid_request` for a fallback on `auto` */
export function commonOf({
  stream,
  fallbacks,
  metadata,
}: CommonBody): Pick<InferenceRequest, "stream" | "fallbacks" | "metadata"> {
  const autoIndex = fallbacks?.findIndex((model) => /^auto(:|$)/i.test(model)) ?? -1;
  if (autoIndex >= 0)
    throw contradiction(
      `fallbacks[${autoIndex}]`,
      `is "${fallbacks?.[autoIndex]}". Name models to fall back on`,
    );
  return { stream: stream ?? false, fallbacks: fallbacks ?? [], metadata: tagsOf(metadata) };
}

/** The messages with each address of an image in its object, which some clients leave out. */
const withImageObjects = (messages: readonly JsonObject[]): readonly JsonObject[] =>
  messages.map((message) =>
    Array.isArray(message.content) ? { ...message, content: message.content.map(withImageObject) } : message,
  );

const withImageObject = (part: JsonObject): JsonObject =>
  typeof part.image_url === "string" ? { ...part, image_url: { url: part.image_url } } : part;

/** Models are judged by text; images, files and sound leave out those that cannot take them. Of videos it is not known which can. */
const UNROUTABLE: ReadonlySet<unknown> = new Set(["video_url"]);

function refuseUnroutableParts({ messages }: { readonly messages: readonly JsonObject[] }): void {
  for (const [message, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue;
    const part = content.findIndex((one: unknown) => isJsonObject(one) && UNROUTABLE.has(one.type));
    if (part < 0) continue;
    throw contradiction(
      `messages[${message}].content[${part}].type`,
      `is "${content[part]?.type}", which \`model: "auto"\` cannot judge models by. Name a model`,
    );
  }
}

/** Fields that are not ours, as they came, without those whose null says nothing. */
export function forwardedFields(
  body: JsonObject,
  own: ReadonlySet<string>,
  nullable: ReadonlySet<string> = NULLABLE_FIELDS,
): JsonObject {
  const forwarded: Record<string, unknown> = {};
  for (const field in body) {
    const value = body[field];
    if (own.has(field) || (value === null && nullable.has(field))) continue;
    forwarded[field] = value;
  }
  return forwarded;
}

export const contradiction = (param: string, fault: string): SextantError =>
  new SextantError("invalid_request", `\`${param}\` ${fault}.`, { param });

/** What a text completion asks for, as chat says it and as only the endpoint for text completions does. */
interface TextPrompt {
  readonly messages: readonly JsonObject[];
  /** Fields for a model that cannot chat; empty when chat can say all of it. */
  readonly fields: JsonObject;
  /** The first field that chat has no counterpart of; null when there is none. */
  readonly need: CompletionsNeed | null;
}

type PromptFields = Pick<CompletionRequestBody, "prompt" | "suffix" | "echo" | "best_of">;

function textPrompt({ prompt, suffix, echo, best_of: bestOf }: PromptFields): TextPrompt {
  const inputs = inputsOf({ input: prompt });
  const isOneText = inputs.length === 1 && typeof inputs[0] === "string";
  const fields = {
    ...(isOneText ? {} : { prompt }),
    ...((suffix ?? "") === "" ? {} : { suffix }),
    ...(echo === true ? { echo } : {}),
    ...((bestOf ?? 1) === 1 ? {} : { best_of: bestOf }),
  };
  const [param] = Object.keys(fields) as (keyof typeof WHAT)[];
  return {
    messages: inputs.map((input) => ({ role: "user", content: promptOf(input) })),
    fields,
    need: param === undefined ? null : { param, what: WHAT[param] },
  };
}

const WHAT = {
  prompt: "several prompts or token ids",
  suffix: "a gap to be filled",
  echo: "the prompt before the answer",
  best_of: "a choice among several answers",
} as const;

/** Token ids are not decoded: each model has its own. */
const promptOf = (input: EmbeddingInput): string =>
  typeof input === "string" ? input : `(${input.length} token ids)`;

/**
 * What a request says of its conversation; undefined when it says nothing.
 *
 * @param fields `router`, or the body of the router's own route
 * @param session what a coding agent sends of its session
 */
function conversationFields(
  { sticky, conversation: name }: Pick<RouterRequestBody, "sticky" | "conversation">,
  session: string | undefined,
): ConversationFields | undefined {
  if (sticky === undefined && name === undefined && session === undefined) return undefined;
  return { sticky, name, session };
}

/** The id of a conversation of the Responses API; undefined without one. */
function keptConversation(kept: unknown): string | undefined {
  const id = isJsonObject(kept) ? kept.id : kept;
  return typeof id === "string" && id !== "" ? id : undefined;
}
