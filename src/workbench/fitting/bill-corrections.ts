import type { AnchorSet, ModelBills } from "../../engine/estimation/anchor-set.js";
import { costAt, decodeRatio, hiddenFactor, visibleTokens, withoutAnchor } from "../../engine/index.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import { BILL_PSEUDO_OBSERVATIONS } from "./topic-tables.js";
import type { GatherEvidence } from "./tune.js";

export interface CorrectionOptions {
  /** Codes of the measured bills of a model, NaN = unknown, by anchor; undefined without any. */
  readonly codesOf: (model: string) => Float32Array | undefined;
  /** The router's estimator. */
  readonly gather: GatherEvidence;
  /** First anchor that is compared. Default: 0. */
  readonly from?: number;
}

export interface BillCorrections {
  /** Factor on each model's expected bills that makes their sum that of the measured ones. */
  readonly factors: ReadonlyMap<string, number>;
  /**
   * Slope of the logarithm of a model's bills on that of their expectations, in [0, 1], 1 when none was measured: what is expected to cost
   * little is chosen for it, and costs more than it promised, as far as the slope is below 1.
   */
  readonly slope: number;
  /** Standard deviation of the logarithm of a bill about its expectation; 0 when none was measured. */
  readonly spread: number;
  /** Sum of the measured bills over that of the expected ones with these factors; null when none was measured. */
  readonly realOverExpected: number | null;
}

/** Limit of a correction: a larger one indicates a model measured on one kind of prompt alone, and does not apply to others. */
const LARGEST_CORRECTION = 2;

/** Maximum number of evenly spaced anchors in the leave-one-out. */
const MOST_ANCHORS = 8192;

interface ModelSums {
  seen: number;
  expected: number;
  cells: number;
  /** Of logarithms of expected and seen bills. */
  logExpected: number;
  logSeen: number;
  logSquares: number;
  logProducts: number;
}

/**
 * Compares measured bills with those that are expected of each anchor when it is left out. Codes are fourth roots, whose mean is below
 * the root of the mean, and some anchors are near many prompts: the factors remove both biases from the promised spend.
 */
export function correctBills(
  set: AnchorSet,
  { codesOf, gather, from = 0 }: CorrectionOptions,
): BillCorrections {
  const measured = set.models.map(codesOf);
  const sums = set.models.map(
    (): ModelSums => ({
      seen: 0,
      expected: 0,
      cells: 0,
      logExpected: 0,
      logSeen: 0,
      logSquares: 0,
      logProducts: 0,
    }),
  );
  let squares = 0;
  let cells = 0;
  const stride = Math.max(1, (set.index.size - from) / MOST_ANCHORS);
  for (let position = from; position < set.index.size; position += stride) {
    const anchor = Math.floor(position);
    const codes = measured.map((column) => column?.[anchor] ?? Number.NaN);
    if (codes.every(Number.isNaN)) continue;
    const vector = set.vectorOf(anchor);
    const neighbours = withoutAnchor(set.index.search(vector, set.parameters.neighbours + 1), anchor);
    const evidence = gather(set, neighbours);
    const ownRatio = 2 ** (known(set.answerLevels.ofAnchor[anchor]) ?? 0);
    codes.forEach((code, column) => {
      if (Number.isNaN(code)) return;
      const seen = decodeRatio(code) * listedBill(set, { column, anchor, answerRatio: ownRatio });
      const expected =
        (evidence.billRatio[column] as number) *
        listedBill(set, { column, anchor, answerRatio: evidence.answerRatio });
      const sum = sums[column] as ModelSums;
      sum.seen += seen;
      sum.expected += expected;
      sum.cells += 1;
      const [logSeen, logExpected] = [Math.log(Math.max(seen, 1e-12)), Math.log(Math.max(expected, 1e-12))];
      sum.logExpected += logExpected;
      sum.logSeen += logSeen;
      sum.logSquares += logExpected ** 2;
      sum.logProducts += logExpected * logSeen;
      squares += (logSeen - logExpected) ** 2;
      cells += 1;
    });
  }
  const factors = sums.map(factorOf);
  const seen = sums.reduce((sum, each) => sum + each.seen, 0);
  const expected = sums.reduce((sum, each, column) => sum + each.expected * (factors[column] as number), 0);
  return {
    factors: new Map(set.models.map((model, column) => [model, factors[column] as number])),
    slope: slopeOf(sums),
    spread: cells === 0 ? 0 : Math.sqrt(squares / cells),
    realOverExpected: cells === 0 ? null : seen / expected,
  };
}

/**
 * Squared logarithms of bills by which a slope of 1 is assumed: of as many answers as are a table's prior, each a factor of two from the
 * others. Expectations that hardly differ say nothing of the slope.
 */
const PRIOR_SQUARES = BILL_PSEUDO_OBSERVATIONS * Math.LN2 ** 2;

function slopeOf(sums: readonly ModelSums[]): number {
  let [products, squares] = [0, 0];
  for (const { cells, logExpected, logSeen, logSquares, logProducts } of sums) {
    if (cells === 0) continue;
    products += logProducts - (logExpected * logSeen) / cells;
    squares += logSquares - logExpected ** 2 / cells;
  }
  return Math.min(1, Math.max(0, (products + PRIOR_SQUARES) / (squares + PRIOR_SQUARES)));
}

function factorOf({ seen, expected, cells }: ModelSums): number {
  if (cells === 0) return 1;
  const pseudo = (BILL_PSEUDO_OBSERVATIONS * seen) / cells;
  const ratio = (seen + pseudo) / (expected + pseudo);
  return Math.min(LARGEST_CORRECTION, Math.max(1 / LARGEST_CORRECTION, ratio));
}

/** The bill for the expected tokens, at the price that ratios refer to. */
function listedBill(
  set: AnchorSet,
  {
    column,
    anchor,
    answerRatio,
  }: { readonly column: number; readonly anchor: number; readonly answerRatio: number },
): number {
  const answerTokens = known(set.answerLevels.expectedTokens?.[anchor]);
  const difficulty = set.difficulty?.ofAnchor[anchor] ?? Number.NaN;
  const { verbosity, thinkingTokens, bills } = set.columns;
  const visible =
    visibleTokens(set.answerLevels, { answerRatio, answerTokens }) * (verbosity[column] as number);
  const hidden = (thinkingTokens[column] as number) * hiddenFactor(difficulty);
  const { price } = bills[column] as ModelBills;
  return costAt(price, { promptTokens: set.promptTokens[anchor] as number, answerTokens: visible + hidden });
}

/** A profile whose expected bills have a factor in addition: of codes, which are fourth roots. */
export function corrected(profile: ModelProfile, factor = 1): ModelProfile {
  const { bill } = profile.facts;
  if (bill === undefined) return profile;
  const correction = bill.correction * Math.sqrt(Math.sqrt(factor));
  return { ...profile, facts: { ...profile.facts, bill: { ...bill, correction } } };
}

const known = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value;
