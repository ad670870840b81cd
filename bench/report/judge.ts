import type { BenchmarkResult, Figure } from "./result.js";
import {
  adjustForMany,
  chanceOfMoreThan,
  type Difference,
  pairedDifference,
  unpairedDifference,
} from "./statistics.js";

/**
 * Verdict on one figure between two runs.
 *
 * - `worse`, `better`: by more than the tolerance and more than the noise of both runs
 * - `same`: neither
 * - `missing`: the first run has it, the second has not, or could not measure it
 * - `new`: only the second run has it
 * - `not judged`: there is no basis for a verdict; see `reason`
 */
export type Verdict = "same" | "worse" | "better" | "missing" | "new" | "not judged";

export interface Judgement {
  readonly id: string;
  readonly figure: Figure;
  readonly before: number | null;
  readonly after: number | null;
  /** Of the value: relative where `scale` is so, else in the figure's own unit. Positive = larger. */
  readonly change: number | null;
  readonly scale: Scale;
  /** Deterioration that is accepted, on that scale. */
  readonly tolerance: number;
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * `relative`: twice as slow is the same loss for 1 µs and for 1 s. `absolute`: a point of quality has the same value
 * anywhere.
 */
type Scale = "relative" | "absolute";

interface Rule {
  readonly scale: Scale;
  readonly tolerance: number;
  /** Whether the figure depends on the machine as much as on the code. */
  readonly boundToMachine: boolean;
}

const OF_MACHINE = { scale: "relative", tolerance: 0.1, boundToMachine: true } as const;
const OF_CODE = { scale: "absolute", tolerance: 0.01, boundToMachine: false } as const;

/**
 * Tolerances. Time ratios of the same code differ by about 5 % between runs beyond the variation of their rounds,
 * because of memory layout (bench/README.md); figures of quality differ by a changed tie at most.
 */
const RULES: Readonly<Record<Figure["unit"], Rule>> = {
  share: OF_CODE,
  score: OF_CODE,
  points: { ...OF_CODE, tolerance: 1 },
  usd: { scale: "relative", tolerance: 0.03, boundToMachine: false },
  count: { scale: "relative", tolerance: 0, boundToMachine: false },
  ratio: { scale: "relative", tolerance: 0.1, boundToMachine: false },
  us: OF_MACHINE,
  ms: OF_MACHINE,
  s: OF_MACHINE,
  per_s: OF_MACHINE,
  mb: OF_MACHINE,
  bytes: OF_MACHINE,
};

/** With fewer rounds or seeds, their variance is not estimated. */
const LEAST_SAMPLES = 3;

/** Probability that a pair of runs of the same code has any figure judged worse; and, separately, any judged better. */
const FALSE_ALARMS = 0.05;

export interface JudgeOptions {
  /** Whether times may be compared: only when both runs were on one machine. */
  readonly times: "compare" | "leave out";
  /** Instead of that of the rules, for figures of unit `ratio`. */
  readonly ratioTolerance?: number | undefined;
}

/** All figures of both runs, those of the first in its order, then the new ones. */
export function judge(
  before: BenchmarkResult,
  after: BenchmarkResult,
  options: JudgeOptions,
): readonly Judgement[] {
  const later = new Map(after.figures.map((figure) => [figure.id, figure]));
  const earlier = new Set(before.figures.map(({ id }) => id));
  const runs = { before, after };
  const cases = before.figures.map((figure) => caseOf(figure, later.get(figure.id), { runs, options }));
  const tested = cases.filter(({ chances }) => chances !== undefined);
  const worse = adjustForMany(tested.map(({ chances }) => chances?.worse ?? 1));
  const better = adjustForMany(tested.map(({ chances }) => chances?.better ?? 1));
  for (const [index, testedCase] of tested.entries()) {
    if ((worse[index] ?? 1) < FALSE_ALARMS) testedCase.verdict = "worse";
    else if ((better[index] ?? 1) < FALSE_ALARMS) testedCase.verdict = "better";
  }
  const added = after.figures.filter(({ id }) => !earlier.has(id)).map((figure) => newFigure(figure));
  return [...cases.map(({ chances: _, ...judgement }) => judgement), ...added];
}

interface Case extends Judgement {
  verdict: Verdict;
  /** Of so large a worsening, and so large an improvement, beyond the tolerance, by noise alone; undefined = not judged. */
  readonly chances: { readonly worse: number; readonly better: number } | undefined;
}

interface CaseContext {
  readonly runs: { readonly before: BenchmarkResult; readonly after: BenchmarkResult };
  readonly options: JudgeOptions;
}

function caseOf(figure: Figure, later: Figure | undefined, { runs, options }: CaseContext): Case {
  const rule = ruleOf(figure, options);
  const base = {
    ...{ id: figure.id, figure, before: figure.value, after: later?.value ?? null },
    ...{ scale: rule.scale, tolerance: rule.tolerance },
    change: changeOf(figure.value, later?.value ?? null, rule.scale),
  };
  const unjudged = (verdict: Verdict, reason: string): Case => ({
    ...base,
    verdict,
    reason,
    chances: undefined,
  });
  if (later === undefined) return unjudged("missing", "the second run has no such figure");
  if (figure.value === null) return unjudged("not judged", "the first run could not measure it");
  if (later.value === null) return unjudged("missing", later.note ?? "the second run could not measure it");
  if (figure.unit !== later.unit) {
    return unjudged("missing", `measured in ${figure.unit} before and in ${later.unit} after`);
  }
  if (figure.better === "neither") return unjudged("not judged", "neither more nor less of it is better");
  if (rule.boundToMachine && options.times === "leave out") {
    return unjudged("not judged", "depends on the machine");
  }
  if (figure.by_clock && isBusy(runs))
    return unjudged("not judged", "the load was above the number of cores");
  const factor = referenceFactor(figure, runs);
  if (factor > MOST_FACTOR || factor < 1 / MOST_FACTOR)
    return unjudged("not judged", `its reference took ${factor.toFixed(1)} × as long as before`);
  const found = differenceOf({ figure, later, scale: rule.scale }, runs);
  if (typeof found === "string") {
    return unjudged(hasRounds(figure) && !hasRounds(later) ? "missing" : "not judged", found);
  }
  const worsening = figure.better === "lower" ? found.difference : negated(found.difference);
  if (found.kind === "paired" && worsening.estimate === 0) return unjudged("same", found.how);
  const margin = rule.scale === "relative" ? Math.log1p(rule.tolerance) : rule.tolerance;
  const chances = {
    worse: chanceOf(worsening, { margin, kind: found.kind }),
    better: chanceOf(negated(worsening), { margin, kind: found.kind }),
  };
  return { ...base, verdict: "same", reason: found.how, chances };
}

/**
 * Runs of the same code on the same data and seeds are identical: any difference comes from the change, and counts when
 * it exceeds the tolerance and is not limited to a few seeds. So it is with processes, whose spread shows all that differs
 * between runs. Timed runs differ by more than their rounds show: there the tolerance itself must be exceeded beyond noise.
 */
function chanceOf(
  loss: Difference,
  { margin, kind }: { readonly margin: number; readonly kind: Found["kind"] },
): number {
  if (kind === "rounds" || kind === "exact") return chanceOfMoreThan(margin, loss);
  return loss.estimate > margin ? chanceOfMoreThan(0, loss) : 1;
}

/** A figure that could be judged before and no longer can counts as missing. */
const hasRounds = ({ samples }: Figure): boolean => (samples?.length ?? 0) >= LEAST_SAMPLES;

function ruleOf({ unit }: Figure, { ratioTolerance }: JudgeOptions): Rule {
  const rule = RULES[unit];
  return unit === "ratio" && ratioTolerance !== undefined ? { ...rule, tolerance: ratioTolerance } : rule;
}

const isBusy = ({ before, after }: CaseContext["runs"]): boolean =>
  [before, after].some(({ environment: { load, cores } }) => load > cores);

/**
 * On machines so much faster or slower ratios differ as well: of one commit's chat completions 3.6 where the bare proxy took 160
 * µs, and 4.5 where it took 270 to 380 (two EPYC servers, 2026-11-27).
 */
const MOST_FACTOR = 1.5;

/** How many times as long as before a ratio's reference took; 1 where that is no time, or is not known. */
function referenceFactor({ unit, against }: Figure, { before, after }: CaseContext["runs"]): number {
  if (unit !== "ratio" || against === undefined) return 1;
  const [first, second] = [before, after].map(({ figures }) => figures.find(({ id }) => id === against));
  const isTime = first !== undefined && ["us", "ms", "s"].includes(first.unit);
  return isTime && first.value && second?.value ? second.value / first.value : 1;
}

interface Pair {
  readonly figure: Figure;
  readonly later: Figure;
  readonly scale: Scale;
}

interface Found {
  readonly difference: Difference;
  readonly kind: "paired" | "processes" | "rounds" | "exact";
  readonly how: string;
}

/** The noise of a difference from the samples of both runs; a sentence when there are none. */
function differenceOf(
  { figure, later, scale }: Pair,
  { before, after }: CaseContext["runs"],
): Found | string {
  const [first, second] = [figure.samples ?? [], later.samples ?? []];
  const onScale = scaled([first, second, [figure.value ?? 0], [later.value ?? 0]], scale);
  if (onScale === undefined) return "relative changes need values above 0";
  const [a = [], b = [], [valueBefore = 0] = [], [valueAfter = 0] = []] = onScale;
  if (isPaired({ first, second }, { before, after })) {
    return { difference: pairedDifference(a, b), kind: "paired", how: `paired over ${a.length} seeds` };
  }
  if (a.length >= LEAST_SAMPLES && b.length >= LEAST_SAMPLES) {
    const areProcesses = figure.samples_of === "processes" && later.samples_of === "processes";
    const kind = areProcesses ? "processes" : "rounds";
    return { difference: unpairedDifference(a, b), kind, how: `over ${a.length} and ${b.length} ${kind}` };
  }
  if (before.datasets.length > 0 && sameData(before, after)) {
    const difference = { estimate: valueAfter - valueBefore, standardError: 0, degreesOfFreedom: 1 };
    return { difference, kind: "exact", how: "same data, nothing left to chance" };
  }
  return "fewer than three samples in one of the runs";
}

/** Logarithms for relative changes, so that halves and doubles weigh the same; undefined where there are none. */
function scaled(
  lists: readonly (readonly number[])[],
  scale: Scale,
): readonly (readonly number[])[] | undefined {
  if (scale === "absolute") return lists;
  if (lists.some((values) => values.some((value) => value <= 0))) return undefined;
  return lists.map((values) => values.map(Math.log));
}

/** One sample a seed, of the same seeds on the same data. */
function isPaired(
  { first, second }: { readonly first: readonly number[]; readonly second: readonly number[] },
  { before, after }: CaseContext["runs"],
): boolean {
  const seeds = before.seeds.length;
  return (
    seeds >= LEAST_SAMPLES &&
    first.length === seeds &&
    second.length === seeds &&
    before.seeds.join() === after.seeds.join() &&
    before.datasets.length > 0 &&
    sameData(before, after)
  );
}

/** Whether both were measured on the same bytes. */
export function sameData(before: BenchmarkResult, after: BenchmarkResult): boolean {
  const keys = ({ datasets }: BenchmarkResult) =>
    datasets.map(({ name, sha256 }) => `${name} ${sha256}`).sort();
  return keys(before).join("\n") === keys(after).join("\n");
}

const negated = (difference: Difference): Difference => ({ ...difference, estimate: -difference.estimate });

function changeOf(before: number | null, after: number | null, scale: Scale): number | null {
  if (before === null || after === null) return null;
  if (scale === "absolute") return after - before;
  return before === 0 ? (after === 0 ? 0 : null) : after / before - 1;
}

function newFigure(figure: Figure): Judgement {
  const { scale, tolerance } = RULES[figure.unit];
  return {
    ...{ id: figure.id, figure, before: null, after: figure.value, change: null, scale, tolerance },
    verdict: "new",
    reason: "the first run has no such figure",
  };
}
