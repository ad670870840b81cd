import type { BenchmarkResult, Chart } from "../../../bench/report/result.js";
import { resultWith } from "./results-for-test.js";

/** Figures of no run: one result of quality and one of latency, with a chart of every kind. */
export function everyChart(): BenchmarkResult[] {
  const quality = resultWith({
    suite: "quality",
    question: "Does routing pick better models, and what does it save?",
    command: "npm run bench -- quality --data DIR",
    datasets: [{ name: "mmlu_pro", sha256: "c0ffee".repeat(10), prompts: 8422, models: 28 }],
    seeds: [0, 1, 2, 3, 4],
    charts: [frontier(), costWeightChart("quality"), costWeightChart("spend"), calibration(), bars()],
    figures: [
      {
        ...{ id: "quality/mmlu_pro/ours/accuracy", label: "mmlu_pro: ours, quality at cost_weight 0" },
        ...{ value: 0.7121, unit: "score", better: "higher", interval: { low: 0.703, high: 0.721 } },
        ...{ goal: 0.716, best_known: 0.7077, samples: [0.71, 0.712, 0.713, 0.711, 0.714] },
      },
      {
        ...{
          id: "quality/mmlu_pro/ours/ece",
          label: "mmlu_pro: calibration error",
          value: 0.021,
          unit: "score",
        },
        ...{ better: "lower", goal: 0.03 },
      },
    ],
    notes: ["Test prompts trained neither the embedder nor the profiles."],
  });
  const latency = resultWith({
    charts: [distribution(), scaling()],
    figures: [
      {
        ...{ id: "latency/decision/t50/a5000/m10/p50", label: "whole decision, 50 tokens, 5,000 × 10" },
        ...{ value: 96.2, unit: "us", better: "lower", goal: 120 },
      },
    ],
  });
  return [quality, latency];
}

const linear = (label: string) => ({ label, scale: "linear" as const });
const logarithmic = (label: string) => ({ label, scale: "log" as const });

function frontier(): Chart {
  const single = (name: string, x: number, y: number) => ({ x, y, label: name });
  return {
    ...{ id: "quality/frontier/mmlu_pro", kind: "frontier", title: "Quality for money, mmlu_pro" },
    caption: "Ours reaches the best single model's quality at a third of its cost.",
    ...{ x: logarithmic("USD per 1,000 prompts"), y: linear("mean quality") },
    series: [
      {
        ...{ name: "ours", mark: "line", ours: true },
        points: Array.from({ length: 21 }, (_, step) => ({
          x: 0.3 * 40 ** (step / 20),
          y: 0.42 + 0.29 * (1 - (1 - step / 20) ** 2),
        })),
      },
      {
        ...{ name: "zero router", mark: "line", ours: false },
        points: [0.3, 0.8, 2.5, 9, 14].map((x, index) => ({ x, y: [0.4, 0.5, 0.6, 0.68, 0.69][index] ?? 0 })),
      },
      {
        ...{ name: "clusters", mark: "line", ours: false },
        points: Array.from({ length: 11 }, (_, step) => ({
          x: 0.3 * 40 ** (step / 10),
          y: 0.41 + 0.28 * (1 - (1 - step / 10) ** 2),
        })),
      },
      {
        ...{ name: "single models", mark: "point", ours: false },
        points: [
          single("cheapest", 0.3, 0.4),
          single("gpt-4o-mini", 0.8, 0.5),
          single("claude-3-haiku", 0.9, 0.49),
          single("llama-3-70b", 1.1, 0.52),
          single("mixtral-8x22b", 1.2, 0.5),
          single("best single", 9, 0.69),
          single("most expensive", 14, 0.66),
        ],
      },
      { name: "random mix", mark: "point", ours: false, points: [{ x: 4, y: 0.52 }] },
      { name: "kNN, k = 20", mark: "point", ours: false, points: [{ x: 6, y: 0.685 }] },
      { name: "true label given", mark: "point", ours: false, points: [{ x: 7, y: 0.716 }] },
      { name: "oracle", mark: "point", ours: false, points: [{ x: 2, y: 0.943 }] },
    ],
  };
}

