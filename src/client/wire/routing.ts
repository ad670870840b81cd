/** One upstream call. */
export interface Attempt {
  provider: string;
  model: string;
  /** HTTP status of the provider's reply; null without one. */
  status: number | null;
  /** `ok`, or what went wrong. */
  code: string;
  latency_ms: number;
}

/** What a model's profile rests on: graded answers, published scores, or both. */
export type Basis = "measured" | "placed" | "both";

/** A model that could have been chosen. */
export interface Candidate {
  model: string;
  provider: string | null;
  /** In [0, 1]. */
  expected_quality: number;
  /** Standard error of `expected_quality`. */
  quality_stderr: number;
  /** Null when no price is known. */
  expected_cost_usd: number | null;
  /** Adjusted for cost; higher is better. */
  score: number;
  /** Effective number of profiled prompts behind the estimate. */
  evidence: number;
  basis: Basis;
}

export interface ExcludedModel {
  model: string;
  reason:
    | "context_window"
    | "images_unsupported"
    | "tools_unsupported"
    | "unknown_price"
    | "no_provider"
    | "retired"
    | "not_served";
  /** For `retired`: the vendor's day, `2026-01-31`, where it is known. */
  retired_at?: string | undefined;
}

/** How a model was chosen. */
export interface Routing {
  selected_model: string;
  selected_provider: string | null;
  expected_quality: number;
  /** 1 − `expected_quality`. */
  expected_error: number;
  expected_cost_usd: number | null;
  /** Hidden reasoning included; null when the profile of the model has only costs. */
  expected_answer_tokens: number | null;
  cost_adjusted_score: number;
  cost_weight: number;
  /** Probability that the chosen model is at least as good as the runner-up. */
  confidence: number;
  /** One sentence for a person. */
  reason: string;
  /** Score by model. */
  all_scores: Record<string, number>;
  /** The chosen one first, then by score, cost and id. */
  candidates: readonly Candidate[];
  excluded: readonly ExcludedModel[];
  /** Cosine similarity of the nearest profiled prompt. */
  nearest_similarity: number;
  /** True when there is no evidence near the prompt: estimates then rest on what models do overall. */
  out_of_distribution: boolean;
  profile_version: string;
  timings_ms: { embed: number; search: number; score: number; total: number };
}

/** The decision behind an answer, and the calls that were made for it, the one that answered last. */
export interface ExecutedRouting extends Routing {
  attempts: readonly Attempt[];
}

/** A decision that was not executed. */
export interface RouterDecision {
  /** `route-` and a ULID. */
  id: string;
  object: "router.decision";
  /** Seconds since the epoch. */
  created: number;
  /** The chosen model. */
  model: string;
  choices: never[];
  usage: null;
  request_id: string;
  routing: Routing;
}

/** A score that somebody published of a model; its figure stays with its publisher. */
export interface PublishedScore {
  benchmark: string;
  source: string;
  /** ISO 8601, to the day or the month; null when the source gives none. */
  date: string | null;
}

/** What one model is known to be good at. */
export interface Profile {
  model: string;
  basis: Basis;
  /** Profiled prompts the model was scored on. */
  samples: number;
  /** In [0, 1]; the difficulty of prompts taken out: comparable between models. */
  expected_quality: number;
  /** Standard error of `expected_quality`. */
  quality_stderr: number;
  /** In [0, 1], over the prompts the model was scored on, easy or hard as they are: not comparable between models. */
  mean_quality: number;
  mean_cost_usd: number | null;
  /** How long its answers in use are against what its profile expects; null while none is known. */
  length_correction: { ratio: number; answers: number } | null;
  /** Profiled prompts by benchmark. */
  benchmarks: Record<string, number>;
  /** What the model was placed by. */
  published: readonly PublishedScore[];
  embedder: string;
  /** ISO 8601, UTC. */
  built_at: string;
  version: string;
}

export interface ProfileList {
  object: "list";
  data: Profile[];
  /** The model ids alone. */
  profiles: string[];
  count: number;
  request_id: string;
}
