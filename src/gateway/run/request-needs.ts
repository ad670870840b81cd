/** What a routed request asks of its model that only some can do: candidates that cannot are left out before the choice. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { RouteRequest } from "../../engine/router/decision.js";
import { SextantError } from "../../foundation/errors.js";
import { type ChatBody, isJsonObject } from "../providers/chat.js";
import type { NativeApi, NativeRequest, Provider } from "../providers/provider.js";
import type { ModelCatalog } from "./model-catalog.js";
import { type PlannedModel, planOf } from "./planned-models.js";
import { effortIn } from "./repairs/efforts.js";
import type { CompletionsNeed, InferenceRequest, NativeForm } from "./request.js";

/** Facts that the abilities of a deployment follow from. */
interface Place
  extends Pick<Deployment, "provider" | "upstreamModel" | "api" | "chatToo" | "refuses" | "parameters"> {
  /** Whether it is called in Anthropic's dialect. */
  readonly isAnthropic: boolean;
}

interface Need {
  /** The field of a chat request. */
  readonly param: string;
  readonly isAsked: (body: ChatBody) => boolean;
  readonly can: (place: Place) => boolean;
}

const byChat = ({ isAnthropic, api, chatToo }: Place): boolean =>
  !isAnthropic && (api === "chat" || chatToo === true);

/** Vendors whose API takes documents beside text (each vendor's page on PDF input; OpenRouter reads them for every model). */
const TAKE_FILES: ReadonlySet<string> = new Set([
  ...["openai", "azure", "anthropic", "google", "openrouter"],
  // Claude's own API at other hosts.
  ...["azure-anthropic", "bedrock-anthropic", "vertex-anthropic"],
]);

/**
 * In chat completions each: other dialects are translated to it.
 *
 * Sources, read 2026-11-23: https://platform.claude.com/docs/en/api/openai-sdk (what Claude has no counterpart for),
 * https://platform.openai.com/docs/api-reference/chat/create, https://api-docs.deepseek.com/guides/json_mode.
 */
const NEEDS: readonly Need[] = [
  { param: "n", isAsked: ({ n }) => typeof n === "number" && n > 1, can: byChat },
  {
    param: "functions",
    isAsked: ({ functions }) => Array.isArray(functions) && functions.length > 0,
    can: byChat,
  },
  {
    param: "tools",
    isAsked: ({ tools }) =>
      Array.isArray(tools) && tools.some((tool) => isJsonObject(tool) && tool.type === "custom"),
    can: ({ api }) => api === "responses",
  },
  {
    param: "logprobs",
    isAsked: ({ logprobs }) => logprobs === true,
    can: ({ isAnthropic, refuses }) => !isAnthropic && !refuses.includes("logprobs"),
  },
  {
    // Claude Code sends some with every request of its classifier: https://github.com/lidge-jun/opencodex/issues/5278 (2026-09-20).
    param: "stop",
    isAsked: ({ stop }) => (typeof stop === "string" || Array.isArray(stop)) && stop.length > 0,
    can: ({ refuses }) => !refuses.includes("stop"),
  },
  {
    param: "web_search_options",
    isAsked: ({ web_search_options: options }) => options !== undefined && options !== null,
    can: ({ provider, upstreamModel }) => provider === "openrouter" || /search|sonar/.test(upstreamModel),
  },
  {
    param: "audio",
    isAsked: ({ audio, modalities }) =>
      isJsonObject(audio) || (Array.isArray(modalities) && modalities.includes("audio")),
    can: ({ upstreamModel }) => /audio/.test(upstreamModel),
  },
  {
    param: "messages",
    isAsked: (body) => hasPart(body, "input_audio"),
    can: ({ provider, upstreamModel }) => provider === "google" || /audio/.test(upstreamModel),
  },
  {
    param: "messages",
    isAsked: (body) => hasPart(body, "file"),
    can: ({ provider, isAnthropic }) => isAnthropic || TAKE_FILES.has(provider),
  },
  {
    param: "response_format",
    isAsked: ({ response_format: format }) => isJsonObject(format) && format.type === "json_schema",
    can: ({ provider }) => provider !== "deepseek",
  },
];

function hasPart({ messages }: ChatBody, type: string): boolean {
  return messages.some(
    ({ content }) =>
      Array.isArray(content) && content.some((part) => isJsonObject(part) && part.type === type),
  );
}

interface NeedsSources {
  readonly catalog: ModelCatalog;
  readonly providers: ReadonlyMap<string, Pick<Provider, "natives">>;
}

