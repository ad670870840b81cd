import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import { figureAt, LOWER_MS, REFERENCE_MS, sizeName } from "./figure-at.js";
import { BUSY_PER_SECOND, type GatewayResult, QUIET_PER_SECOND } from "./measure-gateway.js";
import type { SizeResult } from "./measure-size.js";

/** Share of the pace below which a figure says nothing about it. */
const LEAST_PACE = 0.95;

export function gatewayFigures({ rows, gateway }: SizeResult): Figure[] {
  if (gateway === undefined) return [];
  return [...besideSearches(rows, gateway), ...eventLoop(rows, gateway), ...keeping(rows, gateway)];
}

const overRounds = (values: readonly number[]) => ({ value: median(values), samples: [...values] });

function besideSearches(rows: number, { quietP99, searchingP99, searches }: GatewayResult): Figure[] {
  const at = figureAt(rows);
  return [
    at("routing/quiet/p99", {
      label: `routing p99, ${QUIET_PER_SECOND} requests/s`,
      ...overRounds(quietP99),
      ...LOWER_MS,
    }),
    at("routing/searching/p99", {
      label: "routing p99 while texts are searched",
      ...overRounds(searchingP99),
      ...LOWER_MS,
      note: `${searches} searches were answered meanwhile`,
    }),
    at("routing/searching-to-quiet", {
      label: "routing p99, searching ÷ quiet",
      ...overRounds(searchingP99.map((ms, round) => ms / (quietP99[round] ?? Number.NaN))),
      unit: "ratio",
      better: "lower",
      goal: 2,
      against: `traces/${sizeName(rows)}/routing/quiet/p99`,
    }),
  ];
}

function eventLoop(rows: number, { lagP99, lagMost, plainLagP99, reached }: GatewayResult): Figure[] {
  const at = figureAt(rows);
  const pace = `${Math.round(median(reached))} requests/s were answered`;
  const goal = { label: `event loop held up, p99, ${BUSY_PER_SECOND} requests/s`, ...LOWER_MS, goal: 5 };
  const p99 =
    median(reached) < LEAST_PACE * BUSY_PER_SECOND
      ? { value: null, note: `only ${pace}; then ${median(lagP99).toFixed(1)} ms` }
      : { ...overRounds(lagP99), note: pace };
  return [
    at("event-loop/p99", { ...goal, ...p99 }),
    at("event-loop/most", { label: "event loop held up, most", value: lagMost, ...LOWER_MS }),
    at("event-loop/plain/p99", {
      label: "event loop held up, p99, without traces",
      ...overRounds(plainLagP99),
      ...REFERENCE_MS,
    }),
  ];
}

function keeping(rows: number, { spilled, dropped, peakMb, plainPeakMb }: GatewayResult): Figure[] {
  const at = figureAt(rows);
  const count = { unit: "count", better: "lower" } as const;
  return [
    at("gateway/spilled", { label: "traces that went over the disk", value: spilled, ...count }),
    at("gateway/dropped", { label: "traces dropped", value: dropped, ...count, goal: 0 }),
    at("gateway/peak-memory", {
      label: "most memory of the gateway",
      value: peakMb,
      unit: "mb",
      better: "lower",
    }),
    at("gateway/plain/peak-memory", {
      label: "most memory of a gateway without traces",
      value: plainPeakMb,
      unit: "mb",
      better: "neither",
    }),
  ];
}
