import { SextantError } from "../../foundation/errors.js";
import { nearestName } from "../../foundation/nearest-name.js";
import type { SeriesDimension, SeriesSteps } from "../../traces/series.js";
import type { TraceFilter } from "../../traces/store.js";
import { parseTraceQuery, type RawQuery } from "../../traces/trace-query.js";
import { refusePaging } from "./stats-query.js";

export const SERIES_DIMENSIONS: readonly SeriesDimension[] = ["model", "provider", "source"];

/** Steps of one answer, so that a typing mistake does not ask for a million of them. */
const MOST_STEPS = 2000;

/** What `GET /admin/traces/series` asks for. */
export interface SeriesQuery {
  readonly filter: TraceFilter & { readonly startMs: number; readonly endMs: number };
  readonly steps: SeriesSteps;
}

/**
 * Reads and checks the query string of `GET /admin/traces/series`: the filters of `GET /v1/traces`, `step` and `by`.
 *
 * @param nowMs for a series without an end
 * @throws SextantError `invalid_request` that names the parameter, its value and the remedy
 */
export function parseSeriesQuery({ step, by, ...filters }: RawQuery, nowMs: number): SeriesQuery {
  refusePaging(filters);
  const { filter } = parseTraceQuery(filters);
  const { startMs, endMs = nowMs } = filter;
  if (startMs === undefined) {
    throw invalid("start_date", "`start_date` is missing: steps are counted from it. Give it.");
  }
  const stepMs = stepOf(single(step)) * 1000;
  if ((endMs - startMs) / stepMs > MOST_STEPS) {
    const seconds = Math.ceil((endMs - startMs) / MOST_STEPS / 1000);
    throw invalid(
      "step",
      `That would be more than ${MOST_STEPS} steps. Use a \`step\` of ${seconds} or more.`,
    );
  }
  return {
    filter: { ...filter, startMs, endMs },
    steps: { originMs: startMs, stepMs, by: dimensionOf(single(by)) },
  };
}

function stepOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalid(
    "step",
    `\`step\` is ${JSON.stringify(text.slice(0, 40))}: it must be a whole number of seconds, at least 1.`,
  );
}

function dimensionOf(text: string): SeriesDimension | undefined {
  if (text === "") return undefined;
  const dimension = SERIES_DIMENSIONS.find((each) => each === text);
  if (dimension !== undefined) return dimension;
  const nearest = nearestName(text.slice(0, 40), SERIES_DIMENSIONS);
  const remedy =
    nearest === undefined
      ? `It must be one of ${SERIES_DIMENSIONS.join(", ")}.`
      : `Did you mean "${nearest}"?`;
  throw invalid("by", `\`by\` is ${JSON.stringify(text.slice(0, 40))}. ${remedy}`);
}

const single = (value: RawQuery[string]): string =>
  value === undefined ? "" : typeof value === "string" ? value : value.join(",");

const invalid = (param: string, message: string): SextantError =>
  new SextantError("invalid_request", message, { param });
