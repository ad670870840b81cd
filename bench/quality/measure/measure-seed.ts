import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import type { ModelLookup } from "../../../src/engine/router/candidate.js";
import type { GradedCosts } from "../../../src/workbench/evaluation/costs.js";
import { takePrompts } from "../../../src/workbench/evaluation/graded-prompts.js";
import { findNearDuplicates } from "../outcomes/near-duplicates.js";
import type { OutcomeRows } from "../outcomes/outcome-rows.js";
import type { SplitIndexes } from "../outcomes/split.js";
import { openShipped } from "../shipped/open-shipped.js";
import { rememberVectors } from "../shipped/remember-vectors.js";
import { measureBaselines } from "./baselines.js";
import { type Findings, type SeedContext, type SplitCosts, textsOf } from "./context.js";
import { measureLeaveOut } from "./leave-out.js";
import { measureOurs } from "./ours.js";

/** All measurements of one split of one set. Choices are columns of the set's models. */
export interface SeedMeasurement extends Required<Findings> {
  readonly seed: number;
  readonly trainPrompts: number;
  /** Rows of the set that were tested, in the order of all choices. */
  readonly testIndexes: Int32Array;
  /** Test prompts left out because they are nearly the same as a training prompt. */
  readonly nearDuplicates: number;
}

export interface MeasureSeedInput {
  readonly name: string;
  readonly seed: number;
  readonly rows: OutcomeRows;
  readonly costs: GradedCosts | null;
  readonly split: SplitIndexes;
}

export interface MeasureSeedOptions {
  readonly embedder: Embedder;
  /** Prices decisions reckon with. */
  readonly lookup: ModelLookup;
  /** Whether benchmarks are left out in turn, which builds a set for each. */
  readonly leavesOut: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: (step: string) => void;
}

export async function measureSeed(
  input: MeasureSeedInput,
  options: MeasureSeedOptions,
): Promise<SeedMeasurement> {
  const { onStep } = options;
  onStep?.("looking for near-duplicates");
  const { testIndexes, nearDuplicates } = withoutTwins(input);
  onStep?.("embedding");
  const context = await prepare(input, { ...options, testIndexes });
  onStep?.("baselines");
  const findings: Findings[] = [measureBaselines(context)];
  onStep?.("building our profiles");
  const router = await openShipped(context.train, context);
  onStep?.("routing");
  findings.push(await measureOurs(router, context));
  if (options.leavesOut)
    findings.push(
      await measureLeaveOut(context, (done, total) =>
        onStep?.(`leaving out benchmark ${done + 1} of ${total}`),
      ),
    );
  return {
    seed: input.seed,
    trainPrompts: input.split.train.length,
    testIndexes,
    nearDuplicates,
    ...joinFindings(findings),
  };
}

function withoutTwins({ rows, split }: MeasureSeedInput): {
  readonly testIndexes: Int32Array;
  readonly nearDuplicates: number;
} {
  const textAt = (index: number): string => rows.prompts[index]?.text ?? "";
  const twins = findNearDuplicates(split.test.map(textAt), split.train.map(textAt));
  const kept = split.test.filter((_, index) => !twins.has(index));
  return { testIndexes: Int32Array.from(kept), nearDuplicates: twins.size };
}

async function prepare(
  { name, seed, rows, costs, split }: MeasureSeedInput,
  options: MeasureSeedOptions & { readonly testIndexes: Int32Array },
): Promise<SeedContext> {
  const { lookup, signal, testIndexes } = options;
  const embedder = rememberVectors(options.embedder);
  const [train, test] = [takePrompts(rows, split.train), takePrompts(rows, testIndexes)];
  const embedding = signal === undefined ? {} : { signal };
  const vectors = {
    train: await embedder.embed(textsOf(train), embedding),
    test: await embedder.embed(textsOf(test), embedding),
  };
  const splitCosts =
    costs === null ? null : divideCosts(costs, rows, { train: split.train, test: testIndexes });
  return { name, seed, train, test, costs: splitCosts, lookup, embedder, vectors, signal };
}

function divideCosts(
  costs: GradedCosts,
  rows: OutcomeRows,
  { train, test }: { readonly train: ArrayLike<number>; readonly test: ArrayLike<number> },
): SplitCosts {
  const take = (indexes: ArrayLike<number>): Float64Array =>
    takePrompts({ ...rows, costUsd: costs.usd }, indexes).costUsd;
  return { priced: costs.priced, train: take(train), test: take(test) };
}

function joinFindings(findings: readonly Findings[]): Required<Findings> {
  return {
    choices: Object.assign({}, ...findings.map(({ choices }) => choices)) as Required<Findings>["choices"],
    expectations: Object.assign(
      {},
      ...findings.map(({ expectations }) => expectations),
    ) as Required<Findings>["expectations"],
    sweeps: Object.assign({}, ...findings.map(({ sweeps }) => sweeps)) as Required<Findings>["sweeps"],
    numbers: Object.assign({}, ...findings.map(({ numbers }) => numbers)) as Required<Findings>["numbers"],
  };
}
