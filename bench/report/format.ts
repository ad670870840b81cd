import type { Figure } from "./result.js";

const DOLLARS = 4;

/** A number with its unit, as a reader wants it: `61.3 %`, `34.1 µs`, `1,234`. `null` is a dash. */
export function formatValue(value: number | null, unit: Figure["unit"]): string {
  if (value === null || !Number.isFinite(value)) return "–";
  switch (unit) {
    case "share":
      return `${(100 * value).toFixed(1)} %`;
    case "score":
      return value.toFixed(4);
    case "usd":
      return `$${significant(value, DOLLARS)}`;
    case "us":
      return `${significant(value, 3)} µs`;
    case "ms":
    case "s":
      return `${significant(value, 3)} ${unit}`;
    case "per_s":
      return `${significant(value, 3)} /s`;
    case "mb":
      return `${significant(value, 3)} MB`;
    case "bytes":
      return value < 10_000 ? `${significant(value, 4)} B` : `${significant(value / 1e6, 3)} MB`;
    case "ratio":
      return `${significant(value, 3)} ×`;
    case "points":
      return `${value.toFixed(2)} points`;
    case "count":
      return significant(value, 6);
  }
}

/** At least so many digits that count, never fewer than stand before the point, with commas for thousands. */
export function significant(value: number, digits: number): string {
  return value.toLocaleString("en-US", {
    maximumSignificantDigits: Math.max(digits, 1 + Math.floor(Math.log10(Math.max(1, Math.abs(value))))),
  });
}

/** `1 set`, `2 sets`, `1,234 figures`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
