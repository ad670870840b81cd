import { bestCandidate } from "../../engine/index.js";
import { type CandidateExpectation, equalQuality, type SampleScale, savedInAll } from "./equal-quality.js";
import type { SavingsAgainst, SavingsReport } from "./replay-report.js";

/** What is read of a trace. */
export interface DecidedTrace {
  readonly status: string;
  readonly attempts: readonly unknown[];
  readonly routing: {
    readonly selected_model: string;
    readonly candidates: readonly {
      readonly model: string;
      readonly expected_quality: number;
      readonly expected_cost_usd: number | null;
    }[];
  } | null;
  /** What answered was billed; null or absent where that is not known. */
  readonly usage?: { readonly total_cost_usd: number | null } | null;
}

/** Most models of a report. */
const MOST_MODELS = 100;
/** A model is part of a report when it was a candidate of at least that share of the requests. */
const USUAL_SHARE = 0.5;

class Sums {
  requests = 0;
  costUsd = 0;
  decidedCostUsd = 0;
  quality = 0;
  decidedQuality = 0;
  savedSquares = 0;

  add(other: CandidateExpectation, decided: CandidateExpectation): void {
    this.requests += 1;
    this.costUsd += other.costUsd;
    this.decidedCostUsd += decided.costUsd;
    this.quality += other.quality;
    this.decidedQuality += decided.quality;
    this.savedSquares += (other.costUsd - decided.costUsd) ** 2;
  }
}

/** Sums up what decisions expected to save. */
export class ExpectedSavings {
  readonly #best = new Sums();
  readonly #models = new Map<string, Sums>();
  readonly #requests: {
    readonly decided: CandidateExpectation;
    readonly others: Map<string, CandidateExpectation>;
  }[] = [];
  #sampled = 0;
  #decided = 0;
  /** Of answers whose bill is known. */
  #billedUsd = 0;
  #expectedUsd = 0;

  add({ status, attempts, routing, usage }: DecidedTrace): void {
    this.#sampled += 1;
    // A decision that was not executed has no attempts, and spends nothing.
    if (routing === null || status !== "success" || attempts.length === 0) return;
    const decided = expectedOf(routing.candidates.find(({ model }) => model === routing.selected_model));
    if (decided === undefined) return;
    this.#decided += 1;
    if (usage?.total_cost_usd != null) {
      this.#billedUsd += usage.total_cost_usd;
      this.#expectedUsd += decided.costUsd;
    }
    const best = expectedOf(bestCandidate(routing.candidates));
    if (best !== undefined) this.#best.add(best, decided);
    const others = new Map<string, CandidateExpectation>();
    this.#requests.push({ decided, others });
    for (const candidate of routing.candidates) {
      const other = expectedOf(candidate);
      if (other === undefined) continue;
      others.set(candidate.model, other);
      const sums = this.#models.get(candidate.model) ?? new Sums();
      this.#models.set(candidate.model, sums);
      sums.add(other, decided);
    }
  }

  /** @param matching requests that the sample was drawn from */
  report(matching: number): SavingsReport {
    const hasBills = this.#billedUsd > 0 && this.#expectedUsd > 0;
    const correction = hasBills ? this.#billedUsd / this.#expectedUsd : 1;
    const scale = { matching, sampled: this.#sampled, correction };
    const usual = [...this.#models].filter(([, { requests }]) => requests >= USUAL_SHARE * this.#decided);
    return {
      decided: this.#decided,
      correction,
      equalQuality: equalQuality(
        this.#requests,
        usual.map(([model]) => model),
        scale,
      ),
      best: this.#best.requests === 0 ? null : against(this.#best, scale),
      models: usual
        .map(([model, sums]) => ({ model, ...against(sums, scale) }))
        .sort((left, right) => right.quality - left.quality || left.costUsd - right.costUsd)
        .slice(0, MOST_MODELS),
    };
  }
}

function expectedOf(
  candidate: NonNullable<DecidedTrace["routing"]>["candidates"][number] | undefined,
): CandidateExpectation | undefined {
  if (candidate === undefined || candidate.expected_cost_usd === null) return undefined;
  return { costUsd: candidate.expected_cost_usd, quality: candidate.expected_quality };
}

function against(
  { requests, costUsd, decidedCostUsd, quality, decidedQuality, savedSquares }: Sums,
  scale: SampleScale,
): SavingsAgainst {
  const { correction } = scale;
  return {
    requests,
    costUsd: correction * costUsd,
    decidedCostUsd: correction * decidedCostUsd,
    quality: quality / requests,
    decidedQuality: decidedQuality / requests,
    savedUsd: savedInAll({ sum: costUsd - decidedCostUsd, squares: savedSquares }, scale),
  };
}
