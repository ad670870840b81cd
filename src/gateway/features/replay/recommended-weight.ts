/** The one cost weight that every page recommends. */
import type { RecommendedWeight } from "../../../engine/estimation/saved-weight.js";
import { recommendedCostWeight } from "../../../engine/index.js";
import type { Estimate } from "../../../foundation/bootstrap.js";
import type { CostWeightListBody } from "../../api/cost-weights.js";
import type { ServerDependencies } from "../../dependencies.js";
import { comparisonReport } from "../comparisons/report.js";
import { DEFAULT_SAMPLE } from "../traces/schema/sample.js";
import { traceBody } from "../traces/schema/trace.js";
import { PastRequests } from "./past-requests.js";
import { Replay } from "./replay.js";

/** What is known of a cost weight: against what was served (`comparisons`), or what would be recommended otherwise (`traffic`). */
interface Evidence {
  readonly basis: "comparisons" | "traffic";
  readonly costWeight: number;
  /** Changes of the spend, as a share of it, and of the mean quality: measured by comparisons, expected of traffic. */
  readonly spend: Estimate;
  readonly quality: Estimate;
}

export interface WeightRecommendation {
  /** 0 to 1. */
  readonly costWeight: number;
  readonly basis: CostWeightListBody["recommended"]["basis"];
  /** What the profiles recommend, or the default. */
  readonly otherwise: number;
  /** Comparisons that the evidence rests on, else past requests that were decided again; null before they were looked at. */
  readonly requests: number | null;
  /** For the cheapest weight that costs clearly less and rules out a loss of a point of quality; null when there is none. */
  readonly evidence: Omit<Evidence, "basis"> | null;
}

/** A smaller loss of quality is as good as none: a point, as in comparisons. */
const MARGIN = 0.01;
const TRIED = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
/** Fewer say nothing (guess). */
const LEAST_REQUESTS = 50;
const LOOKED_BACK_MS = 30 * 86_400_000;
/** How long a finding is kept: deciding the requests again takes seconds. */
const KEPT_MS = 3_600_000;

type Dependencies = Pick<
  ServerDependencies,
  "traces" | "router" | "catalog" | "setReports" | "comparisons" | "now" | "yieldThread"
>;

interface Finding extends Pick<WeightRecommendation, "requests"> {
  readonly found: Evidence | undefined;
  /** Of the profiles, and what is compared with. */
  readonly of: string;
  readonly atMs: number;
}

/** Recommends by what is known; what past traffic says is looked up at most once an hour, and again when the profiles change. */
export class WeightRecommender {
  #finding: Finding | undefined;
  #looking: Promise<void> | undefined;

  constructor(private readonly dependencies: Dependencies) {}

  /** By what is known at once. Past traffic that has not been looked at for an hour is looked at afterwards. */
  get current(): WeightRecommendation {
    if (!this.#isFresh()) void this.#look();
    return this.#recommendation();
  }

  /** As `current`, once past traffic has been looked at. */
  async fresh(): Promise<WeightRecommendation> {
    if (!this.#isFresh()) await this.#look();
    return this.#recommendation();
  }

  #recommendation(): WeightRecommendation {
    const { saved, otherwise } = this.#otherwise();
    const isOfThese = this.#finding?.of === this.#asked();
    const { requests = null, found } = (isOfThese && this.#finding) || {};
    if (found !== undefined) {
      const { basis, ...evidence } = found;
      return { costWeight: found.costWeight, basis, otherwise, requests, evidence };
    }
    return {
      costWeight: otherwise,
      basis: saved ? "profiles" : "default",
      otherwise,
      requests,
      evidence: null,
    };
  }

  #otherwise() {
    const sets = this.dependencies.setReports.sets().map(({ recommended }) => recommended);
    return { saved: isSaved(sets), otherwise: recommendedCostWeight(sets) };
  }

  #asked(): string {
    return `${this.dependencies.router.profileVersion} ${this.#otherwise().otherwise}`;
  }

  #isFresh(): boolean {
    const { of, atMs = Number.NEGATIVE_INFINITY } = this.#finding ?? {};
    return of === this.#asked() && this.dependencies.now() - atMs < KEPT_MS;
  }

  /** One look at a time. Where traces cannot be read, the next question looks again. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookNow()
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** Comparisons have measured what past traffic lets expect. */
  async #lookNow(): Promise<void> {
    const of = this.#asked();
    const found = (await this.#comparedBlind()) ?? (await this.#decidedAgain());
    this.#finding = { of, atMs: this.dependencies.now(), ...found };
  }

  /** Of those for all requests, with a cost weight. */
  async #comparedBlind(): Promise<Pick<Finding, "requests" | "found"> | undefined> {
    const { comparisons, now } = this.dependencies;
    const results = await comparisons.results();
    const found = comparisons.entries().flatMap(({ name, with: other, preset, key, source, metadata }) => {
      const costWeight = Number(/^auto:([\d.]+)$/.exec(other)?.[1] ?? Number.NaN);
      const isOfAll = [preset, key, source, metadata].every((filter) => filter === undefined);
      if (!isOfAll || !(costWeight <= 1)) return [];
      const report = comparisonReport({ name, with: other }, results, now());
      const { quality, bill_change: spend, comparisons: requests } = report;
      if (spend === null || !isCheaper(spend) || !isAsGood(quality)) return [];
      return [{ requests, found: { basis: "comparisons" as const, costWeight, spend, quality } }];
    });
    return found.sort((left, right) => left.found.spend.value - right.found.spend.value)[0];
  }

  async #decidedAgain(): Promise<Pick<Finding, "requests" | "found">> {
    const { traces, router, catalog, now, yieldThread: pause } = this.dependencies;
    const { otherwise } = this.#otherwise();
    const costWeights = [otherwise, ...TRIED.filter((weight) => weight !== otherwise)];
    const canRun = (model: string) => catalog.isRunnable(model);
    const replay = new Replay(router, { costWeights, canRun, requestsAtOnce: 1, pause });
    const past = new PastRequests();
    const filter = { startMs: now() - LOOKED_BACK_MS };
    for await (const batch of traces.export({ filter, most: DEFAULT_SAMPLE }, { scope: "all" })) {
      await replay.add(batch.flatMap((trace) => past.of(traceBody(trace, () => undefined)) ?? []));
      await pause();
    }
    const found: Evidence[] = [];
    if (replay.count >= LEAST_REQUESTS)
      for (const [at, costWeight] of costWeights.entries()) {
        if (at === 0) continue;
        const { change: spend, quality } = replay.compared(at, 0);
        if (spend !== null && isCheaper(spend) && isAsGood(quality))
          found.push({ basis: "traffic", costWeight, spend, quality });
        await pause();
      }
    const [cheapest] = found.sort((left, right) => left.spend.value - right.spend.value);
    return { requests: replay.count, found: cheapest };
  }
}

const isCheaper = ({ high }: Estimate): boolean => high < 0;
const isAsGood = ({ low }: Estimate): boolean => low >= -MARGIN;

const isSaved = (sets: readonly (RecommendedWeight | null)[]): boolean =>
  sets.length === 1 && sets[0] !== null;
