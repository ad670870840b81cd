import type { ZoneOffset } from "../../../foundation/time-zone.js";
import { type GroupDimension, metadataKeyOf } from "../series.js";
import type { Parameter } from "./database.js";

/** A statement in the making: what it has for values so far. */
export interface Placing {
  /** `$1`, `$2`, … */
  readonly placeholder: (value: Parameter) => string;
  readonly offsets: readonly ZoneOffset[] | undefined;
}

const COLUMNS = {
  model: "model",
  provider: "provider",
  source: "source",
  key: "principal",
  kind: "kind",
  effort: "effort",
  baseline: "json_extract_string(savings, '$.baseline_model')",
  preset: "preset",
} as const;

/** The expression whose value is a dimension's, as text. */
export function dimensionSql(dimension: GroupDimension, { placeholder, offsets }: Placing): string {
  if (dimension === "day") {
    return `strftime(make_timestamp(${clockMs({ placeholder, offsets })} * 1000), '%Y-%m-%d')`;
  }
  const key = metadataKeyOf(dimension);
  if (key === undefined) return COLUMNS[dimension as keyof typeof COLUMNS];
  return metadataSql(placeholder(`/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`));
}

/**
 * A metadata value as text, null without one; numbers as JavaScript writes them, so that a filter by the text finds them. Reading
 * the type as well takes as long again, so that only what may be such a number is asked for it.
 *
 * @param path an expression whose value is a JSON pointer
 */
export function metadataSql(path: string): string {
  const value = `json_extract_string(metadata, ${path})`;
  const isDouble = `regexp_matches(${value}, '^-?\\d[\\d.]*e\\d') AND json_type(metadata, ${path}) = 'DOUBLE'`;
  return `CASE WHEN ${isDouble} THEN regexp_replace(${value}, 'e(\\d)', 'e+\\1') ELSE ${value} END`;
}

/** The time of arrival on a clock, in milliseconds. */
export function clockMs({ placeholder, offsets = [] }: Placing): string {
  const at = "epoch_ms(created_at)";
  const shifts = offsets.map(({ offsetMs }) => placeholder(BigInt(offsetMs)));
  const last = shifts.at(-1);
  if (last === undefined) return at;
  const cases = offsets
    .slice(1)
    .map(({ fromMs }, before) => `WHEN ${at} < ${placeholder(BigInt(fromMs))} THEN ${shifts[before]}`);
  return cases.length === 0 ? `(${at} + ${last})` : `(${at} + CASE ${cases.join(" ")} ELSE ${last} END)`;
}
