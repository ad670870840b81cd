/** How values of options are read that several commands have. */
import { InvalidArgumentError } from "commander";

/** Reads a number for commander. */
export const numberWithin =
  (from: number, to: number) =>
  (text: string): number => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`It must be a number from ${from} to ${to}.`);
  };

/** Reads a whole number for commander. @param to default: any that can be read exactly */
export const wholeNumberWithin =
  (from: number, to = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    const range = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of a text such as 90d or 12h; undefined when it is none. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0);
}
