import { SextantError } from "../../../foundation/errors.js";
import type { CompletionsNeed } from "../request.js";
import type { PlannedModel } from "./plan.js";

/**
 * The plan without deployments that only support chat.
 *
 * @returns at least one model
 * @throws SextantError `invalid_request` when none is left
 */
export function completionsPlan(
  plan: readonly PlannedModel[],
  need: CompletionsNeed | undefined,
): readonly PlannedModel[] {
  if (need === undefined) return plan;
  const able = plan
    .map(({ name, deployments }) => ({
      name,
      deployments: deployments.filter(({ api }) => api === "completions"),
    }))
    .filter(({ deployments }) => deployments.length > 0);
  if (able.length > 0) return able;
  const { param, what } = need;
  throw new SextantError(
    "invalid_request",
    `\`${param}\` asks for ${what}, which only models with \`api: completions\` can give, and ` +
      `${JSON.stringify(plan[0]?.name ?? "")} can only chat. Leave it out, name such a model, or set its \`api\` in the settings.`,
    { param },
  );
}
