import type { Decision, RouteRequest } from "../../../src/engine/router/decision.js";
import type { Router } from "../../../src/engine/router/router.js";
import type { GradedPrompts } from "../../../src/workbench/evaluation/graded-prompts.js";

/** 40 prompts: `large` answers all rightly at $.01, `small` the even ones at $.001. */
export function plantedPrompts(count = 40): GradedPrompts {
  const models = ["large", "small"];
  const cells = (value: (prompt: number, model: number) => number) =>
    Float64Array.from({ length: count * 2 }, (_, cell) => value(Math.floor(cell / 2), cell % 2));
  return {
    models,
    prompts: Array.from({ length: count }, (_, index) => ({
      id: `p${index}`,
      benchmark: "planted",
      category: "",
      text: `${index % 2 === 0 ? "easy" : "hard"} question ${index}`,
    })),
    quality: cells((prompt, model) => (model === 0 || prompt % 2 === 0 ? 1 : 0)),
    tokensIn: cells(() => 10),
    tokensOut: cells(() => 100),
    costUsd: cells((_, model) => (model === 0 ? 0.01 : 0.001)),
  };
}

export interface PlantedRouter {
  /** The model for a prompt at a cost weight. */
  readonly choose: (text: string, costWeight: number) => string;
  readonly expected?: (text: string, model: string) => number;
  /** Prompts that the set was built with. */
  readonly known?: (text: string) => boolean;
}

export const KNOWS_BEST: PlantedRouter["choose"] = (text, costWeight) =>
  costWeight >= 1 || (costWeight > 0 && text.startsWith("easy")) ? "small" : "large";

export function plantedRouter({
  choose,
  expected = (text, model) => (model === "large" || text.startsWith("easy") ? 0.99 : 0.01),
  known = () => false,
}: PlantedRouter): Pick<Router, "prepareMany" | "routeMany" | "profileVersion"> {
  const decide = ({ messages, costWeight = 0, models = [] }: RouteRequest): Decision => {
    const text = messages[0]?.content as string;
    const candidates = models.map((model) => ({
      model,
      expectedQuality: expected(text, model),
      expectedCostUsd: null,
      answerTokens: { expected: 50 },
    }));
    return {
      selectedModel: choose(text, costWeight),
      candidates,
      nearestSimilarity: known(text) ? 0.999 : 0.6,
      outOfDistribution: false,
    } as unknown as Decision;
  };
  return {
    profileVersion: "planted@1",
    routeMany: async (requests) => requests.map(decide),
    prepareMany: async (requests) =>
      requests.map((request) => ({ decideAt: (costWeight) => decide({ ...request, costWeight }) })),
  };
}
