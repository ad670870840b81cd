import type { CancelSignal } from "../../foundation/cancel-signal.js";
import { SextantError } from "../../foundation/errors.js";
import type { Embedder } from "../embedding/embedder.js";
import { type ReadPromptText, readPromptTexts } from "../embedding/read-prompt-texts.js";
import type { AnchorSet } from "../estimation/anchor-set.js";
import type { ProfileSummary } from "../estimation/profile-summary.js";
import { benchmarkScoresOf } from "./benchmark-scores.js";
import type { ModelAvailability, ModelLookup } from "./candidate.js";
import { type CostWeightMeaning, meaningOf, weightFor } from "./cost-weight.js";
import type { Decision, RouteRequest } from "./decision.js";
import type { LengthRatioOf } from "./estimate-candidates.js";
import { type DecidedFrom, explainedDecision, NEAREST_SHOWN } from "./explained-decision.js";
import type { BenchmarkScores, Explanation } from "./explanation.js";
import { EVERY_MODEL_AVAILABLE, type ModelCounts, watchLiveModels } from "./live-models.js";
import { nearestAnchors } from "./nearest-anchors.js";
import { choicesOf, type PreparedRequest, prepareRequest } from "./prepared-request.js";
import { routingText } from "./routing-text.js";
import { screenCandidates } from "./screening.js";
import { createSnapshot, type Snapshot, snapshotInSteps } from "./snapshot.js";
import type { SnapshotModel } from "./snapshot-models.js";

/** A set of profiles that was just loaded. */
export interface LoadedProfiles {
  readonly version: string;
  /** Models with a profile. */
  readonly count: number;
  /** Sentences for a log, such as which index serves a profile set. */
  readonly notes: readonly string[];
}

/**
 * Routes requests: combines the embedder, the profiles and the pure decision. Holds one immutable snapshot, replaced as
 * a whole, also when the facts of models change with the day: the first requests after that wait for it.
 */
export interface Router {
  /**
   * Decides which model should answer. Deterministic: the same request (its draw for exploration included) on the same
   * snapshot, with the same corrections of lengths, gives the same decision.
   *
   * @throws SextantError `missing_profiles`, `insufficient_models`, `no_profiles_available`
   */
  route(request: RouteRequest, options?: RouteOptions): Promise<Decision>;
  /** Decides many requests at once, in order; embedding them as one batch is faster than separate calls. */
  routeMany(requests: readonly RouteRequest[], options?: RouteOptions): Promise<Decision[]>;
  /** Embeds requests, to be decided at any cost weight. For thousands of them, decide at 0 and above at once: only then is little kept. */
  prepareMany(requests: readonly RouteRequest[], options?: RouteOptions): Promise<readonly PreparedRequest[]>;
  /** A decision, the choice at other cost weights, and the evidence: a few milliseconds. @throws as `route` */
  explain(request: RouteRequest, options?: RouteOptions): Promise<Explanation>;
  /** Mean score of each profiled model on each benchmark. The first call after a load takes about 100 ms. */
  benchmarkScores(): BenchmarkScores;
  /** One entry per profiled model, by model id. */
  profiles(): readonly ProfileSummary[];
  /** What a choice among all models considers, by id: available models, at each effort that no other one dominates. */
  liveModels(): readonly string[];
  /** How many models there are, and which filter takes how many away. */
  modelCounts(canRun: (model: string) => boolean): ModelCounts;
  /** Efforts that a choice among all models leaves out, and for each the effort of the same model that is no worse and costs no more. */
  dominatedEfforts(): ReadonlyMap<string, string>;
  /** What a cost weight means in dollars, on the prompts that the sets measured it on; null where none did. */
  meaningOf(costWeight: number): CostWeightMeaning | null;
  /** Version of the loaded snapshot: changes with anything that affects decisions, except length corrections. */
  readonly profileVersion: string;
  /**
   * Combines other sets while requests go on, then uses them from the next request on; pending requests finish on
   * the sets they began with. An error leaves the router unchanged. Of several calls at once, the last one counts.
   */
  replaceSets(sets: readonly AnchorSet[]): Promise<void>;
  close(): Promise<void>;
}

interface RouteOptions {
  readonly signal?: CancelSignal;
}

interface Prepared {
  readonly request: RouteRequest;
  readonly prepared: PreparedRequest;
  readonly from: DecidedFrom;
}

export interface RouterDependencies {
  readonly embedder: Embedder;
  /** All bound to the embedder's fingerprint. When empty, every request fails with `no_profiles_available`. */
  readonly sets: readonly AnchorSet[];
  readonly lookup: ModelLookup;
  /** Ratio of a model's answer lengths to the profiled ones, > 0; may change at any time. Default: 1 for every model. */
  readonly lengthRatioOf?: LengthRatioOf | undefined;
  /** Which models are available today. Default: all of them. */
  readonly availability?: ModelAvailability;
  /** Milliseconds from any origin; only for the reported timings. */
  readonly clock: () => number;
  /** Calls a step until it returns true, and lets other work of the thread run in between. Default: all steps at once. */
  readonly runSteps?: (step: () => boolean) => Promise<void>;
}