/** For the router: what of the request a model cannot do. Nothing for a request that every model can answer. */
export function abilitiesFor(
  { body, native, functionsOnly }: Pick<InferenceRequest, "body" | "native" | "functionsOnly">,
  { catalog, providers }: NeedsSources,
): Pick<RouteRequest, "cannotDo"> {
  const needs: Need[] = NEEDS.filter(({ isAsked }) => isAsked(functionsOnly?.body ?? body));
  if (native?.use === "required") {
    // Only the translation, which is not sent here, could add all parameters of a model at an effort.
    const can = ({ provider, parameters }: Place): boolean =>
      serves(provider, native, providers) && Object.keys(parameters).length === 0;
    needs.push({ param: native.need?.param ?? "model", isAsked: () => true, can });
  }
  if (needs.length === 0) return {};
  const dialects = new Map(catalog.providers().map(({ id, type }) => [id, type]));
  return {
    cannotDo(model) {
      const places = catalog
        .deployments(model)
        .filter(({ enabled }) => enabled)
        .map((deployment) => ({
          ...deployment,
          isAnthropic: dialects.get(deployment.provider) === "anthropic",
        }));
      // Of one deployment all at once: different providers' abilities do not add up.
      if (places.length === 0 || places.some((place) => needs.every(({ can }) => can(place))))
        return undefined;
      return (needs.find(({ can }) => !places.some(can)) ?? needs[0])?.param;
    },
  };
}

type Providers = ReadonlyMap<string, Pick<Provider, "natives">>;

const serves = (provider: string, { request: { api }, need }: NativeForm, providers: Providers): boolean =>
  providers.get(provider)?.natives.has(api) === true && need?.notBy?.has(provider) !== true;

/** Names of the APIs for error messages. */
const NAMES: Readonly<Record<NativeApi, string>> = {
  responses: "OpenAI's Responses API",
  messages: "Anthropic's Messages API",
};

/**
 * The plan without deployments that lack the provider API that the request needs.
 *
 * @returns at least one model
 * @throws SextantError `invalid_request` when none is left
 */
export function nativePlan(
  plan: readonly PlannedModel[],
  native: NativeForm,
  providers: Providers,
): readonly PlannedModel[] {
  const able = planOf(plan, ({ provider }) => serves(provider, native, providers));
  if (able.length > 0) return able;
  const { request, need } = native;
  const { param, what } = need ?? { param: "model", what: "something that no translation can say" };
  throw new SextantError(
    "invalid_request",
    `\`${param}\` asks for ${what}, which only a provider that has ${NAMES[request.api]} itself can give, and none that serves ` +
      `${JSON.stringify(plan[0]?.name ?? "")} does. Leave it out, or name a model of such a provider.`,
    { param },
  );
}

/** What is passed on to the provider as it came, but for the effort of its deployment; undefined when it is translated. */
export function nativeRequestFor(
  { provider, parameters, api }: Deployment,
  native: NativeForm | undefined,
  providers: Providers,
): NativeRequest | undefined {
  if (native === undefined || !serves(provider, native, providers)) return undefined;
  if (native.use === "required") return withEffortOf(parameters, native.request);
  // Parameters of a deployment are chat's: only the translation can add them.
  const translates = Object.keys(parameters).length > 0;
  return translates || (native.use === "usual" && api !== native.request.api) ? undefined : native.request;
}

/** With the effort of the parameters, unless the request has one. */
function withEffortOf(parameters: Deployment["parameters"], request: NativeRequest): NativeRequest {
  const effort = effortIn(parameters);
  if (effort === undefined || request.api !== "responses" || effortIn(request.body) !== undefined)
    return request;
  const { reasoning } = request.body;
  const asked = { ...(isJsonObject(reasoning) && reasoning), effort };
  return { ...request, body: { ...request.body, reasoning: asked } };
}

/** Whether a deployment gets no other tools in a translation: one that goes to chat, or may go there where its server lacks Responses. */
export const takesFunctionsOnly = (
  { provider, api }: Deployment,
  { native, providers }: { readonly native: NativeRequest | undefined; readonly providers: Providers },
): boolean =>
  native !== undefined || api !== "responses" || providers.get(provider)?.natives.has(api) !== true;

/**
 * The plan without deployments that only support chat.
 *
 * @returns at least one model
 * @throws SextantError `invalid_request` when none is left
 */
export function completionsPlan(
  plan: readonly PlannedModel[],
  { param, what }: CompletionsNeed,
): readonly PlannedModel[] {
  const able = planOf(plan, ({ api }) => api === "completions");
  if (able.length > 0) return able;
  throw new SextantError(
    "invalid_request",
    `\`${param}\` asks for ${what}, which only models with \`api: completions\` can give, and ` +
      `${JSON.stringify(plan[0]?.name ?? "")} can only chat. Leave it out, name such a model, or set its \`api\` in the settings.`,
    { param },
  );
}
