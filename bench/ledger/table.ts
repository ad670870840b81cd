import type { Account, Balance } from "./balance.js";

const dollars = (usd: number): string => usd.toFixed(6);

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
    "| call | calls | billed $ | told $ | charged $ | of it estimated $ | not charged $ |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
    row("all", total),
    "",
    `Budget: $${budgetUsd.toFixed(9)}; traces − budget: $${(total.chargedUsd - budgetUsd).toFixed(9)}. ` +
      `Told and not charged: $${reportedMissingUsd.toFixed(9)}. Calls without an attempt or the reverse: ${unmatched}.`,
  ].join("\n");
}
