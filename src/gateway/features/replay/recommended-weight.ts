/** The one cost weight that every page recommends. */
import type { RecommendedWeight } from "../../../engine/estimation/saved-weight.js";
import { recommendedCostWeight } from "../../../engine/index.js";
import type { Estimate } from "../../../foundation/bootstrap.js";
import type { CostWeightListBody } from "../../api/cost-weights.js";
import type { ServerDependencies } from "../../dependencies.js";
import { DEFAULT_SAMPLE } from "../traces/schema/sample.js";
import { traceBody } from "../traces/schema/trace.js";
import { PastRequests } from "./past-requests.js";
import { Replay } from "./replay.js";

/** What past traffic says of a cost weight against the one that would be recommended without it. */
interface TrafficFinding {
  readonly costWeight: number;
  /** Of the spend, as a share of it, and of the mean expected quality. */
  readonly spend: Estimate;
  readonly quality: Estimate;
}

export interface WeightRecommendation {
  /** 0 to 1. */
  readonly costWeight: number;
  readonly basis: CostWeightListBody["recommended"]["basis"];
  /** What the profiles recommend, or the default: what past traffic is compared with. */
  readonly withoutTraffic: number;
  /** Past requests that were decided again; null before they were looked at, and where they cannot be. */
  readonly requests: number | null;
  /** The cheapest weight that costs clearly less, and that loses no point of quality; null when there is none. */
  readonly traffic: TrafficFinding | null;
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
  "traces" | "router" | "catalog" | "setReports" | "now" | "yieldThread"
>;

interface Finding extends Pick<WeightRecommendation, "requests" | "traffic"> {
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
    const { saved, withoutTraffic } = this.#withoutTraffic();
    const isOfThese = this.#finding?.of === this.#asked();
    const { requests = null, traffic = null } = (isOfThese && this.#finding) || {};
    if (traffic !== null)
      return { costWeight: traffic.costWeight, basis: "traffic", withoutTraffic, requests, traffic };
    return {
      costWeight: withoutTraffic,
      basis: saved ? "profiles" : "default",
      withoutTraffic,
      requests,
      traffic,
    };
  }

  #withoutTraffic() {
    const sets = this.dependencies.setReports.sets().map(({ recommended }) => recommended);
    return { saved: isSaved(sets), withoutTraffic: recommendedCostWeight(sets) };
  }

  #asked(): string {
    return `${this.dependencies.router.profileVersion} ${this.#withoutTraffic().withoutTraffic}`;
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

  async #lookNow(): Promise<void> {
    const { traces, router, catalog, now, yieldThread: pause } = this.dependencies;
    const of = this.#asked();
    const { withoutTraffic } = this.#withoutTraffic();
    const costWeights = [withoutTraffic, ...TRIED.filter((weight) => weight !== withoutTraffic)];
    const canRun = (model: string) => catalog.isRunnable(model);
    const replay = new Replay(router, { costWeights, canRun, requestsAtOnce: 1, pause });
    const past = new PastRequests();
    const filter = { startMs: now() - LOOKED_BACK_MS };
    for await (const batch of traces.export({ filter, most: DEFAULT_SAMPLE }, { scope: "all" })) {
      await replay.add(batch.flatMap((trace) => past.of(traceBody(trace, () => undefined)) ?? []));
      await pause();
    }
    const found: TrafficFinding[] = [];
    if (replay.count >= LEAST_REQUESTS)
      for (const [at, costWeight] of costWeights.entries()) {
        if (at === 0) continue;
        const { change: spend, quality } = replay.compared(at, 0);
        if (spend !== null && isCheaper(spend) && isAsGood(quality))
          found.push({ costWeight, spend, quality });
        await pause();
      }
    const [traffic = null] = found.sort((left, right) => left.spend.value - right.spend.value);
    this.#finding = { of, atMs: now(), requests: replay.count, traffic };
  }
}

const isCheaper = ({ high }: Estimate): boolean => high < 0;
const isAsGood = ({ low }: Estimate): boolean => low >= -MARGIN;

const isSaved = (sets: readonly (RecommendedWeight | null)[]): boolean =>
  sets.length === 1 && sets[0] !== null;
