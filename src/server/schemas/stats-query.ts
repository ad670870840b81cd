import { SextantError } from "../../foundation/errors.js";
import { nearestName } from "../../foundation/nearest-name.js";
import type { StatsDimension, TraceFilter } from "../../traces/store.js";
import { parseTraceQuery, type RawQuery } from "../../traces/trace-query.js";

export const STATS_DIMENSIONS: readonly StatsDimension[] = ["model", "provider", "source", "day"];

/** What `GET /admin/traces/stats` asks for. */
export interface StatsQuery {
  readonly filter: TraceFilter;
  /** Each at most once. */
  readonly by: readonly StatsDimension[];
}

const PAGING = ["limit", "offset"];

/**
 * Reads and checks the query string of `GET /admin/traces/stats`: the filters of `GET /v1/traces`, and `by`.
 *
 * @throws SextantError `invalid_request` that names the parameter, its value and the remedy
 */
export function parseStatsQuery({ by = "", ...filters }: RawQuery): StatsQuery {
  refusePaging(filters);
  return { filter: parseTraceQuery(filters).filter, by: dimensionsOf([by].flat().join(",")) };
}

/** @throws SextantError `invalid_request` for parameters of pages, where all that match are asked for */
export function refusePaging(raw: RawQuery): void {
  for (const name of PAGING) {
    if (raw[name] === undefined) continue;
    throw invalid(name, `\`${name}\` does not go here: all that match are taken. Leave it out.`);
  }
}

function dimensionsOf(list: string): readonly StatsDimension[] {
  if (list === "") return [];
  const names = list.split(",").map((name) => name.trim());
  return [...new Set(names)].map((name) => {
    const dimension = STATS_DIMENSIONS.find((each) => each === name);
    if (dimension !== undefined) return dimension;
    const nearest = nearestName(name.slice(0, 40), STATS_DIMENSIONS);
    const remedy =
      nearest === undefined ? `Known are ${STATS_DIMENSIONS.join(", ")}.` : `Did you mean "${nearest}"?`;
    const message = `\`by\` has ${JSON.stringify(name.slice(0, 40))}, which traces are not grouped by. ${remedy}`;
    throw invalid("by", message);
  });
}

const invalid = (param: string, message: string): SextantError =>
  new SextantError("invalid_request", message, { param });
