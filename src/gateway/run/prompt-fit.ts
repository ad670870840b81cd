import { SextantError } from "../../foundation/errors.js";
import type { ChatBody } from "../providers/chat.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import { textWithCalls } from "./conversation-text.js";
import { type PlannedModel, planOf } from "./planned-models.js";

interface FitOptions {
  /** As estimated. */
  readonly promptTokens: number;
  readonly body: ChatBody;
  readonly counter: TokenCounter;
  /** The model that must remain: the named one. For a routed request, any suffices. */
  readonly required: PlannedModel | undefined;
}

/**
 * The plan without deployments whose window is too small for the prompt. Only where the estimate is larger than some window, the texts
 * of the messages are counted with a tokenizer; images and the overhead of the chat format are not, so that only prompts that are certainly too long are
 * refused here. Unknown windows are assumed to be large enough. Whether the answer fits too is left to the upstream.
 *
 * @returns at least one model
 * @throws SextantError `context_length_exceeded`
 */
export async function fittingPlan(
  plan: readonly PlannedModel[],
  { promptTokens: estimated, body, counter, required }: FitOptions,
): Promise<readonly PlannedModel[]> {
  const windows = plan.flatMap(({ deployments }) =>
    deployments.flatMap(({ contextTokens }) => contextTokens ?? []),
  );
  if (windows.every((window) => window >= estimated)) return plan;
  const promptTokens = await counter.count(body.messages.map(textWithCalls), {
    model: plan[0]?.name ?? "",
    limit: Math.max(...windows),
  });
  const fitting = planOf(
    plan,
    ({ contextTokens }) => contextTokens === null || contextTokens >= promptTokens,
  );
  const missing = required ?? plan[0];
  const isMissing = required === undefined ? fitting.length === 0 : fitting[0]?.name !== required.name;
  if (missing !== undefined && isMissing) throw tooLong(missing);
  return fitting;
}

function tooLong({ name, deployments }: PlannedModel): SextantError {
  const window = Math.max(...deployments.map(({ contextTokens }) => contextTokens ?? 0));
  return new SextantError(
    "context_length_exceeded",
    `The prompt has more than ${window} tokens, which is the whole context window of ${JSON.stringify(name)}. ` +
      "Shorten it, or choose a model with a larger window.",
    { param: "messages" },
  );
}
