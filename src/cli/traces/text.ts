/** How the figures of traces are written for a person. */
import type { TraceSummaryBody } from "../../gateway/features/traces/schema/trace.js";
import { printableLine } from "../printable.js";

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

export const cell = (text: string | null): string => (text === null ? UNKNOWN : printableLine(text));
