import type { Basis } from "../../src/engine/estimation/basis.js";
import type { ProfileSummary } from "../../src/engine/estimation/profile-summary.js";
import type { Candidate, Decision, RouteRequest } from "../../src/engine/router/decision.js";
import type { BenchmarkScores, Explanation } from "../../src/engine/router/explanation.js";
import { explore } from "../../src/engine/router/explore.js";
import type { ModelCounts } from "../../src/engine/router/live-models.js";
import type { PreparedRequest } from "../../src/engine/router/prepared-request.js";
import type { Router } from "../../src/engine/router/router.js";
import { distinctModels } from "../../src/engine/router/screening.js";
import { SextantError } from "../../src/foundation/errors.js";

export interface FakeModel {
  readonly model: string;
  readonly provider: string | null;
  readonly quality: number;
  readonly costUsd: number | null;
  /** Default 200. */
  readonly answerTokens?: number;
  /** Default null. */
  readonly effort?: string;
  /** Default "measured". */
  readonly basis?: Basis;
}

const FAKE_MODELS: readonly FakeModel[] = [
  { model: "large", provider: "openai", quality: 0.9, costUsd: 0.01 },
  { model: "medium", provider: "anthropic", quality: 0.8, costUsd: 0.002 },
  { model: "small", provider: null, quality: 0.6, costUsd: null, basis: "placed" },
];

/** A router whose answers can be worked out by hand: it ignores the prompt and ranks by quality. */
export class FakeRouter implements Router {
  readonly profileVersion = "fake-1";
  readonly requests: RouteRequest[] = [];
  closed = false;

  constructor(
    private readonly models: readonly FakeModel[] = FAKE_MODELS,
    readonly meaningOf: Router["meaningOf"] = () => null,
  ) {}

  async route(request: RouteRequest): Promise<Decision> {
    this.requests.push(request);
    const known = this.models.map(({ model }) => model);
    const wanted = request.models === undefined ? known : distinctModels(request.models);
    const missing = wanted.filter((model) => !known.includes(model));
    if (missing.length > 0) {
      throw new SextantError("missing_profiles", `No profile for ${missing.join(", ")}.`, {
        param: "models",
        extra: { missing_profiles: missing, available_profiles: known },
      });
    }
    return this.#decide(wanted, request);
  }

  routeMany(requests: readonly RouteRequest[]): Promise<Decision[]> {
    return Promise.all(requests.map((request) => this.route(request)));
  }

  async prepareMany(requests: readonly RouteRequest[]): Promise<readonly PreparedRequest[]> {
    await this.routeMany(requests);
    return requests.map((request) => ({
      decideAt: (costWeight) =>
        this.#decide(request.models ?? this.models.map(({ model }) => model), { ...request, costWeight }),
    }));
  }

  dominatedEfforts(): ReadonlyMap<string, string> {
    return new Map();
  }

  liveModels(): readonly string[] {
    return this.models.map(({ model }) => model);
  }

  modelCounts(canRun: (model: string) => boolean): ModelCounts {
    const live = this.models.length;
    const runnable = this.models.filter(({ model }) => canRun(model)).length;
    return { profiled: live, live, runnable, candidates: runnable };
  }

  async calibrate(): Promise<void> {}

  async explain(request: RouteRequest): Promise<Explanation> {
    const decision = await this.route(request);
    const { selectedModel: model, expectedQuality, expectedCostUsd } = decision;
    const scores = new Map(this.models.map((model) => [model.model, model.quality]));
    return {
      decision,
      choices: [{ fromCostWeight: 0, model, expectedQuality, expectedCostUsd }],
      nearest: [{ benchmark: "mmlu_pro", similarity: 0.64, ease: 0.5, scores }],
    };
  }

  benchmarkScores(): BenchmarkScores {
    return new Map(
      this.models.map(({ model, quality }) => [
        model,
        [{ benchmark: "mmlu_pro", samples: 60, meanQuality: quality }],
      ]),
    );
  }

  async replaceSets(): Promise<void> {
    throw new Error("the fake router has no sets");
  }

  #decide(wanted: readonly string[], { costWeight = 0, exploration: asked }: RouteRequest): Decision {
    const decided = this.models
      .filter(({ model }) => wanted.includes(model))
      .map((model): Candidate => {
        const score = model.quality - costWeight * (model.costUsd ?? 0);
        const { answerTokens: tokens = 200, basis = "measured", effort = null } = model;
        return {
          model: model.model,
          effort,
          provider: model.provider,
          expectedQuality: model.quality,
          qualityStderr: 0.03,
          expectedCostUsd: model.costUsd,
          highCostUsd: model.costUsd === null ? null : 2 * model.costUsd,
          answerTokens: { profiled: tokens, expected: tokens, reasoning: 0 },
          score,
          evidence: 41.25,
          basis,
        };
      })
      .sort((left, right) => right.score - left.score);
    const { candidates, exploration } =
      asked === undefined || decided.length === 0
        ? { candidates: decided, exploration: null }
        : explore(decided, asked);
    const [selected] = candidates;
    if (selected === undefined) throw new SextantError("no_profiles_available", "No profiles are loaded.");
    return {
      selectedModel: selected.model,
      selectedProvider: selected.provider,
      expectedQuality: selected.expectedQuality,
      expectedCostUsd: selected.expectedCostUsd,
      expectedAnswerTokens: selected.answerTokens.expected,
      score: selected.score,
      costWeight,
      confidence: 0.71,
      reason: "best expected quality",
      exploration,
      candidates,
      excluded: [],
      nearestSimilarity: 0.64,
      outOfDistribution: false,
      profileVersion: this.profileVersion,
      timingsMs: { embed: 0.0512345, search: 0.05, score: 0.01, total: 0.1212345 },
    };
  }

  profiles(): readonly ProfileSummary[] {
    return this.models.map(({ model, quality, costUsd, basis = "measured" }) => ({
      model,
      basis,
      samples: basis === "placed" ? 0 : 100,
      mean_quality: basis === "placed" ? 0 : quality,
      expected_quality: quality,
      quality_stderr: basis === "placed" ? 0.08 : 0.02,
      mean_cost_usd: costUsd,
      benchmarks: basis === "placed" ? {} : { mmlu_pro: 60, zeroeval: 40 },
      published:
        basis === "measured" ? [] : [{ benchmark: "gpqa_diamond", source: "example", date: "2026-10-01" }],
      predecessor: null,
      dominated_by: null,
      embedder: "fake",
      built_at: "2026-01-02T03:04:05.000Z",
      version: "v1",
    }));
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
