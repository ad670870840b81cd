import type { Account, Balance } from "./balance.js";
import { usd } from "./faults.js";

const dollars = (nano: number): string => usd(nano).toFixed(6);
const exactDollars = (nano: number): string => `$${usd(nano).toFixed(9)}`;

/** The balance as Markdown: a row for each fault, the most dollars not charged first. */
export function balanceTable({ byFault, total }: Balance): string {
  const row = (name: string, { calls, billed, reported, charged, estimated }: Account): string =>
    `| ${[name, calls, ...[billed, reported, charged, estimated, billed - charged].map(dollars)].join(" | ")} |`;
  const rows = [...byFault]
    .sort(([, left], [, right]) => right.billed - right.charged - (left.billed - left.charged))
    .map(([fault, account]) => row(fault === "none" ? "answered" : fault, account));
  return [
    "| call | calls | billed $ | reported $ | charged $ | of it estimated $ | not charged $ |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
    row("all", total),
  ].join("\n");
}

/** What must be nothing, to the nano-dollar. */
export function differences({ total, reportedMissing, unmatched }: Balance, budget: number): string {
  return (
    `Budget: ${exactDollars(budget)}; traces − budget: ${exactDollars(total.charged - budget)}. ` +
    `Reported and not charged: ${exactDollars(reportedMissing)}. Calls without an attempt or the reverse: ${unmatched}.`
  );
}
