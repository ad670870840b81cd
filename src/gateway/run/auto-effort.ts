/** `effort: "auto"` on a named model: its effort is chosen turn by turn, as `auto` chooses models. */
import type { Router } from "../../engine/router/router.js";
import type { ChatBody } from "../providers/chat.js";
import type { Settings } from "../settings.js";
import { autoWeight } from "./auto-weight.js";
import type { ModelCatalog } from "./model-catalog.js";
import { effortIn, withoutEffort } from "./repairs/efforts.js";
import type { InferenceRequest, NamedChoice, RoutedChoice } from "./request.js";

/** In the place of an effort, in the form of any API. */
const AUTO_EFFORT = "auto";

interface EffortSources {
  readonly catalog: Pick<ModelCatalog, "deployments">;
  readonly router: Pick<Router, "liveModels">;
  readonly settings: Pick<Settings, "autoCostWeight">;
  /** Of the caller's API key. */
  readonly keyWeight: number | null | undefined;
}

/** The request with a choice among the efforts of its model, where it asks for one; a model without a choice keeps its default. */
export function withChosenEffort(request: InferenceRequest, sources: EffortSources): InferenceRequest {
  const { body, choice, effort, native } = request;
  if ((effort ?? effortIn(body)) !== AUTO_EFFORT) return request;
  return {
    ...request,
    choice: choice.type === "named" ? effortChoice(choice, sources) : choice,
    body: withoutEffort(body) as ChatBody,
    effort: null,
    ...(native && {
      native: { ...native, request: { ...native.request, body: withoutEffort(native.request.body) } },
    }),
  };
}

function effortChoice(
  { model: name, provider, hosts, conversation }: NamedChoice,
  { catalog, router, settings, keyWeight }: EffortSources,
): NamedChoice | RoutedChoice {
  const places = catalog.deployments(name).filter((one) => one.provider === (provider ?? one.provider));
  const model = places[0]?.model ?? name;
  const efforts = router.liveModels().filter((one) => one.startsWith(`${model}:`));
  if (efforts.length === 0) return { type: "named", model: name, provider, hosts, conversation };
  const only = places.every((one) => one.provider === places[0]?.provider) ? places[0]?.provider : provider;
  return {
    type: "routed",
    name,
    models: [model, ...efforts],
    effortOf: model,
    costWeight: autoWeight(settings, { keyWeight }),
    provider: only,
    hosts,
    conversation,
  };
}
