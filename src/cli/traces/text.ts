/** How the figures of traces are written for a person. */
import type { TraceSummaryBody } from "../../api/traces/trace.js";

const UNKNOWN = "–";

/** Three digits that count, two decimals from a dollar on, never an exponent. */
export function dollars(amount: number | null): string {
  if (amount === null) return UNKNOWN;
  if (amount >= 1) return amount.toFixed(2);
  return SMALL.format(amount);
}

const SMALL = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3, useGrouping: false });

export const count = (value: number | null): string => (value === null ? UNKNOWN : String(value));

/** `12 + 7`; a decision without execution, which generates nothing, is named. */
export function tokens({ status, tokens_in: tokensIn, tokens_out: tokensOut }: Tokens): string {
  if (tokensIn !== null || tokensOut !== null) return `${count(tokensIn)} + ${count(tokensOut)}`;
  return status === "success" ? "decision only" : UNKNOWN;
}

type Tokens = Pick<TraceSummaryBody, "status" | "tokens_in" | "tokens_out">;

export const milliseconds = (value: number | null | undefined): string =>
  value === null || value === undefined ? UNKNOWN : String(Math.round(value));

/** `2026-01-31 09:30:00.123` */
export const time = (iso: string): string => iso.replace("T", " ").replace("Z", "");

/**
 * What models and clients wrote, without what would make a terminal do things: control characters but line ends and tabs, and
 * marks that turn the direction of writing.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, harmless);

const harmless = (character: string): string =>
  character === "\n" || character === "\t" ? character : escaped(character);

/** The same on one line. */
export const cell = (text: string | null): string =>
  text === null ? UNKNOWN : printable(text).replace(/[\n\t\u2028\u2029]/g, escaped);

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
