import type { Candidate, Decision } from "../../src/engine/router/decision.js";
import type { Router } from "../../src/engine/router/router.js";
import { WORDING_KINDS, type WordedPrompt } from "./wordings.js";

export const COST_WEIGHTS = [0, 0.1, 0.2, 0.3, 0.5, 0.8] as const;

/** Whether another wording of a prompt is decided as the prompt is, at one cost weight. */
export interface WordingFinding {
  readonly label: string;
  readonly tier: string;
  readonly kind: (typeof WORDING_KINDS)[number];
  readonly costWeight: number;
  /** Chosen for the prompt, and for the wording. */
  readonly model: string;
  readonly changedTo: string;
  /** Expected quality of the prompt itself with the wording's choice less that with its own. */
  readonly qualityChange: number;
  /** Expected dollars of the wording's answer by the prompt's, each of what is chosen for it. */
  readonly costRatio: number;
  /** How far the expected quality of the prompt's choice moves with the wording. */
  readonly qualityMoved: number;
}

export interface MeasuredRouter {
  readonly router: Router;
  readonly canRun: (model: string) => boolean;
}

/** Decides every prompt and every wording of it, without a call. */
export async function measureStability(
  measured: MeasuredRouter,
  prompts: readonly WordedPrompt[],
): Promise<readonly WordingFinding[]> {
  const findings: WordingFinding[] = [];
  for (const { prompt, wordings } of prompts) {
    const { needsTools, label, tier } = prompt;
    const own = await decide(measured, { text: prompt.text, needsTools });
    for (const kind of WORDING_KINDS) {
      const other = await decide(measured, { text: wordings[kind], needsTools });
      for (const [index, costWeight] of COST_WEIGHTS.entries())
        findings.push({
          ...{ label, tier, kind, costWeight },
          ...compareDecisions(own[index] as Decision, other[index] as Decision),
        });
    }
  }
  return findings;
}

function decide(
  { router, canRun }: MeasuredRouter,
  { text, needsTools }: { readonly text: string; readonly needsTools: boolean },
): Promise<Decision[]> {
  return router.routeMany(
    COST_WEIGHTS.map((costWeight) => ({
      ...{ messages: [{ role: "user" as const, content: text }], costWeight, needsTools, canRun },
    })),
  );
}

/** The decision for a prompt beside that for another wording of it. */
export function compareDecisions(
  own: Decision,
  other: Decision,
): Omit<WordingFinding, "label" | "tier" | "kind" | "costWeight"> {
  const quality = (decision: Decision, model: string): number =>
    decision.candidates.find((candidate: Candidate) => candidate.model === model)?.expectedQuality ??
    Number.NaN;
  const model = own.selectedModel;
  const changedTo = other.selectedModel;
  return {
    ...{ model, changedTo },
    qualityChange: quality(own, changedTo) - quality(own, model),
    costRatio: (other.expectedCostUsd ?? Number.NaN) / (own.expectedCostUsd ?? Number.NaN),
    qualityMoved: Math.abs(quality(other, model) - quality(own, model)),
  };
}
