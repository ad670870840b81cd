import type { Candidate, Decision, RouteRequest } from "../../../engine/router/decision.js";
import type { Router } from "../../../engine/router/router.js";
import type { ConversationMessage } from "../../../engine/router/routing-text.js";
import { bootstrapEstimates, type Estimate } from "../../../foundation/bootstrap.js";
import { SextantError } from "../../../foundation/errors.js";
import { AnswerCosts } from "./answer-costs.js";
import { QualityErrors } from "./quality-errors.js";
import type { ReplayMove, ReplayReport, ReplaySkips, ReplaySummary } from "./replay-report.js";

/** A finished request that is decided again. */
export interface PastRequest {
  readonly messages: readonly ConversationMessage[];
  /** The model that answered. */
  readonly model: string;
  /** What it was billed; null when that is not known. */
  readonly costUsd: number | null;
  /** As the provider counted; null when it did not. */
  readonly promptTokens: number | null;
  /** The limit of its answer; undefined without one, and where that is not known. */
  readonly maxTokens?: number | undefined;
  /** Models it may go to; null: all that can be chosen now. */
  readonly candidates: readonly string[] | null;
  /** Score in [0, 1] that its client gave the outcome; null without one. */
  readonly feedback: number | null;
}

/** Of the standard normal distribution, for 95 %. */
const NORMAL_95 = 1.96;
const REQUESTS_AT_ONCE = 64;
const RESAMPLES = 300;

export interface ReplayOptions {
  /** 0 to 1. */
  readonly costWeights: readonly number[];
  /** Whether a model can be run now; default: every model. */
  readonly canRun?: ((model: string) => boolean) | undefined;
  /** Requests that are decided together; 64 by default. */
  readonly requestsAtOnce?: number;
  /** Told of each request that is decided again: its candidates at the first cost weight, and the model that answered. */
  readonly onDecided?: (
    request: PastRequest,
    decided: { readonly candidates: readonly Candidate[]; readonly own: Candidate },
  ) => void;
  /** Awaited after each of a few decisions and each report, so that other work of the thread can run. */
  readonly pause?: () => Promise<void>;
}

/** What decides. */
export type ReplayRouter = Pick<Router, "prepareMany" | "profiles" | "liveModels" | "profileVersion">;

/** What one cost weight makes of one request. */
interface Replayed {
  readonly model: string;
  readonly quality: number;
  readonly qualityStderr: number;
  readonly costUsd: number | null;
}

interface DecidedRequest {
  readonly model: string;
  readonly costUsd: number | null;
  readonly expectedQuality: number;
  readonly qualityStderr: number;
  readonly expectedCostUsd: number | null;
  readonly feedback: number | null;
  /** In the order of the cost weights. */
  readonly chosen: readonly Replayed[];
}

/** Decides past requests again at several cost weights. Memory: some 100 bytes for each request and cost weight. */
export class Replay {
  readonly #router: ReplayRouter;
  readonly #costWeights: readonly number[];
  readonly #requestsAtOnce: number;
  readonly #onDecided: ReplayOptions["onDecided"];
  readonly #pause: () => Promise<void>;
  readonly #profiled: ReadonlySet<string>;
  /** What requests among all models choose among. */
  readonly #choosable: readonly string[];
  readonly #decided: DecidedRequest[] = [];
  readonly #skipped: ReplaySkips = { undecidable: 0 };

  constructor(
    router: ReplayRouter,
    {
      costWeights,
      canRun = () => true,
      requestsAtOnce = REQUESTS_AT_ONCE,
      onDecided,
      pause = async () => {},
    }: ReplayOptions,
  ) {
    this.#router = router;
    this.#costWeights = costWeights;
    this.#requestsAtOnce = requestsAtOnce;
    this.#onDecided = onDecided;
    this.#pause = pause;
    const live = router.liveModels();
    this.#profiled = new Set([...router.profiles().map(({ model }) => model), ...live]);
    this.#choosable = live.filter(canRun);
  }

  async add(requests: readonly PastRequest[]): Promise<void> {
    for (let start = 0; start < requests.length; start += this.#requestsAtOnce) {
      await this.#addSome(requests.slice(start, start + this.#requestsAtOnce));
    }
  }

  /** Requests that were decided again. */
  get count(): number {
    return this.#decided.length;
  }

