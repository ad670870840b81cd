/** What `GET /v1/router/profiles` and `sextant profile inspect` say of one model's profile. */
export interface ProfileSummary {
  readonly model: string;
  /** Anchors the model was scored on. */
  readonly samples: number;
  readonly mean_quality: number;
  /** Mean cost of a profiled request at today's catalog price, or as measured; null when neither is known. */
  readonly mean_cost_usd: number | null;
  /** Anchors per benchmark. */
  readonly benchmarks: Readonly<Record<string, number>>;
  readonly embedder: string;
  /** ISO 8601, UTC. */
  readonly built_at: string;
  readonly version: string;
}
