import type { Account, Balance } from "./balance.js";

const dollars = (usd: number): string => usd.toFixed(6);
/** To the nano-dollar; a smaller difference, of either sign, is none. */
const nanoDollars = (usd: number): string => `$${(Math.round(usd * 1e9) / 1e9 || 0).toFixed(9)}`;

/** The balance as Markdown: a row for each fault, the most dollars not charged first. */
export function balanceTable(
  { byFault, total, reportedMissingUsd, unmatched }: Balance,
  budgetUsd: number,
): string {
  const row = (name: string, { calls, billedUsd, reportedUsd, chargedUsd, estimatedUsd }: Account): string =>
    `| ${[name, calls, ...[billedUsd, reportedUsd, chargedUsd, estimatedUsd, billedUsd - chargedUsd].map(dollars)].join(" | ")} |`;
  const rows = [...byFault]
    .sort(([, left], [, right]) => right.billedUsd - right.chargedUsd - (left.billedUsd - left.chargedUsd))
    .map(([fault, account]) => row(fault === "none" ? "answered" : fault, account));
  return [
    "| call | calls | billed $ | reported $ | charged $ | of it estimated $ | not charged $ |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
    row("all", total),
    "",
    `Budget: ${nanoDollars(budgetUsd)}; traces − budget: ${nanoDollars(total.chargedUsd - budgetUsd)}. ` +
      `Reported and not charged: ${nanoDollars(reportedMissingUsd)}. Calls without an attempt or the reverse: ${unmatched}.`,
  ].join("\n");
}
