import type { Embedder } from "../../src/embedding/embedder.js";
import { seededRandom } from "../../src/profiles/build/random.js";
import { drawResamples, type Interval, pairedInterval, type Resamples, weightedMean } from "./bootstrap.js";
import {
  type KernelOptions,
  NARROW_KERNEL,
  predictByKernels,
  type VectorPair,
  WIDE_KERNEL,
} from "./exact-kernel.js";
import { predictByLabel } from "./label-table.js";
import { chooseBest, chooseByOracle, chooseRandomly, chooseSingle, type MethodResult } from "./methods.js";
import { modelMeans, type SplitSet } from "./outcome-set.js";
import { routeByShippedPath } from "./shipped-path.js";
import {
  orderByGain,
  type StrongShareMetrics,
  type StrongShareOrder,
  strongShareMetrics,
} from "./strong-share.js";

export interface SetReport {
  readonly name: string;
  readonly models: number;
  readonly trainPrompts: number;
  readonly testPrompts: number;
  /** In the order of every method's `reached`. */
  readonly testPromptIds: readonly string[];
  readonly methods: readonly MethodReport[];
  /** Share of test prompts where ours picks the model the exact wide kernel on the same vectors picks. */
  readonly agreementWithExact: number;
}

export interface MethodReport {
  readonly name: string;
  /** Mean quality of the chosen models. */
  readonly quality: number;
  /** Ours minus this one, paired over prompts; null for ours. */
  readonly oursMinusThis: Interval | null;
  /** Quality reached on each test prompt, by which splits are pooled. */
  readonly reached: readonly number[];
  /** Only for two models. */
  readonly strongShare: StrongShareMetrics | null;
  /** Ours minus this one, paired over prompts. */
  readonly apgrOursMinusThis: Interval | null;
}

export interface MeasureOptions {
  readonly embedder: Embedder;
  readonly embedTrial: ((texts: readonly string[]) => Float32Array[]) | undefined;
  readonly seed: number;
  readonly resamples: number;
}

export const OURS = "ours as shipped";

/** All methods on one set. */
export async function measureSet(set: SplitSet, options: MeasureOptions): Promise<SetReport> {
  const exact = await exactMethods(set, options);
  const shipped = await shippedMethod(set, options);
  const trial = trialMethods(set, options);
  const label = chooseBest("true label given", predictByLabel(set.train, set.test.prompts), set);
  const single = chooseSingle(set);
  const methods = [shipped, ...exact, ...trial, label, single, chooseRandomly(set), chooseByOracle(set)];
  return {
    name: set.name,
    models: set.train.models.length,
    trainPrompts: set.train.prompts.length,
    testPrompts: set.test.prompts.length,
    testPromptIds: set.test.prompts.map(({ id }) => id),
    methods: compare(methods, set, options),
    agreementWithExact: agreement(shipped, exact[0]),
  };
}

async function exactMethods(set: SplitSet, { embedder }: MeasureOptions): Promise<MethodResult[]> {
  const vectors = {
    train: await embedder.embed(set.train.prompts.map(({ text }) => text)),
    test: await embedder.embed(set.test.prompts.map(({ text }) => text)),
  };
  return kernelMethods("our vectors", set, { vectors, kernels: [WIDE_KERNEL, NARROW_KERNEL] });
}

function trialMethods(set: SplitSet, { embedTrial }: MeasureOptions): MethodResult[] {
  if (embedTrial === undefined) return [];
  const vectors = {
    train: embedTrial(set.train.prompts.map(({ text }) => text)),
    test: embedTrial(set.test.prompts.map(({ text }) => text)),
  };
  return kernelMethods("trial vectors", set, { vectors, kernels: [WIDE_KERNEL] });
}

function kernelMethods(
  name: string,
  set: SplitSet,
  { vectors, kernels }: { readonly vectors: VectorPair; readonly kernels: readonly KernelOptions[] },
): MethodResult[] {
  const predictions = predictByKernels(set.train, vectors, kernels);
  return predictions.map((predicted, index) => {
    const { neighbours, width } = kernels[index] ?? WIDE_KERNEL;
    return chooseBest(`${name}, exact k=${neighbours} τ=${width}`, predicted, set);
  });
}

async function shippedMethod(set: SplitSet, options: MeasureOptions): Promise<MethodResult> {
  const { predicted, selected } = await routeByShippedPath(set, options);
  const width = set.test.models.length;
  const reached = Float64Array.from(
    selected,
    (model, place) => set.test.quality[place * width + model] ?? Number.NaN,
  );
  return { name: OURS, reached, predicted, selected };
}

/** Every method against the first one. */
function compare(methods: readonly MethodResult[], set: SplitSet, options: MeasureOptions): MethodReport[] {
  const count = set.test.prompts.length;
  const resamples = drawResamples(count, {
    resamples: options.resamples,
    random: seededRandom(options.seed),
  });
  const means = modelMeans(set.train);
  const strong = (means[1] ?? 0) > (means[0] ?? 0) ? 1 : 0;
  const orders = methods.map(({ predicted }) =>
    predicted === null || means.length !== 2 ? null : orderByGain(predicted, set.test.quality, { strong }),
  );
  const [ours] = methods;
  return methods.map((method, index) => {
    const isOurs = index === 0 || ours === undefined;
    return {
      name: method.name,
      quality: weightedMean(method.reached, ones(count)),
      oursMinusThis: isOurs ? null : qualityInterval(resamples, ours, method),
      reached: [...method.reached],
      ...compareOrders(resamples, orders[0] ?? null, orders[index] ?? null),
    };
  });
}

function qualityInterval(resamples: Resamples, ours: MethodResult, theirs: MethodResult): Interval {
  return pairedInterval(
    resamples,
    (weights) => weightedMean(ours.reached, weights) - weightedMean(theirs.reached, weights),
  );
}

function compareOrders(
  resamples: Resamples,
  ours: StrongShareOrder | null,
  theirs: StrongShareOrder | null,
): Pick<MethodReport, "strongShare" | "apgrOursMinusThis"> {
  if (theirs === null) return { strongShare: null, apgrOursMinusThis: null };
  const strongShare = strongShareMetrics(theirs, ones(theirs.gains.length));
  if (ours === null || ours === theirs) return { strongShare, apgrOursMinusThis: null };
  const apgrOf = (order: StrongShareOrder, weights: Float64Array) => strongShareMetrics(order, weights).apgr;
  const difference = (weights: Float64Array) => apgrOf(ours, weights) - apgrOf(theirs, weights);
  return { strongShare, apgrOursMinusThis: pairedInterval(resamples, difference) };
}

function ones(count: number): Float64Array {
  return new Float64Array(count).fill(1);
}

function agreement(a: MethodResult, b: MethodResult | undefined): number {
  let same = 0;
  a.selected?.forEach((model, place) => {
    if (model === b?.selected?.[place]) same += 1;
  });
  return same / a.reached.length;
}
