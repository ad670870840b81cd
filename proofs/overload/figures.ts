import { figureOf } from "../../bench/evidence/figure.js";
import type { Figure } from "../../bench/report/result.js";
import { median } from "../../bench/report/statistics.js";
import type { HangResult, OverloadRound } from "./measure.js";

const GOODPUT_GOAL = 0.9;

type FigureOptions = Pick<Figure, "unit" | "better"> & { readonly goal?: number };

/** Medians of the rounds. @param what `decisions` or `chat` */
export function overloadFigures(what: string, rounds: readonly OverloadRound[]): Figure[] {
  const of = (
    id: string,
    label: string,
    { read, ...options }: FigureOptions & { readonly read: (round: OverloadRound) => number },
  ): Figure => {
    const samples = rounds.map(read).filter(Number.isFinite);
    return {
      ...figureOf({
        ...{ ...options, id: `overload/${what}/${id}`, label: `${what}: ${label}` },
        ...{ value: median(samples), missing: "nothing was refused" },
      }),
      ...(samples.length > 0 ? { samples } : {}),
    };
  };
  return [
    of("peak", "peak of accepted requests", { unit: "per_s", better: "higher", read: ({ peak }) => peak }),
    of("goodput", "goodput at twice the peak", {
      unit: "per_s",
      better: "higher",
      read: ({ goodput }) => goodput,
    }),
    of("goodput_ratio", "goodput at twice the peak, over the peak", {
      ...{ unit: "ratio", better: "higher", goal: GOODPUT_GOAL },
      read: ({ goodput, peak }) => goodput / peak,
    }),
    of("p50", "p50 of accepted requests at twice the peak", {
      unit: "ms",
      better: "lower",
      read: ({ p50Ms }) => p50Ms,
    }),
    of("p99", "p99 of accepted requests at twice the peak", {
      unit: "ms",
      better: "lower",
      read: ({ p99Ms }) => p99Ms,
    }),
    of("refused", "share refused", { unit: "share", better: "neither", read: ({ refused }) => refused }),
    of("refused_well", "of these, with `overloaded` and `Retry-After`", {
      ...{ unit: "share", better: "higher", goal: 1 },
      read: ({ refusedWell }) => refusedWell,
    }),
    of("refusal_p50", "p50 of refusals", {
      unit: "ms",
      better: "lower",
      read: ({ refusalP50Ms }) => refusalP50Ms,
    }),
    of("failed", "share that failed otherwise", {
      unit: "share",
      better: "lower",
      read: ({ failed }) => failed,
    }),
    of("memory", "memory after it", { unit: "mb", better: "lower", read: ({ memoryMb }) => memoryMb }),
    of("sent_late", "p99 of how late requests were sent", {
      ...{ unit: "ms", better: "lower" },
      read: ({ sentLateP99Ms }) => sentLateP99Ms,
    }),
  ];
}

/** Decisions while a provider hangs, beside those while it answers. */
export function hangFigures({ answering, hanging }: HangResult): Figure[] {
  const missing = "no decisions";
  const phases = [
    ["answering", "while the provider answers", answering],
    ["hanging", "while the provider hangs", hanging],
  ] as const;
  return phases.flatMap(([id, when, { p50Ms, p99Ms, failed, chat }]) => [
    figureOf({
      ...{ id: `overload/hang/${id}/p50`, label: `decisions ${when}: p50`, unit: "ms", better: "lower" },
      ...{ value: p50Ms, missing },
    }),
    figureOf({
      ...{ id: `overload/hang/${id}/p99`, label: `decisions ${when}: p99`, unit: "ms", better: "lower" },
      ...{ value: p99Ms, missing },
    }),
    figureOf({
      ...{ id: `overload/hang/${id}/failed`, label: `decisions ${when}: share that failed`, unit: "share" },
      ...{ better: "lower", value: failed, goal: 0, missing },
      note: `chat completions: ${chat.accepted} answered, ${chat.refused} refused, ${chat.unanswered} waiting at the end`,
    }),
  ]);
}
