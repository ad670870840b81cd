import type { Chart } from "../report/result.js";
import { median } from "../report/statistics.js";
import { CURVE, type Timing, timeAt } from "./interleave.js";

type Series = Chart["series"][number];

const MICROSECONDS = { label: "µs", scale: "log" } as const;

export function chartsOf(timings: readonly Timing[]): Chart[] {
  return [
    stages(timings),
    scaling(timings, {
      ...{ id: "latency/by-tokens", title: "Decisions by length of the prompt", x: "tokens" },
      caption: "5,000 anchors × 10 models. Long prompts cost what embedding them costs.",
      lines: {
        "whole decision": /^latency\/decision\/t(\d+)\/a5000\/m10$/,
        embed: /^latency\/embed\/t(\d+)$/,
        "bare ONNX run": /^latency\/onnx\/t(\d+)$/,
        tokenise: /^latency\/tokenise\/t(\d+)$/,
      },
    }),
    scaling(timings, {
      ...{ id: "latency/by-models", title: "Decisions by number of models", x: "models" },
      caption: "5,000 anchors, 50 tokens. Models share one index: what grows is weighing them.",
      lines: {
        "whole decision": /^latency\/decision\/t50\/a5000\/m(\d+)$/,
        "search and evidence": /^latency\/evidence\/a5000\/m(\d+)$/,
        "score and decide": /^latency\/decide\/a5000\/m(\d+)$/,
      },
    }),
    scaling(timings, {
      ...{ id: "latency/by-anchors", title: "Decisions by number of anchors", x: "anchors" },
      caption:
        "10 models, 50 tokens. From 9,600 anchors on, only the IVF lists that may hold near ones are scanned.",
      lines: {
        "whole decision": /^latency\/decision\/t50\/a(\d+)\/m10$/,
        "search and evidence": /^latency\/evidence\/a(\d+)\/m10$/,
        "bare scan": /^latency\/scan\/a(\d+)$/,
      },
    }),
  ].filter(({ series }) => series.length > 0);
}

/** The parts of the decision that the goals speak of. */
const STAGES: readonly (readonly [string, string])[] = [
  ["whole decision", "latency/decision/t50/a5000/m10"],
  ["tokenise", "latency/tokenise/t50"],
  ["bare ONNX run", "latency/onnx/t50"],
  ["embed", "latency/embed/t50"],
  ["search and evidence", "latency/evidence/a5000/m10"],
  ["score and decide", "latency/decide/a5000/m10"],
];

function stages(timings: readonly Timing[]): Chart {
  const series = STAGES.flatMap(([name, id], index): Series[] => {
    const timing = timings.find((candidate) => candidate.id === id);
    if (timing === undefined) return [];
    const points = CURVE.map((share) => ({
      x: median(timing.rounds.map((round) => timeAt(round, share))),
      y: share,
    }));
    return [{ name, mark: "line", ours: index === 0, points }];
  });
  return {
    ...{ id: "latency/stages", kind: "distribution", title: "Where the time of a decision goes" },
    caption:
      "50 tokens, 5,000 anchors × 10 models. The whole takes longer than its parts timed alone, which find the cache warm.",
    ...{ x: MICROSECONDS, y: { label: "share of executions that took no longer", scale: "linear" } },
    series,
  };
}

interface ScalingChart extends Pick<Chart, "id" | "title" | "caption"> {
  readonly x: string;
  /** By the name of a line: which cases are on it; the first group is x. The first line is ours. */
  readonly lines: Readonly<Record<string, RegExp>>;
}

function scaling(timings: readonly Timing[], { id, title, caption, x, lines }: ScalingChart): Chart {
  const series = Object.entries(lines).flatMap(([name, pattern], index): Series[] => {
    const points = timings
      .flatMap((timing) => {
        const found = pattern.exec(timing.id)?.[1];
        if (found === undefined) return [];
        return [{ x: Number(found), y: median(timing.rounds.map((round) => timeAt(round, 0.5))) }];
      })
      .sort((a, b) => a.x - b.x);
    return points.length < 2 ? [] : [{ name, mark: "line", ours: index === 0, points }];
  });
  return {
    ...{ id, kind: "scaling", title, caption },
    ...{ x: { label: x, scale: "log" }, y: { label: "µs, p50", scale: "log" }, series },
  };
}
