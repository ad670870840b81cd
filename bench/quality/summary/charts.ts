import { calibrationBins } from "../../../src/workbench/metrics/calibration.js";
import { type CostQuality, risingHull } from "../../../src/workbench/metrics/hull.js";
import type { Chart } from "../../report/result.js";
import { COST_WEIGHTS } from "../measure/ours.js";
import { METHODS, statisticOf } from "./accuracy.js";
import { frontierOf, SWEPT } from "./cost.js";
import { rounded } from "./figure.js";
import type { PooledSet, SplitResult } from "./pooled-set.js";
import { singlePoints } from "./statistics.js";
import { forecastsOf } from "./trust.js";

type Series = Chart["series"][number];

export function chartsOf(set: PooledSet): Chart[] {
  return [...frontierCharts(set), ...costWeightCharts(set), accuracyChart(set), calibrationChart(set)];
}

function frontierCharts(set: PooledSet): Chart[] {
  const { costs } = set;
  if (costs === null) return [];
  const singles = meanPoints(
    set.splits.map((split) => singlePoints(split, costs.priced)),
    set,
  );
  const routers = SWEPT.flatMap((method): Series[] => {
    const points = frontierOf(set, method);
    if (points === undefined) return [];
    const name = METHODS[method] ?? method;
    return [line(name, risingHull(meanPoints(points, set)), method === "ours")];
  });
  const models: Series = {
    name: "single models",
    mark: "point",
    ours: false,
    points: singles.map(({ cost, quality }, index) => ({
      ...{ x: rounded(cost), y: rounded(quality) },
      label: set.models[costs.priced[index] ?? 0] ?? "",
    })),
  };
  const random: Series = {
    name: "random model",
    mark: "point",
    ours: false,
    points: [
      {
        x: rounded(meanOf(singles.map(({ cost }) => cost))),
        y: rounded(meanOf(singles.map(({ quality }) => quality))),
      },
    ],
  };
  const source = costs.source === "recorded" ? "recorded costs" : "recorded tokens at list prices";
  return [
    {
      id: `quality/${set.name}/frontier`,
      kind: "frontier",
      title: `${set.name}: quality against cost`,
      caption: `Each router along its cost weight, over the ${costs.priced.length} models whose cost is known (${source}).`,
      x: { label: "mean cost of a prompt, $", scale: "log" },
      y: { label: "mean quality", scale: "linear" },
      series: [...routers, line("zero router", risingHull(singles), false), models, random],
    },
  ];
}

function costWeightCharts(set: PooledSet): Chart[] {
  const points = set.costs === null ? undefined : frontierOf(set, "ours");
  if (points === undefined) return [];
  const measured = meanPoints(points, set);
  const promised = COST_WEIGHTS.map((_, step) =>
    meanOf(set.splits.map(({ measurement }) => measurement.numbers[`promised/${step}`] ?? Number.NaN)),
  );
  const against = (values: readonly number[]) =>
    values.map((y, step) => ({ x: COST_WEIGHTS[step] ?? 0, y: rounded(y) }));
  return [
    {
      id: `quality/${set.name}/spend`,
      kind: "cost-weight",
      title: `${set.name}: what is expected to be spent, and what is`,
      caption: "Mean dollars of the chosen models, by the cost weight.",
      x: { label: "cost_weight", scale: "linear" },
      y: { label: "mean cost of a prompt, $", scale: "log" },
      series: [
        { name: "measured", mark: "line", ours: true, points: against(measured.map(({ cost }) => cost)) },
        { name: "expected", mark: "line", ours: false, points: against(promised) },
      ],
    },
    {
      id: `quality/${set.name}/cost-weight`,
      kind: "cost-weight",
      title: `${set.name}: quality along cost_weight`,
      caption: "How much quality each cost weight keeps.",
      x: { label: "cost_weight", scale: "linear" },
      y: { label: "mean quality", scale: "linear" },
      series: [
        { name: "ours", mark: "line", ours: true, points: against(measured.map(({ quality }) => quality)) },
      ],
    },
  ];
}

function accuracyChart(set: PooledSet): Chart {
  const bars = Object.entries(METHODS).flatMap(([method, label], index) => {
    const { value } = set.estimate(statisticOf(method), 0);
    return value === null ? [] : [{ method, point: { x: index, y: rounded(value), label } }];
  });
  return {
    id: `quality/${set.name}/accuracy`,
    kind: "bars",
    title: `${set.name}: quality at cost weight 0`,
    caption: "Cost left aside: the best model, whatever it takes.",
    x: { label: "method", scale: "linear" },
    y: { label: "mean quality", scale: "linear" },
    series: bars.map(({ method, point }) => ({
      name: point.label,
      mark: "point",
      ours: method === "ours",
      points: [point],
    })),
  };
}

function calibrationChart(set: PooledSet): Chart {
  const all = set.splits.flatMap((split) => set.models.map((_, model) => forecastsOf(split, model)));
  const expected = Float64Array.from(all.flatMap((forecasts) => [...forecasts.expected]));
  const seen = Float64Array.from(all.flatMap((forecasts) => [...forecasts.seen]));
  const points = calibrationBins({ expected, seen }).map((bin) => ({
    x: rounded(bin.expected),
    y: rounded(bin.seen),
  }));
  return {
    id: `quality/${set.name}/calibration`,
    kind: "calibration",
    title: `${set.name}: expected quality against what was seen`,
    caption: "All models and splits in 15 bins of equal size; on the diagonal, an expectation is kept.",
    x: { label: "expected quality", scale: "linear" },
    y: { label: "mean quality seen", scale: "linear" },
    series: [
      { name: "ours", mark: "line", ours: true, points },
      {
        name: "perfect",
        mark: "line",
        ours: false,
        points: [
          { x: 0, y: 0 },
          { x: 1, y: 1 },
        ],
      },
    ],
  };
}

function line(name: string, points: readonly CostQuality[], ours: boolean): Series {
  return {
    name,
    mark: "line",
    ours,
    points: points.map(({ cost, quality }) => ({ x: rounded(cost), y: rounded(quality) })),
  };
}

/** Mean over the splits, setting by setting. */
function meanPoints(
  ofSplits: readonly ((weights: ArrayLike<number>) => readonly CostQuality[])[],
  { splits }: PooledSet,
): CostQuality[] {
  const points = ofSplits.map((of, index) => of(ones(splits[index])));
  return (points[0] ?? []).map((_, setting) => ({
    cost: meanOf(points.map((point) => point[setting]?.cost ?? Number.NaN)),
    quality: meanOf(points.map((point) => point[setting]?.quality ?? Number.NaN)),
  }));
}

function ones(split: SplitResult | undefined): Uint8Array {
  return new Uint8Array(split?.rows.prompts.length ?? 0).fill(1);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
