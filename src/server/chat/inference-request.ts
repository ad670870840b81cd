import { CHAT_REQUEST_FIELDS, type ChatRequestBody } from "../../api/chat-request.js";
import { COMPLETION_REQUEST_FIELDS, type CompletionRequestBody } from "../../api/completion-request.js";
import { ROUTER_REQUEST_FIELDS, type RouterRequestBody } from "../../api/router-request.js";
import { SextantError } from "../../foundation/errors.js";
import type { InferenceRequest, NamedChoice, RoutedChoice } from "../../inference/request.js";
import type { JsonObject } from "../../providers/chat.js";
import { refuseMisspeltFields } from "./misspelt.js";

/** The model id that asks for the best model. */
export const AUTO = "auto";

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
  "model",
  "stream",
  "execute",
  "models",
  "cost_weight",
  "metadata",
]);

/** The documented default of API §2: a text without an end in sight would otherwise go on to the model's limit. */
const DEFAULT_COMPLETION_TOKENS = 1024;

/** Of text completions: what becomes something else, and what may only be there to ask for nothing. */
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

/** `model: "auto"` is what clients of chat completions send along; any other model would be a mistake here. */
const ROUTER_FIELDS_AND_MODEL = [...ROUTER_REQUEST_FIELDS, "model"];

const MISPLACED = {
  models: 'Put the candidates into `router.models`, with `model: "auto"`.',
  cost_weight: 'Put it into `router.cost_weight`, with `model: "auto"`.',
  execute: "POST /v1/router decides without executing.",
};

/** @throws SextantError `invalid_request` for fields that contradict each other or are misspelt */
export function chatInferenceRequest(body: ChatRequestBody): InferenceRequest {
  refuseMisspeltFields(body, { known: CHAT_REQUEST_FIELDS, misplaced: MISPLACED });
  const choice = choiceOf(body);
  if (choice.type === "routed") refuseUnroutableParts(body);
  return {
    kind: "chat",
    choice,
    body: { ...forwardedFields(body, OWN_FIELDS), messages: body.messages },
    ...commonOf(body),
  };
}

/** @throws SextantError `invalid_request` for fields that contradict each other or are misspelt */
export function completionInferenceRequest(body: CompletionRequestBody): InferenceRequest {
  refuseMisspeltFields(body, {
    known: COMPLETION_REQUEST_FIELDS,
    misplaced: { ...MISPLACED, messages: "Send a `prompt`, or use POST /v1/chat/completions." },
  });
  const [content] = [body.prompt].flat();
  const likeliest = body.logprobs ?? null;
  return {
    kind: "completion",
    choice: choiceOf(body),
    body: {
      ...forwardedFields(body, COMPLETION_OWN_FIELDS),
      max_tokens: body.max_tokens ?? DEFAULT_COMPLETION_TOKENS,
      ...(likeliest === null ? {} : { logprobs: true, top_logprobs: likeliest }),
      messages: [{ role: "user", content }],
    },
    ...commonOf(body),
  };
}

/** @throws SextantError `invalid_request` for misspelt fields */
export function routerInferenceRequest(
  body: RouterRequestBody,
): InferenceRequest & { readonly choice: RoutedChoice } {
  refuseMisspeltFields(body, {
    known: body.model === AUTO ? ROUTER_FIELDS_AND_MODEL : ROUTER_REQUEST_FIELDS,
  });
  return {
    kind: "router",
    choice: { type: "routed", models: body.models, costWeight: body.cost_weight ?? 0 },
    body: { ...forwardedFields(body, ROUTER_OWN_FIELDS), messages: body.messages },
    stream: body.stream ?? false,
    fallbacks: [],
    metadata: body.metadata ?? {},
  };
}

function choiceOf({
  model,
  provider,
  router,
}: Pick<ChatRequestBody, "model" | "provider" | "router">): NamedChoice | RoutedChoice {
  if (model !== AUTO) {
    if (router !== undefined && router !== null) {
      throw contradiction(
        "router",
        'only says how `model: "auto"` chooses. Ask for that model, or remove it',
      );
    }
    return { type: "named", model, provider: provider ?? undefined };
  }
  if (provider !== undefined && provider !== null) {
    throw contradiction("provider", 'cannot come with `model: "auto"`. Name a model, or remove it');
  }
  return { type: "routed", models: router?.models, costWeight: router?.cost_weight ?? 0 };
}

type CommonBody = Pick<ChatRequestBody, "stream" | "fallbacks" | "metadata">;

function commonOf({
  stream,
  fallbacks,
  metadata,
}: CommonBody): Pick<InferenceRequest, "stream" | "fallbacks" | "metadata"> {
  const place = fallbacks?.indexOf(AUTO) ?? -1;
  if (place >= 0) throw contradiction(`fallbacks[${place}]`, 'is "auto". Name models to fall back on');
  return { stream: stream ?? false, fallbacks: fallbacks ?? [], metadata: metadata ?? {} };
}

/** What can be known of models covers text and images: with other parts, a choice would be a guess. */
function refuseUnroutableParts({ messages }: Pick<ChatRequestBody, "messages">): void {
  for (const [message, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue;
    const part = content.findIndex(({ type }) => type === "input_audio" || type === "file");
    if (part < 0) continue;
    throw contradiction(
      `messages[${message}].content[${part}].type`,
      `is "${content[part]?.type}", which \`model: "auto"\` cannot judge models by. Name a model`,
    );
  }
}

/** Fields that are not ours, as they came. */
function forwardedFields(body: JsonObject, own: ReadonlySet<string>): JsonObject {
  const forwarded: Record<string, unknown> = {};
  for (const field in body) {
    const value = body[field];
    if (own.has(field) || (value === null && NULLABLE_FIELDS.has(field))) continue;
    forwarded[field] = value;
  }
  return forwarded;
}

const contradiction = (param: string, fault: string): SextantError =>
  new SextantError("invalid_request", `\`${param}\` ${fault}.`, { param });
