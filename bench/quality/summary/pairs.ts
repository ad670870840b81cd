import type { Figure } from "../../report/result.js";
import { orderByGain, type StrongShareMetrics, strongShareMetrics } from "../metrics/strong-share.js";
import { modelMeans } from "../outcomes/outcome-set.js";
import { figureOf, inPoints } from "./figure.js";
import type { Estimate, PooledSet, Statistic } from "./pooled-set.js";
import { difference } from "./statistics.js";

/** Ways that expect something of both models. */
const METHODS = ["ours", "knn20", "label_table"] as const;
const METRICS = {
  apgr: { label: "APGR", better: "higher" },
  cpt50: { label: "CPT50: share of calls to the strong model for half its lead", better: "lower" },
  cpt80: { label: "CPT80: share of calls to the strong model for 80 % of its lead", better: "lower" },
} as const;
/** A benchmark with fewer tested prompts is not shown apart. */
const LEAST_TESTS = 50;
const RESAMPLES = 500;

/** For sets of two models: how well the prompts that need the strong one are told, on all and on each benchmark. */
export function pairFigures(set: PooledSet): Figure[] {
  if (set.models.length !== 2) return [];
  const figures = figuresOn(set, { scope: set.name, benchmark: null, methods: METHODS });
  for (const benchmark of benchmarksOf(set)) {
    const scope = `${set.name}/${benchmark}`;
    figures.push(...figuresOn(set, { scope, benchmark, methods: METHODS }));
  }
  return figures;
}

function benchmarksOf({ splits }: PooledSet): string[] {
  const prompts = splits[0]?.rows.prompts ?? [];
  const names = [...new Set(prompts.map(({ benchmark }) => benchmark))];
  if (names.length < 2) return [];
  return names.filter((name) => prompts.filter(({ benchmark }) => benchmark === name).length >= LEAST_TESTS);
}

interface Scope {
  readonly scope: string;
  /** Only its prompts; null = all. */
  readonly benchmark: string | null;
}

function figuresOn(set: PooledSet, options: Scope & { readonly methods: readonly string[] }): Figure[] {
  const { scope, benchmark } = options;
  return options.methods.flatMap((method) => {
    const figures = Object.entries(METRICS).map(([metric, { label, better }]) =>
      figureOf(
        `quality/${scope}/${method}/${metric}`,
        estimate(set, { method, benchmark, metric: metric as keyof StrongShareMetrics }),
        { label: `${method}: ${label}`, unit: metric === "apgr" ? "score" : "share", better },
      ),
    );
    if (method === "ours") return figures;
    const apgr = (name: string) => statistic({ method: name, benchmark, metric: "apgr" });
    const ahead = inPoints(set.estimate(difference(apgr("ours"), apgr(method)), RESAMPLES));
    const facts = {
      label: `ours minus ${method}: APGR`,
      unit: "points",
      better: "higher",
      against: `quality/${scope}/${method}/apgr`,
    } as const;
    return [...figures, figureOf(`quality/${scope}/ours/apgr_minus_${method}`, ahead, facts)];
  });
}

interface Wanted {
  readonly method: string;
  readonly benchmark: string | null;
  readonly metric: keyof StrongShareMetrics;
}

function estimate(set: PooledSet, wanted: Wanted): Estimate {
  return set.estimate(statistic(wanted), RESAMPLES);
}

function statistic({ method, benchmark, metric }: Wanted): Statistic {
  return ({ rows, measurement }) => {
    const expected = measurement.expectations[method];
    if (expected === undefined) return () => Number.NaN;
    const means = modelMeans(rows);
    const strong = (means[1] ?? 0) > (means[0] ?? 0) ? 1 : 0;
    const order = orderByGain(Float64Array.from(expected), rows.quality, { strong });
    const counts = rows.prompts.map((prompt) => benchmark === null || prompt.benchmark === benchmark);
    return (weights) => {
      const within = Float64Array.from(weights, (weight, index) => (counts[index] === true ? weight : 0));
      return strongShareMetrics(order, within)[metric];
    };
  };
}
