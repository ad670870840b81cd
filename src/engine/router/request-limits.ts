import { type LatencyQuestion, latencyMs } from "../estimation/model-service.js";
import type { Exclusion } from "./candidate.js";
import type { RouteRequest } from "./decision.js";
import type { Estimates } from "./estimates.js";
import { requireCandidates, type Screening } from "./screening.js";

/** How much the time of an answer counts in the choice. */
interface Latencies {
  /** Expected milliseconds of each candidate's answer, as the limit or else the whole answer asks; NaN where not measured. */
  readonly expectedMs: Float64Array;
  /** Quality that it costs, ≥ 0; absent without a weight. */
  readonly penalty?: Float64Array;
}

type Limits = Pick<RouteRequest, "maxLatency" | "latencyWeight">;

/**
 * The candidates that keep to the limits of latency and cost, and those that do not as excluded: by what was measured, or because
 * nothing was. The same screening when all do.
 *
 * @throws SextantError `insufficient_models` when too few are left
 */
export function withinLimits(screening: Screening, estimates: Estimates, request: RouteRequest): Screening {
  const { maxLatency, caps } = request;
  const over: Exclusion[] = [];
  const candidates = screening.candidates.filter(({ model, service }, entry) => {
    const tokens = estimates.expectedTokens[entry] as number;
    const ms = maxLatency === undefined ? 0 : latencyMs(service, tokens, maxLatency);
    const usd = estimates.highCostUsd[entry] as number;
    if (maxLatency !== undefined && !(ms <= maxLatency.ms))
      over.push({
        model,
        reason: Number.isNaN(ms) ? "unknown_latency" : "too_slow",
        param: "max_latency_ms",
      });
    else if (caps !== undefined && usd > caps.maxCostUsd)
      over.push({ model, reason: Number.isFinite(usd) ? "too_expensive" : "unknown_price" });
    else return true;
    return false;
  });
  if (over.length === 0) return screening;
  const excluded = [...over, ...screening.excluded];
  requireCandidates(candidates, { excluded, request });
  return { ...screening, candidates, excluded };
}

/** Points of quality in one. */
const POINTS = 100;
const MEDIAN = 0.5;

/** Undefined for a request that asks nothing about time. A model that was not measured counts as the slowest one that was. */
export function latenciesOf(
  { candidates }: Pick<Screening, "candidates">,
  { expectedTokens }: Estimates,
  { maxLatency, latencyWeight = 0 }: Limits,
): Latencies | undefined {
  if (maxLatency === undefined && latencyWeight === 0) return undefined;
  const askedOf = (question: LatencyQuestion) =>
    Float64Array.from(candidates, ({ service }, entry) =>
      latencyMs(service, expectedTokens[entry] as number, question),
    );
  const expectedMs = askedOf({ of: maxLatency?.of ?? "whole", confidence: MEDIAN });
  if (latencyWeight === 0) return { expectedMs };
  const wholeMs = askedOf({ of: "whole", confidence: MEDIAN });
  const slowest = wholeMs.reduce((most, ms) => (ms > most ? ms : most), 0);
  const penalty = wholeMs.map((ms) => (latencyWeight / POINTS) * ((Number.isNaN(ms) ? slowest : ms) / 1000));
  return { expectedMs, penalty };
}

/** The end of a decision's reason. */
export function latencyReason(
  { maxLatency, latencyWeight = 0 }: Limits,
  expectedMs: number | undefined,
): string {
  if (expectedMs === undefined || Number.isNaN(expectedMs)) return "";
  const expected = `${(expectedMs / 1000).toFixed(1)} s expected`;
  if (maxLatency === undefined) return `; ${expected}, which counts by a latency weight of ${latencyWeight}`;
  const share = `${Math.round(100 * maxLatency.confidence)}% of answers`;
  const what = maxLatency.of === "whole" ? "" : " to the first token";
  return `; ${share} are within ${maxLatency.ms / 1000} s${what} as measured, ${expected}`;
}
