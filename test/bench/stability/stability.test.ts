import { describe, expect, it } from "vitest";
import { changesList, changesTable, stabilityFigures } from "../../../bench/stability/figures.js";
import { COST_WEIGHTS, measureStability } from "../../../bench/stability/measure.js";
import type { Decision, RouteRequest } from "../../../src/engine/router/decision.js";
import type { Router } from "../../../src/engine/router/router.js";

function decision(chosen: string, qualities: Readonly<Record<string, number>>, usd = 0.001): Decision {
  const candidates = Object.entries(qualities).map(([model, expectedQuality]) => ({
    model,
    expectedQuality,
  }));
  return { selectedModel: chosen, expectedCostUsd: usd, candidates } as unknown as Decision;
}

/** Chooses "small" at every weight above 0, and "large" for texts with a question mark. */
const router = {
  routeMany: async (requests: readonly RouteRequest[]) =>
    requests.map(({ messages, costWeight = 0 }) => {
      const asks = String(messages[0]?.content).includes("?");
      return decision(
        asks || costWeight === 0 ? "large" : "small",
        { large: 0.9, small: 0.8 },
        asks ? 0.004 : 0.001,
      );
    }),
} as unknown as Router;

describe("A wording's decision", () => {
  it("is counted as a change where another model is chosen than for the prompt", async () => {
    const prompt = {
      kind: "e-mail",
      tier: "easy",
      label: "a plea",
      text: "Write.",
      needsTools: false,
    } as const;
    const [paraphrase, polite] = ["Do it?", "Please?"];
    const wordings = { paraphrase, typos: "Wirte.", German: "Schreib.", terse: "write", polite };
    const findings = await measureStability({ router, canRun: () => true }, [{ prompt, wordings }]);
    expect(findings).toHaveLength(5 * COST_WEIGHTS.length);
    const figures = new Map(stabilityFigures("all", findings).map((figure) => [figure.id, figure]));
    expect(figures.get("stability/all/changed/0")?.value).toBe(0);
    expect(figures.get("stability/all/changed/0.2")).toMatchObject({ value: 2, goal: 0 });
    // Two of five cost four times as much.
    expect(figures.get("stability/all/cost_ratio/0.2")?.value).toBeCloseTo(4 ** (2 / 5), 4);
    expect(figures.get("stability/all/quality_change/0.2")?.value).toBeCloseTo((100 * (0.1 * 2)) / 5, 4);
    expect(changesTable(findings)).toContain("| all | 0 of 5 | 2 of 5 |");
    expect(changesList(findings, 0.2).match(/a plea/g)).toHaveLength(2);
  });
});
