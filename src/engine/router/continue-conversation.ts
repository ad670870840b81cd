import { type DecideOptions, decide, type Verdict } from "./decide.js";
import type { PreviousAnswer, Stickiness } from "./decision.js";
import type { Estimates } from "./estimates.js";
import { type ContinuedRequest, continuedCosts } from "./prompt-cache-costs.js";

export interface ContinuedVerdict {
  readonly verdict: Verdict;
  readonly sticky: Stickiness;
  /** Why the model was kept; absent where the verdict has the reason. */
  readonly reason?: string;
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
  if (held < 0) return { verdict: fresh, sticky: switched(previous, "unavailable", null) };
  const { compared, expected: billedUsd } = continuedCosts(estimates, request);
  const verdict = decide(
    { ...estimates, costUsd: compared },
    { ...options, billedUsd, ...(previous.inToolLoop && { held }) },
  );
  const costOf = (model: string): number | undefined =>
    billedUsd[request.candidates.findIndex((one) => one.model === model)];
  if (verdict.selected.model !== previous.model) {
    const savedUsd = difference(billedUsd[held], costOf(verdict.selected.model));
    return { verdict, sticky: switched(previous, "worth_switching", savedUsd) };
  }
  const otherwise = fresh.selected.model;
  if (otherwise === previous.model) {
    const sticky = { kept: true, previousModel: previous.model, reason: "best_choice", savedUsd: 0 } as const;
    return { verdict, sticky };
  }
  const savedUsd = difference(costOf(otherwise), billedUsd[held]);
  const reason = previous.inToolLoop ? "tool_loop" : "switching_cost";
  return {
    verdict,
    reason: REASONS[reason],
    sticky: { kept: true, previousModel: previous.model, reason, savedUsd },
  };
}

const REASONS = {
  tool_loop: "answers its own tool calls",
  switching_cost: "answered before in this conversation, and switching would cost more than it gains",
} as const;

const switched = (
  { model }: PreviousAnswer,
  ...[reason, savedUsd]: readonly [Stickiness["reason"], number | null]
): Stickiness => ({ kept: false, previousModel: model, reason, savedUsd });

/** Null when a cost is unknown. */
function difference(left = Number.POSITIVE_INFINITY, right = Number.POSITIVE_INFINITY): number | null {
  return Number.isFinite(left) && Number.isFinite(right) ? left - right : null;
}
