/** What a recommended cost weight keeps to: a loss of quality, a cost, or the knee of both. */
export const WEIGHT_RULES = ["max_loss", "max_cost", "knee"] as const;

/** A cost weight that was chosen on held-out prompts and saved in a profile set. Decisions do not depend on it. */
export interface RecommendedWeight {
  /** 0 to 1. */
  readonly cost_weight: number;
  /** `max_loss`: the cheapest within a loss of quality; `max_cost`: the best within a cost; `knee`: that of both. */
  readonly rule: (typeof WEIGHT_RULES)[number];
  /** Of `max_loss`, as a share of 1, or of `max_cost`, in US dollars a prompt; null for `knee`. */
  readonly limit: number | null;
  /** Held-out prompts that it was chosen by. */
  readonly prompts: number;
  /** ISO 8601, UTC. */
  readonly saved_at: string;
  /** False when the set has changed since, such as by a model that was added: tune it again. */
  readonly is_current: boolean;
}
