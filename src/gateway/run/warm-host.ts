/** The provider of a conversation's last answer, while it may have the prompt in its cache. */

import { isCacheWarm, tokensInCache } from "../../engine/index.js";
import type { RouteRequest } from "../../engine/router/decision.js";
import type { JsonObject } from "../providers/chat.js";
import { keysOf } from "../providers/keys/keyed-provider.js";
import type { Provider } from "../providers/provider.js";
import type { WarmHost } from "./deployment-order.js";
import { HAS_HOSTS_OF_ITS_OWN } from "./host-preferences.js";
import type { ModelCatalog } from "./model-catalog.js";
import type { PlannedModel } from "./planned-models.js";
import { reasoningSeals } from "./repairs/seals.js";
import type { AnsweringHost, Turn } from "./sticky-conversations.js";

/** What the next request of the conversation should reach again. */
export interface WarmAnswer extends WarmHost, AnsweringHost {
  /** As requests or decisions name it. */
  readonly model: string;
}

interface WarmOptions {
  readonly catalog: Pick<ModelCatalog, "factsAt">;
  /** Of the whole request, as `RouteRequest.promptTokens`. */
  readonly promptTokens: number;
  /** In the form in which it came. */
  readonly body: JsonObject;
}

/**
 * @returns undefined where nothing was answered before, where the request does not begin with it, and when the
 * vendor's cache has forgotten it by its documented lifetime, unless it has reasoning that only who made it can read
 */
export function warmAnswer(
  { previous, host }: Turn,
  { catalog, promptTokens, body }: WarmOptions,
): WarmAnswer | undefined {
  if (previous === undefined || previous.provider === null || previous.promptTokens <= 0) return undefined;
  const { model, provider } = previous;
  const { promptCache } = catalog.factsAt(model, provider);
  if (promptCache === undefined || !isCacheWarm(promptCache, previous))
    return reasoningSeals(body).length === 0 ? undefined : { ...host, model, provider, cachedTokens: 0 };
  return { ...host, model, provider, cachedTokens: tokensInCache(promptCache, { previous, promptTokens }) };
}

/**
 * For the router: the model that answered before is called where it did, so that its cache and price are those of that
 * provider.
 */
export function factsAtWarm(
  { model: held, provider }: WarmAnswer,
  catalog: Pick<ModelCatalog, "factsAt">,
): Pick<RouteRequest, "factsOf"> {
  return { factsOf: (model) => (model === held ? catalog.factsAt(model, provider) : undefined) };
}

/** Whether it matters where, or with which key, a request for a named model goes: only then its conversation is looked for. */
export const hasChoiceOfHosts = (
  plan: readonly PlannedModel[],
  providers: ReadonlyMap<string, Provider>,
): boolean =>
  plan.some(
    ({ deployments: [{ provider = "" } = {}, ...others] }) =>
      others.length > 0 || provider === HAS_HOSTS_OF_ITS_OWN || keysOf(providers.get(provider)) !== undefined,
  );
