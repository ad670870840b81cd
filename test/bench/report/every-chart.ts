import type { BenchmarkResult, Chart } from "../../../bench/report/result.js";
import { resultWith } from "./results-for-test.js";

/** Figures of no run: one result of quality and one of latency, with a chart of every kind. */
export function everyChart(): readonly [quality: BenchmarkResult, latency: BenchmarkResult] {
  const quality = resultWith({
    suite: "quality",
    command: "npm run bench -- quality --data DIR",
    seeds: [0, 1, 2],
    datasets: [{ name: "mmlu_pro", sha256: "c0ffee".repeat(10), prompts: 8422, models: 28 }],
    charts: [
      chart("frontier", "Quality for money, mmlu_pro"),
      chart("cost-weight", "cost_weight against quality"),
      chart("calibration", "Promised quality against reached"),
      chart("bars", "Decisions kept under noise"),
    ],
    figures: [
      {
        id: "quality/mmlu_pro/ours/accuracy",
        label: "mmlu_pro: ours, quality at cost_weight 0",
        value: 0.7121,
        unit: "score",
        better: "higher",
        interval: { low: 0.703, high: 0.721 },
        goal: 0.716,
        best_known: 0.7077,
        samples: [0.71, 0.712, 0.714],
      },
      {
        id: "quality/mmlu_pro/ours/ece",
        label: "mmlu_pro: calibration error",
        goal: 0.03,
        value: 0.021,
        unit: "score",
        better: "lower",
      },
    ],
    notes: ["Test prompts trained neither the embedder nor the profiles."],
  });
  const latency = resultWith({
    charts: [
      chart("distribution", "Where the time of a decision goes"),
      chart("scaling", "Decisions by number of anchors"),
    ],
    figures: [
      {
        id: "latency/decision/t50/a5000/m10/p50",
        label: "whole decision, 50 tokens, 5,000 × 10",
        value: 96.2,
        unit: "us",
        better: "lower",
        goal: 120,
      },
    ],
  });
  return [quality, latency];
}

/** Ours as a line (bars: as points), and others as points with names. */
function chart(kind: Chart["kind"], title: string): Chart {
  const points = [0.3, 2, 9].map((x, at) => ({ x, y: 0.4 + at / 10, label: `point ${at}` }));
  const mark = kind === "bars" ? "point" : kind === "distribution" ? "step" : "line";
  return {
    id: `suite/${kind}`,
    kind,
    title,
    caption: `What ${kind} shows.`,
    x: {
      label: "USD per 1,000 prompts",
      scale: kind === "frontier" || kind === "scaling" ? "log" : "linear",
    },
    y: { label: "mean quality", scale: "linear" },
    series: [
      { name: "ours", mark, ours: true, points },
      { name: "others", mark: "point", ours: false, points },
    ],
  };
}