  async summary(): Promise<ReplaySummary> {
    const rated = this.#decided.filter(({ feedback }) => feedback !== null);
    const reports: ReplayReport[] = [];
    for (const at of this.#costWeights.keys()) {
      reports.push(this.#report(at));
      await this.#pause();
    }
    return {
      reports,
      skipped: { ...this.#skipped },
      feedback:
        rated.length === 0
          ? null
          : {
              requests: rated.length,
              mean: mean(rated.map(({ feedback }) => feedback as number)),
              expected: mean(rated.map(({ expectedQuality }) => expectedQuality)),
            },
    };
  }

  /**
   * What one of the cost weights would have changed of what another one chooses, both by their place in the list. The interval of
   * the quality contains what is not known of the models on these prompts.
   */
  compared(
    at: number,
    against: number,
  ): Pick<ReplayReport["spend"], "change"> & { readonly quality: Estimate } {
    return { change: this.#spend(at, against).change, quality: this.#quality(at, against) };
  }

  async #addSome(requests: readonly PastRequest[]): Promise<void> {
    const open = requests.flatMap((request) => {
      const models = [...new Set(request.candidates ?? this.#choosable)].filter((model) =>
        this.#profiled.has(model),
      );
      const isDecidable = models.length > 1 && this.#profiled.has(request.model);
      if (!isDecidable) this.#skipped.undecidable += 1;
      return isDecidable ? [{ request, models }] : [];
    });
    const along = await this.#decide(
      open.map(({ request, models }) => routeRequest(request, models)),
      this.#costWeights,
    );
    // The model that answered need not be a candidate now.
    const others = open.filter(({ request, models }) => !models.includes(request.model));
    const beside = await this.#decide(
      others.map(({ request, models }) => routeRequest(request, [request.model, ...models])),
      [0],
    );
    const past = new Map(others.map(({ request }, at) => [request, beside[at]?.[0]]));
    open.forEach(({ request, request: { model, costUsd, feedback } }, index) => {
      const decisions = along[index] ?? null;
      const own = (past.has(request) ? past.get(request) : decisions?.[0])?.candidates.find(
        (candidate) => candidate.model === model,
      );
      if (own === undefined || decisions === null) {
        this.#skipped.undecidable += 1;
        return;
      }
      this.#onDecided?.(request, { candidates: decisions[0]?.candidates ?? [], own });
      this.#decided.push({
        model,
        costUsd,
        feedback,
        expectedQuality: own.expectedQuality,
        qualityStderr: own.qualityStderr,
        expectedCostUsd: own.expectedCostUsd,
        chosen: decisions.map(({ selectedModel, expectedQuality, expectedCostUsd, candidates }) => ({
          model: selectedModel,
          quality: expectedQuality,
          costUsd: expectedCostUsd,
          qualityStderr: candidates.find((each) => each.model === selectedModel)?.qualityStderr ?? 0,
        })),
      });
    });
  }

  /** At each of the cost weights; null for requests that cannot be decided. */
  async #decide(
    requests: readonly RouteRequest[],
    costWeights: readonly number[],
  ): Promise<(readonly Decision[] | null)[]> {
    if (requests.length === 0) return [];
    await this.#pause();
    try {
      const prepared = await this.#router.prepareMany(requests);
      return prepared.map((request) => costWeights.map((weight) => request.decideAt(weight)));
    } catch (error) {
      if (!(error instanceof SextantError)) throw error;
      if (requests.length === 1) return [null];
    }
    // One of them cannot be decided, and only deciding each alone shows which.
    const decisions: (readonly Decision[] | null)[] = [];
    for (const request of requests) decisions.push(...(await this.#decide([request], costWeights)));
    return decisions;
  }

  #report(at: number): ReplayReport {
    const decided = this.#decided;
    const changed = decided.filter(({ model, chosen }) => chosen[at]?.model !== model);
    return {
      costWeight: this.#costWeights[at] as number,
      profileVersion: this.#router.profileVersion,
      requests: decided.length,
      changed: changed.length,
      spend: this.#spend(at),
      quality: {
        actual: mean(decided.map(({ expectedQuality }) => expectedQuality)),
        change: this.#quality(at),
      },
      moves: movesOf(changed, at),
    };
  }

  /** @param against a cost weight's place; undefined: what was */
  #spend(at: number, against?: number): ReplayReport["spend"] {
    const billed = this.#decided.filter(
      ({ costUsd, expectedCostUsd, chosen }) =>
        costUsd !== null &&
        expectedCostUsd !== null &&
        chosen[at]?.costUsd !== null &&
        (against === undefined || chosen[against]?.costUsd !== null),
    );
    const costs = new AnswerCosts(
      billed.map(({ model, costUsd, expectedCostUsd }) => ({
        model,
        billedUsd: costUsd as number,
        expectedUsd: expectedCostUsd as number,
      })),
    );
    const costAt = (request: DecidedRequest, place: number | undefined): number => {
      if (place === undefined) return request.costUsd as number;
      const { model: next, costUsd: expected } = request.chosen[place] as Replayed;
      return next === request.model
        ? (request.costUsd as number)
        : (expected as number) * costs.ratioOf(next);
    };
    const predicted = billed.map((request) => costAt(request, at));
    const before = billed.map((request) => costAt(request, against));
    const sumOf = (values: readonly number[], weights: ArrayLike<number>): number =>
      values.reduce((sum, cost, index) => sum + cost * (weights[index] as number), 0);
    const { spend, change } = bootstrapEstimates(
      billed.length,
      {
        spend: (weights) => sumOf(predicted, weights),
        change: (weights) => sumOf(predicted, weights) / sumOf(before, weights) - 1,
      },
      { resamples: RESAMPLES },
    );
    // By model: what is predicted of it here, less what is predicted of it there.
    const moved = new Map<string, number>();
    const add = ({ model, chosen }: DecidedRequest, place: number | undefined, usd: number) => {
      const next = place === undefined ? model : (chosen[place] as Replayed).model;
      if (next !== model) moved.set(next, (moved.get(next) ?? 0) + usd);
    };
    billed.forEach((request, index) => {
      add(request, at, predicted[index] as number);
      add(request, against, -(before[index] as number));
    });
    const { below, above } = costs.errorsOf(moved);
    const actualUsd = before.reduce((sum, usd) => sum + usd, 0);
    return {
      requests: billed.length,
      actualUsd,
      predictedUsd: notBelow(0, widened(spend, below, above)),
      change: actualUsd > 0 ? notBelow(-1, widened(change, below / actualUsd, above / actualUsd)) : null,
    };
  }

  /** The change of the expected quality. @param against as of `#spend` */
  #quality(at: number, against?: number): Estimate {
    const pairs = this.#decided.map(({ model, expectedQuality, qualityStderr, chosen }) => ({
      before:
        against === undefined
          ? { model, quality: expectedQuality, qualityStderr }
          : (chosen[against] as Replayed),
      next: chosen[at] as Replayed,
    }));
    const differences = pairs.map(({ before, next }) => next.quality - before.quality);
    const { change } = bootstrapEstimates(
      differences.length,
      {
        change: (weights) => {
          let sum = 0;
          let total = 0;
          differences.forEach((difference, index) => {
            sum += difference * (weights[index] as number);
            total += weights[index] as number;
          });
          return sum / total;
        },
      },
      { resamples: RESAMPLES },
    );
    const errors = new QualityErrors();
    for (const { before, next } of pairs) {
      if (next.model === before.model) continue;
      errors.add(`to ${next.model}`, next.qualityStderr);
      errors.add(`from ${before.model}`, before.qualityStderr);
    }
    const further = (NORMAL_95 * errors.stderr) / differences.length;
    return widened(change, further, further);
  }
}

