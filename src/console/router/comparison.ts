import type { ExplanationBody } from "../../gateway/api/explanation.js";
import { choiceAt } from "./choices.js";

type Explanation = Pick<ExplanationBody, "routing" | "choices">;

/** The cost weight of a name such as `auto:0.3`, or that of the settings for `auto` and presets; undefined for a model. */
export function weightOf(
  model: string,
  named: readonly { readonly model: string; readonly cost_weight: number }[],
): number | undefined {
  const known = named.find((each) => each.model === model)?.cost_weight;
  if (known !== undefined) return known;
  const weight = /^auto:(\d*\.?\d+)$/.exec(model)?.[1];
  return weight === undefined ? undefined : Number(weight);
}

/**
 * What an answer is expected to cost, in US dollars; null where it is not known.
 *
 * @param weight of a name that routes; undefined: the model itself is asked
 */
export function expectedCost(
  { routing, choices }: Explanation,
  { model, weight }: { readonly model: string; readonly weight: number | undefined },
): number | null {
  if (weight !== undefined) return choiceAt(choices, weight)?.expected_cost_usd ?? null;
  return routing.candidates.find((candidate) => candidate.model === model)?.expected_cost_usd ?? null;
}

/** The sum of what is known, and how many are not. */
export function knownSum(costs: readonly (number | null)[]): {
  readonly usd: number;
  readonly unknown: number;
} {
  const known = costs.filter((cost) => cost !== null);
  return { usd: known.reduce((sum, cost) => sum + cost, 0), unknown: costs.length - known.length };
}

/** The prompts of a text, each once: separated by lines of `---` where it has any, else by blank lines. */
export const promptsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/^-{3,}\s*$/m.test(text) ? /^-{3,}\s*$/m : /\n[ \t]*\n/)
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ),
];
