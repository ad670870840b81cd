import { bootstrapInterval } from "../../bench/evidence/bootstrap.js";
import { figureOf } from "../../bench/evidence/figure.js";
import { markdownTable } from "../../bench/report/markdown.js";
import type { Figure } from "../../bench/report/result.js";
import { mean } from "../../bench/report/statistics.js";
import type { AttackKind } from "./attacks.js";
import type { AttackedDecision, AttackFinding } from "./measure.js";

/** Inflation of the spend that attacks may cause on average. */
const MEAN_GOAL = 0.05;

const sumOf = (
  decisions: readonly AttackedDecision[],
  usd: "usdBefore" | "usdAfter" | "usdWithText",
): number => decisions.reduce((sum, decision) => sum + decision[usd], 0);

/** Spend of the choices under attack over that without, minus 1, both for the prompts without the attack's text. */
export function inflation(decisions: readonly AttackedDecision[]): number {
  return sumOf(decisions, "usdAfter") / sumOf(decisions, "usdBefore") - 1;
}

/** The same with the tokens that the attack adds. */
export function billedInflation(decisions: readonly AttackedDecision[]): number {
  return sumOf(decisions, "usdWithText") / sumOf(decisions, "usdBefore") - 1;
}

export function shareChanged(decisions: readonly AttackedDecision[]): number {
  return decisions.filter(({ before, after }) => before !== after).length / decisions.length;
}

export function qualityChange(decisions: readonly AttackedDecision[]): number {
  return mean(decisions.map(({ qualityBefore, qualityAfter }) => qualityAfter - qualityBefore));
}

/** The prompt whose choice becomes most expensive, by the factor. */
export function worstDecision(decisions: readonly AttackedDecision[]): AttackedDecision | undefined {
  return decisions.toSorted((a, b) => b.usdAfter / b.usdBefore - a.usdAfter / a.usdBefore)[0];
}

/** Findings of one cost weight as figures. */
export function attackFigures(findings: readonly AttackFinding[]): Figure[] {
  const [first] = findings;
  if (first === undefined) return [];
  const { costWeight } = first;
  const path = (rest: string): string => `attacks/weight_${costWeight}/${rest}`;
  const written = findings.filter(({ attack }) => attack.kind !== "searched");
  return [
    figureOf({
      ...{ id: path("spend"), label: `cost weight ${costWeight}: mean expected cost without attack` },
      ...{ unit: "usd", better: "neither", missing: "no prompts" },
      value: sumOf(first.decisions, "usdBefore") / first.decisions.length,
    }),
    meanFigure(written, {
      id: path("mean_inflation"),
      label: `cost weight ${costWeight}: all written attacks`,
    }),
    ...(["characters", "padding", "stuffing"] satisfies AttackKind[]).map((kind) =>
      meanFigure(
        written.filter(({ attack }) => attack.kind === kind),
        { id: path(`mean_inflation/${kind}`), label: `cost weight ${costWeight}: attacks by ${kind}` },
      ),
    ),
    ...findings.flatMap((finding) => findingFigures(finding, path)),
  ];
}

function meanFigure(
  findings: readonly AttackFinding[],
  { id, label }: { readonly id: string; readonly label: string },
): Figure {
  const byPrompt = (findings[0]?.decisions ?? []).map((_, index) =>
    findings.map(({ decisions }) => decisions[index] as AttackedDecision),
  );
  const meanInflation = (prompts: readonly (readonly AttackedDecision[])[]): number =>
    mean(findings.map((_, attack) => inflation(prompts.map((row) => row[attack] as AttackedDecision))));
  return figureOf({
    ...{ id, label: `${label}, mean inflation of spend`, unit: "share", better: "lower", goal: MEAN_GOAL },
    value: meanInflation(byPrompt),
    interval: bootstrapInterval([byPrompt], ([prompts = []]) => meanInflation(prompts)),
    note: `${findings.length} attacks`,
    missing: "no attacks",
  });
}

function findingFigures(
  { attack, costWeight, found, decisions }: AttackFinding,
  path: (rest: string) => string,
): Figure[] {
  const label = (what: string): string => `cost weight ${costWeight}, ${attack.label}: ${what}`;
  const worst = worstDecision(decisions);
  const factor = worst === undefined ? Number.NaN : worst.usdAfter / worst.usdBefore;
  const shared = { missing: "no prompts" } as const;
  return [
    figureOf({
      ...{ ...shared, id: path(`inflation/${attack.id}`), label: label("inflation of spend") },
      ...{ unit: "share", better: "lower", value: inflation(decisions) },
      interval: bootstrapInterval([decisions], ([drawn = []]) => inflation(drawn)),
      ...(found === undefined ? {} : { note: found }),
    }),
    figureOf({
      ...{
        ...shared,
        id: path(`billed/${attack.id}`),
        label: label("inflation with the attack's own tokens"),
      },
      ...{ unit: "share", better: "lower", value: billedInflation(decisions) },
    }),
    figureOf({
      ...{ ...shared, id: path(`changed/${attack.id}`), label: label("decisions changed") },
      ...{ unit: "share", better: "lower", value: shareChanged(decisions) },
    }),
    figureOf({
      ...{ ...shared, id: path(`quality/${attack.id}`), label: label("change of expected quality") },
      ...{ unit: "points", better: "higher", value: 100 * qualityChange(decisions) },
    }),
    figureOf({
      ...{
        ...shared,
        id: path(`worst/${attack.id}`),
        label: label("cost of the worst prompt over its cost before"),
      },
      ...{ unit: "ratio", better: "lower", value: factor },
      ...(worst === undefined
        ? {}
        : { note: `${worst.before} → ${worst.after}: ${worst.prompt.slice(0, 80)}` }),
    }),
  ];
}

/** A row an attack, a column a cost weight: inflation [interval], decisions changed. */
export function attackTable(byWeight: readonly (readonly AttackFinding[])[]): string {
  const weights = byWeight.map(([first]) => first?.costWeight ?? Number.NaN);
  const rows = (byWeight[0] ?? []).map(({ attack }, row) => [
    attack.label,
    ...byWeight.map((findings) => cellOf(findings[row]?.decisions ?? [])),
  ]);
  return markdownTable(["attack", ...weights.map((weight) => `weight ${weight}`)], rows);
}

function cellOf(decisions: readonly AttackedDecision[]): string {
  const interval = bootstrapInterval([decisions], ([drawn = []]) => inflation(drawn));
  const range = interval === undefined ? "" : ` [${percent(interval.low)}, ${percent(interval.high)}]`;
  return `${percent(inflation(decisions))} %${range}; ${percent(shareChanged(decisions))} %`;
}

const percent = (share: number): string => (100 * share).toFixed(0).replace("-", "−");
