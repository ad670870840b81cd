import type { BenchmarkResult, Figure } from "./result.js";
import { mean, variance } from "./statistics.js";

/**
 * Verdict on one figure between two runs.
 *
 * - `worse`, `better`: by more than the tolerance, and not by a few seeds alone
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
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * `relative`: twice as much is the same loss for a cent and for a dollar. `absolute`: a point of quality has the same value
 * anywhere.
 */
type Scale = "relative" | "absolute";

interface Rule {
  readonly scale: Scale;
  /** Deterioration that is accepted, on that scale; undefined for what depends on the machine as much as on the code. */
  readonly tolerance?: number;
}

const OF_MACHINE: Rule = { scale: "relative" };
const OF_CODE: Rule = { scale: "absolute", tolerance: 0.01 };

const RULES: Readonly<Record<Figure["unit"], Rule>> = {
  share: OF_CODE,
  score: OF_CODE,
  points: { scale: "absolute", tolerance: 1 },
  usd: { scale: "relative", tolerance: 0.03 },
  count: { scale: "relative", tolerance: 0 },
  ratio: OF_MACHINE,
  us: OF_MACHINE,
  ms: OF_MACHINE,
  s: OF_MACHINE,
  per_s: OF_MACHINE,
  mb: OF_MACHINE,
  bytes: OF_MACHINE,
};

/** With fewer seeds, their spread is not estimated. */
const LEAST_SEEDS = 3;
/** Of the mean over seeds; so large a change is chance in one of 2,500 figures at twenty seeds (Student's t). */
const STANDARD_ERRORS = 4;

/** All figures of both runs, those of the first in its order, then the new ones. */
export function judge(before: BenchmarkResult, after: BenchmarkResult): readonly Judgement[] {
  const later = new Map(after.figures.map((figure) => [figure.id, figure]));
  const earlier = new Set(before.figures.map(({ id }) => id));
  const reason = "the first run has no such figure";
  return [
    ...before.figures.map((figure) => judgeFigure(figure, later.get(figure.id), { before, after })),
    ...after.figures
      .filter(({ id }) => !earlier.has(id))
      .map((figure): Judgement => {
        const { scale } = RULES[figure.unit];
        return {
          ...{ id: figure.id, figure, before: null, after: figure.value, change: null, scale },
          ...{ verdict: "new", reason },
        };
      }),
  ];
}

interface Runs {
  readonly before: BenchmarkResult;
  readonly after: BenchmarkResult;
}

function judgeFigure(figure: Figure, later: Figure | undefined, runs: Runs): Judgement {
  const { scale, tolerance } = RULES[figure.unit];
  const verdictOf = (verdict: Verdict, reason: string): Judgement => ({
    ...{ id: figure.id, figure, before: figure.value, after: later?.value ?? null, scale, verdict, reason },
    change: changeOf(figure.value, later?.value ?? null, scale),
  });
  if (later === undefined) return verdictOf("missing", "the second run has no such figure");
  if (figure.value === null) return verdictOf("not judged", "the first run could not measure it");
  if (later.value === null) return verdictOf("missing", later.note ?? "the second run could not measure it");
  if (figure.unit !== later.unit)
    return verdictOf("missing", `measured in ${figure.unit} before and in ${later.unit} after`);
  if (figure.better === "neither") return verdictOf("not judged", "neither more nor less of it is better");
  if (tolerance === undefined) return verdictOf("not judged", "depends on the machine");
  if (runs.before.datasets.length === 0 || !sameData(runs.before, runs.after))
    return verdictOf("not judged", "not measured on the same data");
  const found = changesOf({ figure, later, scale }, runs);
  if (typeof found === "string")
    return verdictOf(hasSeeds(figure) && !hasSeeds(later) ? "missing" : "not judged", found);
  const { changes, how } = found;
  const gain = (figure.better === "higher" ? 1 : -1) * mean(changes);
  const standardError = Math.sqrt(variance(changes) / changes.length);
  const margin = scale === "relative" ? Math.log1p(tolerance) : tolerance;
  const isClear = Math.abs(gain) > margin && Math.abs(gain) > STANDARD_ERRORS * standardError;
  return verdictOf(!isClear ? "same" : gain > 0 ? "better" : "worse", how);
}

/** A figure that could be judged before and no longer can counts as missing. */
const hasSeeds = ({ samples }: Figure): boolean => (samples?.length ?? 0) >= LEAST_SEEDS;

interface Pair {
  readonly figure: Figure;
  readonly later: Figure;
  readonly scale: Scale;
}

/**
 * Seed by seed where there are samples, of the values alone where nothing is left to chance; or a sentence that says why the runs
 * cannot be compared.
 */
function changesOf(
  { figure, later, scale }: Pair,
  { before, after }: Runs,
): { readonly changes: readonly number[]; readonly how: string } | string {
  if (hasSeeds(figure) !== hasSeeds(later)) return "fewer than three samples in one of the runs";
  const [from = [], to = []] = [figure, later].map(({ samples, value }) =>
    hasSeeds(figure) ? (samples ?? []) : [value ?? Number.NaN],
  );
  if (before.seeds.join() !== after.seeds.join() || from.length !== to.length) return "other seeds";
  if (scale === "relative" && [...from, ...to].some((value) => value <= 0))
    return "relative changes need values above 0";
  const changes = to.map((value, at) => {
    const base = from[at] ?? Number.NaN;
    return scale === "relative" ? Math.log(value / base) : value - base;
  });
  const isBySeed = changes.length > 1;
  return { changes, how: isBySeed ? `over ${changes.length} seeds` : "same data, nothing left to chance" };
}

/** Whether both were measured on the same bytes. */
export function sameData(before: BenchmarkResult, after: BenchmarkResult): boolean {
  const keys = ({ datasets }: BenchmarkResult) =>
    datasets.map(({ name, sha256 }) => `${name} ${sha256}`).sort();
  return keys(before).join("\n") === keys(after).join("\n");
}

function changeOf(before: number | null, after: number | null, scale: Scale): number | null {
  if (before === null || after === null) return null;
  if (scale === "absolute") return after - before;
  return before === 0 ? (after === 0 ? 0 : null) : after / before - 1;
}
