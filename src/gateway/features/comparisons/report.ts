/** What the comparisons of one entry say so far. */
import { z } from "zod";
import type { Estimate } from "../../../foundation/bootstrap.js";
import type { ComparisonBody } from "./schema.js";
import { billChange, type ComparedBills, detectableLoss, sequentialInterval } from "./sequential-interval.js";

const count = z.number().min(0);

/** A line of the journal. */
export const comparisonResultSchema = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Name of the comparison, and what it compared with. */
  comparison: z.string(),
  with: z.string(),
  request_id: z.string(),
  /** `same`: both answers are those of one model, or say the same; `failed`: only money was spent. */
  outcome: z.enum(["judged", "same", "failed"]),
  /** The model that answered the caller, and the other one; null where it did not come to that. */
  served: z.string(),
  other: z.string().nullable(),
  /** Of the quality of the other answer, from -1 to 1; 0 for `same`. Null for `failed`. */
  difference: z.number().nullable(),
  /** US dollars: what the caller was billed, the other answer, and the judging. `other_usd` is the served bill for `same` models. */
  served_usd: count.nullable(),
  other_usd: count.nullable(),
  /** US dollars that the comparison itself spent: on the other answer, and on judging. */
  answer_spent_usd: count,
  judge_spent_usd: count,
  /** Why it failed. */
  reason: z.string().optional(),
  /** Of the prompt, where no content is stored: by a key that is in the file, so that no text is compared twice. */
  prompt: z.string().optional(),
});

export type ComparisonResult = z.infer<typeof comparisonResultSchema>;

/** A smaller loss of quality is as good as none: a point. */
const MARGIN = 0.01;

/** What the results say, beside what the entry itself does. */
type ComparisonReport = Omit<
  ComparisonBody,
  "name" | "with" | "share" | "max_usd_per_day" | "graded_by" | "waiting" | "passed_over"
>;

/** Which comparison: its name, and what it compares with now. */
interface ReportedComparison {
  readonly name: string;
  readonly with: string;
}

/** @param nowMs milliseconds since the epoch */
export function comparisonReport(
  { name, with: other }: ReportedComparison,
  all: readonly ComparisonResult[],
  nowMs: number,
): ComparisonReport {
  // What an earlier entry of that name compared with is another question; its money was spent all the same.
  const results = all.filter((one) => one.comparison === name && one.with === other);
  const counts = new Map<number, number>();
  const bills: ComparedBills[] = [];
  const sums = { same: 0, failed: 0, served_usd: 0, other_usd: 0, answers: 0, judging: 0 };
  for (const result of results) {
    sums.answers += result.answer_spent_usd;
    sums.judging += result.judge_spent_usd;
    if (result.outcome === "failed" || result.difference === null) {
      sums.failed += 1;
      continue;
    }
    if (result.outcome === "same") sums.same += 1;
    counts.set(result.difference, (counts.get(result.difference) ?? 0) + 1);
    if (result.served_usd === null || result.other_usd === null) continue;
    bills.push({ served: result.served_usd, other: result.other_usd });
    sums.served_usd += result.served_usd;
    sums.other_usd += result.other_usd;
  }
  const numberOf = (is: (difference: number) => boolean): number =>
    [...counts].reduce((sum, [difference, often]) => sum + (is(difference) ? often : 0), 0);
  const found = {
    comparisons: numberOf(() => true),
    quality: sequentialInterval(counts),
    bill_change: billChange(bills),
  };
  const { answers, judging, ...counted } = sums;
  return {
    ...found,
    ...counted,
    wins: numberOf((difference) => difference > 0),
    ties: numberOf((difference) => difference === 0),
    losses: numberOf((difference) => difference < 0),
    detectable_loss: detectableLoss(counts),
    spent: { today: spentOn(all, { comparison: name, atMs: nowMs }).today, answers, judging },
    verdict: verdictOf(found.quality),
    recommendation: found.comparisons === 0 ? null : sentenceOf(other, found),
  };
}

function verdictOf({ low, high }: Estimate): ComparisonReport["verdict"] {
  if (low > 0) return "better";
  if (high < 0) return "worse";
  return low >= -MARGIN ? "as_good" : "unclear";
}

/** `auto:0.3: −41% cost [−44, −38], quality −0.4 points [−1.0, 0.2], 1,240 comparisons`. */
function sentenceOf(
  other: string,
  {
    comparisons,
    quality,
    bill_change: change,
  }: Pick<ComparisonReport, "comparisons" | "quality" | "bill_change">,
): string {
  const text = (value: number, digits: number): string => (100 * value).toFixed(digits).replace("-", "−");
  const cost =
    change === null
      ? "cost not known yet"
      : `${text(change.value, 0)}% cost [${text(change.low, 0)}, ${text(change.high, 0)}]`;
  const interval = `[${text(quality.low, 1)}, ${text(quality.high, 1)}]`;
  const count = comparisons.toLocaleString("en-US");
  return `${other}: ${cost}, quality ${text(quality.value, 1)} points ${interval}, ${count} ${comparisons === 1 ? "comparison" : "comparisons"}`;
}

const DAY_MS = 86_400_000;

/** US dollars that a comparison has spent on the day (UTC) of that moment, and on the most expensive single one ever. */
export function spentOn(
  results: readonly ComparisonResult[],
  { comparison, atMs }: { readonly comparison: string; readonly atMs: number },
): { readonly today: number; readonly most: number } {
  const day = Math.floor(atMs / DAY_MS);
  let [today, most] = [0, 0];
  for (const result of results) {
    if (result.comparison !== comparison) continue;
    const spent = result.answer_spent_usd + result.judge_spent_usd;
    most = Math.max(most, spent);
    if (Math.floor(result.at / DAY_MS) === day) today += spent;
  }
  return { today, most };
}