const routeRequest = (
  { messages, promptTokens, maxTokens }: PastRequest,
  models: readonly string[],
): RouteRequest => ({
  messages,
  models,
  ...(promptTokens !== null && { promptTokens }),
  ...(maxTokens !== undefined && { maxTokens }),
});

/** The interval with a further, independent one, so far below and above. */
const widened = ({ value, low, high }: Estimate, below: number, above: number): Estimate => ({
  value,
  low: value - Math.hypot(value - low, below),
  high: value + Math.hypot(high - value, above),
});

/** Nothing costs less than nothing. */
const notBelow = (least: number, { value, low, high }: Estimate): Estimate => ({
  value,
  low: Math.max(least, low),
  high,
});

function movesOf(changed: readonly DecidedRequest[], at: number): ReplayMove[] {
  const groups = new Map<string, DecidedRequest[]>();
  for (const request of changed) {
    const key = JSON.stringify([request.model, request.chosen[at]?.model]);
    groups.set(key, [...(groups.get(key) ?? []), request]);
  }
  return [...groups.values()]
    .map((group) => {
      const [first] = group as [DecidedRequest];
      return {
        from: first.model,
        to: (first.chosen[at] as Replayed).model,
        requests: group.length,
        quality: mean(
          group.map(({ expectedQuality, chosen }) => (chosen[at] as Replayed).quality - expectedQuality),
        ),
      };
    })
    .sort((a, b) => b.requests - a.requests);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