function costWeightChart(what: "quality" | "spend"): Chart {
  const walk = (value: (weight: number) => number) =>
    Array.from({ length: 21 }, (_, step) => ({ x: step / 20, y: value(step / 20) }));
  return {
    ...{ id: `quality/cost-weight/${what}`, kind: "cost-weight", title: `cost_weight against ${what}` },
    caption: "The whole range of the cost weight does something.",
    x: linear("cost_weight"),
    y: what === "spend" ? logarithmic("spend, share of the best model's") : linear("mean quality"),
    series:
      what === "spend"
        ? [
            { name: "measured", mark: "line", ours: true, points: walk((weight) => 0.9 * 0.04 ** weight) },
            { name: "promised", mark: "line", ours: false, points: walk((weight) => 0.04 ** weight) },
          ]
        : [{ name: "ours", mark: "line", ours: true, points: walk((weight) => 0.71 - 0.3 * weight ** 2) }],
  };
}

function calibration(): Chart {
  return {
    ...{ id: "quality/calibration", kind: "calibration", title: "Promised quality against reached" },
    caption: "On the dashed line every promise is kept.",
    ...{ x: linear("expected quality"), y: linear("reached quality") },
    series: [
      {
        ...{ name: "ours", mark: "line", ours: true },
        points: Array.from({ length: 15 }, (_, bin) => ({
          x: (bin + 0.5) / 15,
          y: (bin + 0.5) / 15 + 0.04 * Math.sin(bin),
        })),
      },
    ],
  };
}

function bars(): Chart {
  return {
    ...{ id: "quality/kept", kind: "bars", title: "Decisions kept under noise" },
    caption: "A question with typos goes to the same model.",
    ...{ x: linear(""), y: linear("share of decisions") },
    series: ["ours", "kNN, k = 20"].map((name, index) => ({
      ...{ name, mark: "point" as const, ours: index === 0 },
      points: ["5 % typos", "upper case", "politeness prefix"].map((label, row) => ({
        ...{ x: row, y: 0.95 - 0.2 * index - 0.03 * row, label },
      })),
    })),
  };
}

function distribution(): Chart {
  return {
    ...{ id: "latency/stages", kind: "distribution", title: "Where the time of a decision goes" },
    caption: "Half of all decisions at 50 tokens are taken in under 100 µs.",
    ...{ x: logarithmic("µs"), y: linear("share of runs that took no longer") },
    series: [
      ["tokenise", 6],
      ["bare ONNX run", 18],
      ["search and evidence", 60],
      ["score and decide", 4],
      ["whole decision", 95],
    ].map(([name, middle]) => ({
      ...{ name: String(name), mark: "step" as const, ours: name === "whole decision" },
      points: Array.from({ length: 100 }, (_, rank) => ({
        x: Number(middle) * Math.exp(0.15 * Math.log((rank + 1) / (100.5 - rank))),
        y: (rank + 1) / 100,
      })),
    })),
  };
}

function scaling(): Chart {
  return {
    ...{ id: "latency/scaling/anchors", kind: "scaling", title: "Decisions by number of anchors" },
    caption: "A thousand times as many anchors take three times as long.",
    ...{ x: logarithmic("anchors"), y: logarithmic("µs, p50") },
    series: [
      {
        ...{ name: "whole decision", mark: "line", ours: true },
        points: [1e3, 1e4, 1e5, 1e6].map((x, index) => ({ x, y: 80 * 1.5 ** index })),
      },
      {
        ...{ name: "exact scan", mark: "line", ours: false },
        points: [1e3, 1e4, 1e5, 1e6].map((x) => ({ x, y: 0.015 * x + 8 })),
      },
    ],
  };
}
