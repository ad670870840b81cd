import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import type { LengthObservation } from "../../../engine/lengths/length-corrections.js";
import type { Candidate } from "../../../engine/router/decision.js";
import type { ChatBody } from "../../providers/chat.js";
import type { Usage } from "../../traces/trace.js";
import { LAST_RESORT } from "../planning/deployment-order.js";
import { type PlannedModel, plannedName } from "../planning/plan.js";

/** The expected length of an answer, from its decision. */
export type ExpectedLength = Pick<LengthObservation, "model" | "expectedTokens">;

export interface ExpectationSources {
  readonly plan: readonly PlannedModel[];
  /** Candidates of the decision; empty without one. */
  readonly candidates: readonly Candidate[];
}

/** The expected length for the model that answers; null when it was not a candidate, or for the sandbox. */
export function expectedLength(
  deployment: Deployment,
  { plan, candidates }: ExpectationSources,
): ExpectedLength | null {
  if (candidates.length === 0 || deployment.provider === LAST_RESORT) return null;
  const name = plannedName(deployment, plan);
  const candidate = candidates.find(({ model }) => model === name);
  if (candidate === undefined) return null;
  return { model: candidate.model, expectedTokens: Math.max(1, candidate.answerTokens.profiled) };
}

/**
 * The observed length of an answer; null when it is not comparable: several answers in one, or tokens that the provider
 * did not count.
 *
 * An answer cut off by `max_tokens` counts, since the limit also bounds its expected length.
 */
export function observedLength(
  expected: ExpectedLength,
  { usage, body }: { readonly usage: Usage; readonly body: ChatBody },
): LengthObservation | null {
  const isOne = typeof body.n !== "number" || body.n === 1;
  if (!isOne || usage.estimated === true || usage.completion_tokens <= 0) return null;
  return { ...expected, actualTokens: usage.completion_tokens };
}
