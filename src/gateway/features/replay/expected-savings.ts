import { type CandidateExpectation, equalQuality } from "./equal-quality.js";
import type { SavingsBody } from "./savings-schema.js";

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

/** Decisions are compared with models that were candidates of at least that share of the requests. */
const USUAL_SHARE = 0.5;

/** Sums up what decisions expected to save. */
export class ExpectedSavings {
  readonly #requests: {
    readonly decided: CandidateExpectation;
    readonly others: ReadonlyMap<string, CandidateExpectation>;
  }[] = [];
  #sampled = 0;
  /** Of answers whose bill is known. */
  #billedUsd = 0;
  #expectedUsd = 0;

  add({ status, attempts, routing, usage }: DecidedTrace): void {
    this.#sampled += 1;
    // A decision that was not executed has no attempts, and spends nothing.
    if (routing === null || status !== "success" || attempts.length === 0) return;
    const others = new Map<string, CandidateExpectation>();
    for (const { model, expected_quality: quality, expected_cost_usd: costUsd } of routing.candidates)
      if (costUsd !== null) others.set(model, { costUsd, quality });
    const decided = others.get(routing.selected_model);
    if (decided === undefined) return;
    this.#requests.push({ decided, others });
    if (usage?.total_cost_usd == null) return;
    this.#billedUsd += usage.total_cost_usd;
    this.#expectedUsd += decided.costUsd;
  }

  /** @param matching requests that the sample was drawn from */
  report(matching: number): Pick<SavingsBody, "decided" | "correction" | "equal_quality"> {
    const hasBills = this.#billedUsd > 0 && this.#expectedUsd > 0;
    const correction = hasBills ? this.#billedUsd / this.#expectedUsd : 1;
    return {
      decided: this.#requests.length,
      correction,
      equal_quality: equalQuality(this.#requests, this.#usualModels(), {
        matching,
        sampled: this.#sampled,
        correction,
      }),
    };
  }

  #usualModels(): readonly string[] {
    const counts = new Map<string, number>();
    for (const { others } of this.#requests)
      for (const model of others.keys()) counts.set(model, (counts.get(model) ?? 0) + 1);
    const least = USUAL_SHARE * this.#requests.length;
    return [...counts].flatMap(([model, requests]) => (requests >= least ? [model] : []));
  }
}
