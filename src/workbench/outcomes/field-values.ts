import type { RawRow } from "./jsonl.js";
import { OutcomeDataError } from "./outcome-data-error.js";

export interface FieldLocation {
  readonly file: string;
  readonly field: string;
}

const MAX_SHOWN = 80;

/**
 * Reads a name: a string that is not blank, or an integer converted to its digits.
 *
 * @throws OutcomeDataError when it is missing or anything else
 */
export function readName(row: RawRow, { file, field }: FieldLocation): string {
  const value = row.values[field];
  if (typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value)))
    return String(value);
  if (typeof value === "string" && value.trim() !== "") return value;
  const problem = value === undefined || value === null || value === "" ? "is missing" : `is ${show(value)}`;
  throw new OutcomeDataError({ file, row: row.row, field }, `${problem}; give every row a non-empty text`);
}

/** As `readName`; null where the field is absent, null or empty. */
export function readOptionalName(row: RawRow, location: FieldLocation): string | null {
  const value = row.values[location.field];
  return value === undefined || value === null || value === "" ? null : readName(row, location);
}

/**
 * A finite number, or null where the field is absent, null or an empty cell. Numbers written as text count.
 *
 * @throws OutcomeDataError on NaN, an infinity or anything that is not a number
 */
export function readNumber(row: RawRow, { file, field }: FieldLocation): number | null {
  const value = row.values[field];
  if (value === undefined || value === null) return null;
  const number = toNumber(value);
  if (number !== undefined && Number.isFinite(number)) return number;
  throw new OutcomeDataError(
    { file, row: row.row, field },
    `is ${show(value)}, not a finite number; write a number, or null (an empty cell in CSV) where it is not known`,
  );
}

/** As `readNumber`, and not below 0. */
export function readAmount(row: RawRow, location: FieldLocation): number | null {
  const value = readNumber(row, location);
  if (value === null || value >= 0) return value;
  throw new OutcomeDataError(
    { file: location.file, row: row.row, field: location.field },
    `is ${value}, below 0; write null where it is not known`,
  );
}

/** US dollars for a million tokens. The most and least expensive that are listed are 600 and 0.01 (2026-11); beyond these is a slip of units. */
const PRICE = { least: 0.001, most: 10_000 };

/** What is wrong with a price of output, as the end of a sentence; undefined for one that a model may have. 0 is free. */
export function priceProblem(usdPerMtok: number): string | undefined {
  if (usdPerMtok === 0 || (usdPerMtok >= PRICE.least && usdPerMtok <= PRICE.most)) return undefined;
  return `is ${usdPerMtok}, not 0 or from ${PRICE.least} to ${PRICE.most}; write US dollars for a million tokens of output, such as 4.5`;
}

/** A price of output, as `readNumber` reads it. @throws OutcomeDataError for one that no model has */
export function readPrice(row: RawRow, location: FieldLocation): number | null {
  const value = readNumber(row, location);
  const problem = value === null ? undefined : priceProblem(value);
  if (problem === undefined) return value;
  throw new OutcomeDataError({ file: location.file, row: row.row, field: location.field }, problem);
}

/** A value as an error message may show it: short and on one line. */
function show(value: unknown): string {
  if (typeof value === "bigint") return `${value}`;
  return shortened(
    typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value)),
    MAX_SHOWN,
  );
}

/** The beginning of a text that is longer than that. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

function toNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" && /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value.trim()))
    return Number(value);
  return undefined;
}
