import type { Figure } from "./result.js";

/** Names come from data sets and are untrusted: they are shown as one line of visible characters. */
const LONGEST_NAME = 60;
// Control characters, and the marks that make what follows them run the other way.
const INVISIBLE = /[\p{Cc}\p{Cs}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029]+/gu;

/** Without control characters and marks of direction, cut at 60 characters. Not escaped; may be empty. */
export function legible(text: string, longest: number = LONGEST_NAME): string {
  const characters = [...text.replaceAll(INVISIBLE, " ").trim()];
  return characters.length <= longest ? characters.join("") : `${characters.slice(0, longest - 1).join("")}…`;
}

/** The same of what must have something to be called by. */
export function legibleName(text: string, longest?: number): string {
  return legible(text, longest) || "(no name)";
}

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