export function createRouter(dependencies: RouterDependencies): Router {
  const { embedder, sets, lookup, lengthRatioOf, clock, runSteps = atOnce } = dependencies;
  const { availability = EVERY_MODEL_AVAILABLE } = dependencies;
  const liveModels = watchLiveModels(availability);
  let epoch = availability.epoch();
  let current = createSnapshot(sets, lookup, { lengthRatioOf });
  let currentSets = sets;
  let [combinations, following]: [number, Promise<void> | undefined] = [0, undefined];
  let benchmarkScores: BenchmarkScores | undefined;
  const explaining = { lengthRatioOf, answerLength: embedder.answerLength };

  async function routeMany(asked: readonly RouteRequest[], options?: RouteOptions): Promise<Decision[]> {
    return (await prepareAll(asked, options)).map(({ request, prepared, from }) => {
      const decision = prepared.decideAt(request.costWeight ?? 0);
      return request.explain === true ? explainedDecision(decision, from, explaining) : decision;
    });
  }

  /** Of several calls at once, the last one counts. */
  async function combine(replacement: readonly AnchorSet[]): Promise<void> {
    epoch = availability.epoch();
    const combination = ++combinations;
    const next = await resultOf(snapshotInSteps(replacement, lookup, { lengthRatioOf }), runSteps);
    if (combination !== combinations) return;
    current = next;
    currentSets = replacement;
    benchmarkScores = undefined;
  }

  async function prepareAll(asked: readonly RouteRequest[], options?: RouteOptions): Promise<Prepared[]> {
    if (availability.epoch() !== epoch) {
      following = combine(currentSets).finally(() => {
        following = undefined;
      });
    }
    // Prices of a new day: some tenths of a second, a few times a year.
    if (following !== undefined) await following;
    const [snapshot, sets] = [current, currentSets];
    if (snapshot.models.length === 0) {
      throw new SextantError(
        "no_profiles_available",
        "No profile set is loaded, so there is nothing to choose between. Point SEXTANT_PROFILES at a profile set.",
      );
    }
    const screened = asked.map((given) => {
      const request = withCostWeight(given, snapshot);
      const live = liveModels(snapshot);
      return { request, live, screening: screenCandidates(request, snapshot, live) };
    });
    const started = clock();
    const texts = asked.map(({ messages }) => routingText(messages));
    const readings = await readPromptTexts(embedder, texts, options);
    const embedMs = (clock() - started) / Math.max(asked.length, 1);
    return screened.map(({ request, live, screening }, index) => {
      const { text, vector, facts: prompt } = readings[index] as ReadPromptText;
      const { promptTokens, candidates } = screening;
      return {
        request,
        prepared: prepareRequest(snapshot, vector, { request, screening, live, prompt, embedMs, clock }),
        from: { snapshot, sets, vector, text, prompt, promptTokens, candidates },
      };
    });
  }

  return {
    route: async (request, options) => (await routeMany([request], options))[0] as Decision,
    routeMany,
    prepareMany: async (asked, options) => (await prepareAll(asked, options)).map(({ prepared }) => prepared),
    async explain(asked, options) {
      const [decided] = (await prepareAll([asked], options)) as [Prepared];
      const { request, prepared, from } = decided;
      const { previous, exploration, ...alone } = asked;
      const [other] = (previous ?? exploration) ? await prepareAll([alone], options) : [decided];
      return {
        decision: explainedDecision(prepared.decideAt(request.costWeight ?? 0), from, explaining),
        choices: choicesOf((other ?? decided).prepared),
        nearest: nearestAnchors(from.sets, from.vector, NEAREST_SHOWN),
      };
    },
    benchmarkScores() {
      benchmarkScores ??= benchmarkScoresOf(currentSets);
      return benchmarkScores;
    },
    profiles: () => current.summaries,
    liveModels: () => liveModels(current).choosable.map(({ model }) => model),
    dominatedEfforts: () => current.dominated,
    modelCounts(canRun) {
      const { models, choosable } = liveModels(current);
      const loaded = current.models.map(({ model }) => model);
      const runnable = ({ model }: SnapshotModel): boolean => canRun(model);
      return {
        profiled: new Set([...loaded, ...currentSets.flatMap(({ leftOut }) => leftOut)]).size,
        live: models.length,
        runnable: models.filter(runnable).length,
        candidates: choosable.filter(runnable).length,
      };
    },
    meaningOf: (costWeight) => meaningOf(costWeight, current.meanCosts),
    get profileVersion() {
      return current.version;
    },
    replaceSets: combine,
    close: () => embedder.close(),
  };
}

/** The request with the cost weight that its highest mean cost comes to, or its own if that is higher. @throws SextantError `invalid_request` where no set knows mean costs */
function withCostWeight(request: RouteRequest, { meanCosts }: Snapshot): RouteRequest {
  const { maxMeanCostUsd, costWeight: least = 0, ...rest } = request;
  if (maxMeanCostUsd === undefined) return request;
  if (meanCosts !== null)
    return { ...rest, costWeight: Math.max(weightFor(maxMeanCostUsd, meanCosts), least) };
  throw new SextantError(
    "invalid_request",
    "`max_mean_cost_usd` needs the mean cost of requests, and none of the loaded profiles has it. Build them again where the prices of two models are known, or use `cost_weight`.",
    { param: "max_mean_cost_usd" },
  );
}

async function resultOf<Result>(
  steps: Generator<void, Result, void>,
  runSteps: NonNullable<RouterDependencies["runSteps"]>,
): Promise<Result> {
  let next = steps.next();
  await runSteps(() => {
    if (next.done !== true) next = steps.next();
    return next.done === true;
  });
  return next.value as Result;
}

async function atOnce(step: () => boolean): Promise<void> {
  while (!step());
}
