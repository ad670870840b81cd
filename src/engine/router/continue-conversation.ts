import { type DecideOptions, decide, type Verdict } from "./decide.js";
import type { Candidate, PreviousAnswer, Stickiness } from "./decision.js";
import type { Estimates } from "./estimates.js";
import { type ContinuedRequest, continuedCosts } from "./prompt-cache-costs.js";

export interface ContinuedVerdict extends Verdict {
  readonly sticky: Stickiness;
}

/**
 * Chooses the model of a request that continues a conversation: by the rule of `decide`, with what the prompt caches save counted into
 * the costs, so that the model of the conversation is kept where switching would cost more than it gains. Within a tool loop
 * it is kept whatever the scores, as long as it is a candidate: another model could not use the reasoning behind the calls.
 *
 * Twice the time of `decide`.
 */
export function continueConversation(
  estimates: Estimates,
  request: ContinuedRequest,
  options: DecideOptions,
): ContinuedVerdict {
  const { previous } = request;
  const fresh = decide(estimates, options);
  const held = request.candidates.findIndex(({ model }) => model === previous.model);
  if (held < 0) return { ...fresh, sticky: switched(previous, "unavailable") };
  const costs = continuedCosts(estimates, request);
  const verdict = decide(
    { ...estimates, costUsd: costs.compared },
    previous.inToolLoop ? { ...options, held } : options,
  );
  const expectedOf = new Map(
    request.candidates.map(({ model }, entry) => [model, costs.expected[entry] as number]),
  );
  const candidates = verdict.candidates.map((candidate) => withCost(candidate, expectedOf));
  const [selected] = candidates;
  if (selected?.model !== previous.model) {
    return { ...verdict, candidates, sticky: switched(previous, "worth_switching") };
  }
  const otherwise = fresh.candidates[0]?.model ?? previous.model;
  if (otherwise === previous.model) {
    const sticky = { kept: true, previousModel: previous.model, reason: "best_choice", savedUsd: 0 } as const;
    return { ...verdict, candidates, sticky };
  }
  const savedUsd = difference(expectedOf.get(otherwise), expectedOf.get(previous.model));
  const reason = previous.inToolLoop ? "tool_loop" : "switching_cost";
  return {
    ...verdict,
    candidates,
    reason: REASONS[reason],
    sticky: { kept: true, previousModel: previous.model, reason, savedUsd },
  };
}

const REASONS = {
  tool_loop: "answers its own tool calls",
  switching_cost: "answered before in this conversation, and switching would cost more than it gains",
} as const;

const switched = ({ model }: PreviousAnswer, reason: Stickiness["reason"]): Stickiness => ({
  kept: false,
  previousModel: model,
  reason,
  savedUsd: null,
});

function withCost(candidate: Candidate, costs: ReadonlyMap<string, number>): Candidate {
  const cost = costs.get(candidate.model) ?? Number.POSITIVE_INFINITY;
  return { ...candidate, expectedCostUsd: Number.isFinite(cost) ? cost : null };
}

/** Null when a cost is unknown. */
function difference(left = Number.POSITIVE_INFINITY, right = Number.POSITIVE_INFINITY): number | null {
  return Number.isFinite(left) && Number.isFinite(right) ? left - right : null;
}
