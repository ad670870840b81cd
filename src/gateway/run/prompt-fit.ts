import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../foundation/errors.js";
import type { ChatBody } from "../providers/chat.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import { textWithCalls } from "./conversation-text.js";
import { type PlannedModel, planOf } from "./planned-models.js";

/**
 * Whether some deployment's context window is smaller than the estimated prompt, so that `fittingPlan` must count.
 * Unknown windows are assumed to be large enough.
 */
export function mayNotFit(plan: readonly PlannedModel[], promptTokens: number): boolean {
  return plan.some(({ deployments }) =>
    deployments.some((deployment) => isSmaller(deployment, promptTokens)),
  );
}

export interface FitOptions {
  readonly body: ChatBody;
  readonly counter: TokenCounter;
  /** The model that must remain: the named one. For a routed request, any suffices. */
  readonly required?: PlannedModel | undefined;
}

/**
 * The plan without deployments whose window is too small for the prompt. The texts of the messages are counted with a
 * tokenizer; images and the overhead of the chat format are not, so that only prompts that are certainly too long are
 * refused here. Whether the answer fits too is left to the upstream.
 *
 * @returns at least one model
 * @throws SextantError `context_length_exceeded`
 */
export async function fittingPlan(
  plan: readonly PlannedModel[],
  { body, counter, required }: FitOptions,
): Promise<readonly PlannedModel[]> {
  const windows = plan.flatMap(({ deployments }) =>
    deployments.flatMap(({ contextTokens }) => contextTokens ?? []),
  );
  const promptTokens = await counter.count(body.messages.map(textWithCalls), {
    model: plan[0]?.name ?? "",
    limit: Math.max(...windows),
  });
  const fitting = planOf(plan, (deployment) => !isSmaller(deployment, promptTokens));
  const missing = required ?? plan[0];
  const isMissing = required === undefined ? fitting.length === 0 : fitting[0]?.name !== required.name;
  if (missing !== undefined && isMissing) throw tooLong(missing);
  return fitting;
}

const isSmaller = ({ contextTokens }: Deployment, promptTokens: number): boolean =>
  contextTokens !== null && contextTokens < promptTokens;

function tooLong({ name, deployments }: PlannedModel): SextantError {
  const window = Math.max(...deployments.map(({ contextTokens }) => contextTokens ?? 0));
  return new SextantError(
    "context_length_exceeded",
    `The prompt has more than ${window} tokens, which is the whole context window of ${JSON.stringify(name)}. ` +
      "Shorten it, or choose a model with a larger window.",
    { param: "messages" },
  );
}
