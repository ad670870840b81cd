import { figureOf } from "../evidence/figure.js";
import { formatValue } from "../report/legible.js";
import { markdownTable } from "../report/markdown.js";
import type { Figure } from "../report/result.js";
import { mean } from "../report/statistics.js";
import { COST_WEIGHTS, type WordingFinding } from "./measure.js";
import { WORDING_KINDS } from "./wordings.js";

/** At this weight fewer than a fifth of the choices may change. */
const GOAL_WEIGHT = 0.2;
const GOAL_SHARE = 0.2;

const isChange = ({ model, changedTo }: WordingFinding): boolean => model !== changedTo;

export function stabilityFigures(group: string, findings: readonly WordingFinding[]): Figure[] {
  return COST_WEIGHTS.flatMap((weight) => {
    const there = findings.filter(({ costWeight }) => costWeight === weight);
    const path = (rest: string): string => `stability/${group}/${rest}/${weight}`;
    const at = `${group} at cost weight ${weight}`;
    const missing = "no prompt was decided, or a cost is unknown";
    return [
      figureOf({
        ...{ id: path("changed"), label: `${at}: wordings whose choice is another, of ${there.length}` },
        ...{ unit: "count", better: "lower", value: there.filter(isChange).length, missing },
        ...(weight === GOAL_WEIGHT ? { goal: Math.ceil(GOAL_SHARE * there.length) - 1 } : {}),
      }),
      figureOf({
        ...{ id: path("quality_change"), label: `${at}: mean change of the prompt's expected quality` },
        ...{ unit: "points", better: "neither", value: 100 * meanOf(there, "qualityChange"), missing },
      }),
      figureOf({
        ...{
          id: path("quality_moved"),
          label: `${at}: mean move of the expected quality of the prompt's choice`,
        },
        ...{ unit: "points", better: "lower", value: 100 * meanOf(there, "qualityMoved"), missing },
      }),
      figureOf({
        ...{
          id: path("cost_ratio"),
          label: `${at}: expected dollars of the wording by the prompt's, typical factor`,
        },
        ...{ unit: "ratio", better: "lower", value: typicalFactor(there), missing },
      }),
    ];
  });
}

const meanOf = (findings: readonly WordingFinding[], name: "qualityChange" | "qualityMoved"): number =>
  mean(findings.map((finding) => finding[name]));

/** exp of the mean absolute logarithm: 1 where costs stay the same, 2 where they are doubled or halved. */
const typicalFactor = (findings: readonly WordingFinding[]): number =>
  Math.exp(mean(findings.map(({ costRatio }) => Math.abs(Math.log(costRatio)))));

/** Changed choices by kind of wording and cost weight, as Markdown. */
export function changesTable(findings: readonly WordingFinding[]): string {
  const changed = (kind: string | undefined, weight: number): string => {
    const there = findings.filter(
      (finding) => finding.costWeight === weight && (kind === undefined || finding.kind === kind),
    );
    return `${there.filter(isChange).length} of ${there.length}`;
  };
  return markdownTable(
    ["wording", ...COST_WEIGHTS.map((weight) => `cost weight ${weight}`)],
    [
      ...WORDING_KINDS.map((kind) => [kind, ...COST_WEIGHTS.map((weight) => changed(kind, weight))]),
      ["all", ...COST_WEIGHTS.map((weight) => changed(undefined, weight))],
    ],
  );
}

/** Each change at a weight, as Markdown. */
export function changesList(findings: readonly WordingFinding[], weight: number): string {
  return markdownTable(
    ["prompt", "wording", "chosen for the prompt", "chosen for the wording", "quality", "cost"],
    findings
      .filter((finding) => finding.costWeight === weight && isChange(finding))
      .map(({ label, tier, kind, model, changedTo, qualityChange, costRatio }) => [
        ...[`${tier}: ${label}`, kind, model, changedTo],
        ...[qualityChange.toFixed(3), formatValue(costRatio, "ratio")],
      ]),
  );
}
