import type { RouteRequest } from "../../engine/router/decision.js";
import type { RoutingBodyOptions } from "../../engine/router/routing-body.js";
import { callerEffort, type EffortFields } from "./caller-effort.js";
import { conversationOf } from "./conversation-text.js";
import type { InferenceDependencies } from "./dependencies.js";
import type { InferenceRequest, RoutedChoice } from "./request.js";
import { maxTokensOf } from "./request-size.js";

/** Converts a request for the router. */
export function routeRequestOf(
  { models, costWeight, maxMeanCostUsd, maxLatency, latencyWeight, explain = false }: RoutedChoice,
  asked: EffortFields & Pick<InferenceRequest, "body">,
): RouteRequest {
  const { body } = asked;
  const maxTokens = maxTokensOf(body);
  const effort = callerEffort(asked);
  const { messages, tools } = body;
  return {
    messages: conversationOf(messages),
    costWeight,
    ...(models === undefined ? {} : { models }),
    ...(maxMeanCostUsd === undefined ? {} : { maxMeanCostUsd }),
    ...(maxLatency === undefined ? {} : { maxLatency }),
    ...(latencyWeight === undefined ? {} : { latencyWeight }),
    ...(explain ? { explain } : {}),
    ...(effort === undefined ? {} : { effort }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(Array.isArray(tools) && tools.length > 0 ? { needsTools: true } : {}),
  };
}

/** What of a decision a reply shows: named candidates all, of others the best. @param notes beside the choice's own */
export const shownOf = (
  { models, effortOf, explain, preset, note }: RoutedChoice,
  notes: readonly string[] = [],
): RoutingBodyOptions => ({
  preset,
  // The default comes first.
  effortOf: effortOf && models?.[0],
  note: [...(note === undefined ? [] : [note]), ...notes].join("; ") || undefined,
  candidates: models !== undefined || explain === true ? "all" : "best",
});

/** Highest expected cost of a model that is drawn, in multiples of the decided one's: exploring a share s adds at most 4 s to the spend. */
const EXPLORED_COST_RATIO = 5;

/** What an executed request explores; nothing at a share of 0, where decisions are deterministic. */
export function explorationOf({
  random,
  settings: { exploreShare: share },
}: Pick<InferenceDependencies, "random" | "settings">): Pick<RouteRequest, "exploration"> {
  return share === 0 ? {} : { exploration: { share, maxCostRatio: EXPLORED_COST_RATIO, draw: random() } };
}
