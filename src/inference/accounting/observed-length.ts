import type { Deployment } from "../../catalog/deployments/deployment.js";
import type { LengthObservation } from "../../lengths/length-corrections.js";
import type { ChatBody } from "../../providers/chat.js";
import type { Candidate } from "../../router/decision.js";
import type { Usage } from "../../traces/trace.js";
import { LAST_RESORT } from "../planning/deployment-order.js";
import type { PlannedModel } from "../planning/plan.js";

/** What a decision expected of an answer. */
export type ExpectedLength = Pick<LengthObservation, "model" | "expectedTokens">;

export interface ExpectationSources {
  readonly plan: readonly PlannedModel[];
  /** Of the decision; empty without one. */
  readonly candidates: readonly Candidate[];
}

/** What the decision expected of the model that answers; null when it was none of the candidates, or is made up. */
export function expectedLength(
  deployment: Deployment,
  { plan, candidates }: ExpectationSources,
): ExpectedLength | null {
  if (candidates.length === 0 || deployment.provider === LAST_RESORT) return null;
  const name = plan.find(({ deployments }) => deployments.includes(deployment))?.name;
  const candidate = candidates.find(({ model }) => model === name);
  if (candidate === undefined || candidate.answerTokens === null) return null;
  return { model: candidate.model, expectedTokens: Math.max(1, candidate.answerTokens.profiled) };
}

/**
 * The answer as an observation of its length; null when it says nothing about it: several answers in one, or tokens that the
 * provider did not count.
 *
 * An answer that `max_tokens` cut off counts as it is, since the limit bounds what was expected of it too.
 */
export function observedLength(
  expected: ExpectedLength,
  { usage, body }: { readonly usage: Usage; readonly body: ChatBody },
): LengthObservation | null {
  const isOne = typeof body.n !== "number" || body.n === 1;
  if (!isOne || usage.estimated === true || usage.completion_tokens <= 0) return null;
  return { ...expected, actualTokens: usage.completion_tokens };
}
