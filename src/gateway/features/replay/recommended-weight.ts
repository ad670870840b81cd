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
  /** What past traffic is compared with: the weight in use; `otherwise` where the evidence is for the one in use. */
  readonly against: number;
  /** Comparisons that the evidence rests on, else past requests that were decided again; null before they were looked at. */
  readonly requests: number | null;
  /**
   * For the cheapest weight that costs clearly less than the one in use and rules out a loss of a point of quality, or for the one in
   * use, where it does so against `otherwise`; null when there is none.
   */
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
> & { readonly limits: Pick<ServerDependencies["limits"], "autoCostWeight"> };

interface Found extends Pick<WeightRecommendation, "requests" | "against"> {
  readonly found: Evidence | undefined;
}

interface Finding extends Found {
  /** Of the profiles, and what they recommend. */
  readonly of: string;
  readonly inUse: number;
  readonly atMs: number;
}

/** Recommends by what is known; what past traffic says is looked up at most once an hour, and again when the profiles or the weight in use change. */
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
    const { requests = null, against = this.#inUse, found } = (isOfThese && this.#finding) || {};
    const known = { otherwise, against, requests };
    // It stays once it is used, until the next look; what is less than the weight in use costs more.
    if (found !== undefined && found.costWeight >= this.#inUse) {
      const { basis, ...evidence } = found;
      return { costWeight: found.costWeight, basis, ...known, evidence };
    }
    return { costWeight: otherwise, basis: saved ? "profiles" : "default", ...known, evidence: null };
  }

  get #inUse(): number {
    return this.dependencies.limits.autoCostWeight;
  }

  #otherwise() {
    const sets = this.dependencies.setReports.sets().map(({ recommended }) => recommended);
    return { saved: isSaved(sets), otherwise: recommendedCostWeight(sets) };
  }

  #asked(): string {
    return `${this.dependencies.router.profileVersion} ${this.#otherwise().otherwise}`;
  }

  #isFresh(): boolean {
    const { of, inUse, atMs = Number.NEGATIVE_INFINITY } = this.#finding ?? {};
    const isOfThese = of === this.#asked() && inUse === this.#inUse;
    return isOfThese && this.dependencies.now() - atMs < KEPT_MS;
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
    const inUse = this.#inUse;
    const found = (await this.#comparedBlind(inUse)) ?? (await this.#decidedAgain(inUse));
    this.#finding = { of, inUse, atMs: this.dependencies.now(), ...found };
  }

  /** Of those for all requests, with a cost weight that does not cost more than the one in use. */
  async #comparedBlind(inUse: number): Promise<Found | undefined> {
    const { comparisons, now } = this.dependencies;
    const results = await comparisons.results();
    const found = comparisons.entries().flatMap(({ name, with: other, preset, key, source, metadata }) => {
      const costWeight = Number(/^auto:([\d.]+)$/.exec(other)?.[1] ?? Number.NaN);
      const isOfAll = [preset, key, source, metadata].every((filter) => filter === undefined);
      if (!isOfAll || !(costWeight >= inUse && costWeight <= 1)) return [];
      const report = comparisonReport({ name, with: other }, results, now());
      const { quality, bill_change: spend, comparisons: requests } = report;
      if (spend === null || !isCheaper(spend) || !isAsGood(quality)) return [];
      return [
        { requests, against: inUse, found: { basis: "comparisons" as const, costWeight, spend, quality } },
      ];
    });
    return found.sort((left, right) => left.found.spend.value - right.found.spend.value)[0];
  }

  async #decidedAgain(inUse: number): Promise<Found> {
    const { traces, router, catalog, now, yieldThread: pause } = this.dependencies;
    const { otherwise } = this.#otherwise();
    const costWeights = [...new Set([inUse, otherwise, ...TRIED])];
    const canRun = (model: string) => catalog.isRunnable(model);
    const replay = new Replay(router, { costWeights, canRun, requestsAtOnce: 1, pause });
    const past = new PastRequests();
    const filter = { startMs: now() - LOOKED_BACK_MS };
    for await (const batch of traces.export({ filter, most: DEFAULT_SAMPLE }, { scope: "all" })) {
      await replay.add(batch.flatMap((trace) => past.of(traceBody(trace, () => undefined)) ?? []));
      await pause();
    }
    const requests = replay.count;
    if (requests < LEAST_REQUESTS) return { requests, against: inUse, found: undefined };
    const better = (at: number, against: number): Evidence[] => {
      const { change: spend, quality } = replay.compared(at, against);
      const isBetter = spend !== null && isCheaper(spend) && isAsGood(quality);
      return isBetter ? [{ basis: "traffic", costWeight: costWeights[at] as number, spend, quality }] : [];
    };
    const reference = costWeights.indexOf(otherwise);
    const found: Evidence[] = [];
    for (const at of costWeights.keys()) {
      // Weights that are used one after the other must not each lose a little.
      if (isAsGood(replay.compared(at, reference).quality)) found.push(...better(at, 0));
      await pause();
    }
    const [cheapest] = found.sort((left, right) => left.spend.value - right.spend.value);
    if (cheapest !== undefined) return { requests, against: inUse, found: cheapest };
    const [kept] = better(0, reference);
    return { requests, against: kept === undefined ? inUse : otherwise, found: kept };
  }
}

const isCheaper = ({ high }: Estimate): boolean => high < 0;
const isAsGood = ({ low }: Estimate): boolean => low >= -MARGIN;

const isSaved = (sets: readonly (RecommendedWeight | null)[]): boolean =>
  sets.length === 1 && sets[0] !== null;
