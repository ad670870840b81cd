/** `effort: "auto"` on a named model: its effort is chosen turn by turn, as `auto` chooses models. */
import type { Router } from "../../engine/router/router.js";
import { SextantError } from "../../foundation/errors.js";
import { type ChatBody, isJsonObject, type JsonObject } from "../providers/chat.js";
import type { Settings } from "../settings.js";
import { autoWeight } from "./auto-weight.js";
import type { ModelCatalog } from "./model-catalog.js";
import { effortIn, withoutEffort } from "./repairs/efforts.js";
import type { InferenceRequest, NamedChoice, RoutedChoice } from "./request.js";

/** In the place of an effort, in the form of any API. */
const AUTO_EFFORT = "auto";

interface EffortSources {
  readonly catalog: Pick<ModelCatalog, "deployments" | "providerId">;
  readonly router: Pick<Router, "liveModels">;
  readonly settings: Pick<Settings, "autoCostWeight">;
}

interface EffortOptions {
  readonly sources: EffortSources;
  /** Of the caller's API key. */
  readonly keyWeight: number | null | undefined;
}

type Efforts = Pick<InferenceRequest, "body" | "effort" | "native">;

const asksForAuto = ({ body, effort, native }: Efforts): boolean =>
  (effort ?? effortIn(body)) === AUTO_EFFORT ||
  (native !== undefined && effortIn(native.request.body) === AUTO_EFFORT);

/** The request without the word, which no provider knows. */
export function withoutAutoEffort<Request extends Efforts>(request: Request): Request {
  if (!asksForAuto(request)) return request;
  const { body, native } = request;
  return {
    ...request,
    body: withoutEffort(body) as ChatBody,
    effort: null,
    ...(native && {
      native: { ...native, request: { ...native.request, body: withoutOwnEffort(native.request.body) } },
    }),
  };
}

/** Also without thinking that is switched on, which would be an effort of its own; what is switched off stays so. */
function withoutOwnEffort(body: JsonObject): JsonObject {
  const { thinking, ...others } = withoutEffort(body);
  return thinking === undefined || isOff(thinking) ? withoutEffort(body) : others;
}

const isOff = (thinking: unknown): boolean => isJsonObject(thinking) && thinking.type === "disabled";

/** The request with a choice among the efforts of its model, where it asks for one; a model without a choice keeps its default. */
export function withChosenEffort(request: InferenceRequest, options: EffortOptions): InferenceRequest {
  if (!asksForAuto(request)) return request;
  const asked = withoutAutoEffort(request);
  const { choice, native } = asked;
  if (choice.type === "routed" || native?.use === "required" || isOff(native?.request.body.thinking))
    return asked;
  return { ...asked, choice: effortChoice(choice, options) };
}

/** Efforts are asked for where the model itself would be asked, in the version that is named. */
function effortChoice(named: NamedChoice, { sources, keyWeight }: EffortOptions): NamedChoice | RoutedChoice {
  const { catalog, router, settings } = sources;
  const { model: name, hosts, conversation } = named;
  const provider = named.provider === undefined ? undefined : catalog.providerId(named.provider);
  const places = catalog
    .deployments(name)
    .filter((one) => one.enabled && (named.provider === undefined || one.provider === provider));
  const [first] = places;
  if (first === undefined) return named;
  const { model } = first;
  const models = [model, ...router.liveModels().filter((one) => one.startsWith(`${model}:`))].filter(
    (effort) =>
      catalog
        .deployments(effort)
        .some((one) =>
          places.some((at) => at.provider === one.provider && at.upstreamModel === one.upstreamModel),
        ),
  );
  if (models.length < 2) return named;
  const isOnly = places.every((one) => one.provider === first.provider);
  return {
    type: "routed",
    name,
    models,
    effortOf: named,
    costWeight: autoWeight(settings, { keyWeight }),
    provider: isOnly ? first.provider : undefined,
    hosts,
    conversation,
  };
}

/** The named choice again, where no effort can be chosen: nothing but the model itself is left for the prompt. */
export function withoutChoice(fault: unknown, { choice }: Pick<InferenceRequest, "choice">): NamedChoice {
  const isNoChoice =
    fault instanceof SextantError &&
    (fault.code === "insufficient_models" || fault.code === "no_provider_available");
  if (isNoChoice && choice.type === "routed" && choice.effortOf !== undefined) return choice.effortOf;
  throw fault;
}
