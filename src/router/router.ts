import type { ProfileSummary } from "../profiles/summary.js";
import type { Decision, RouteRequest } from "./decision.js";

/** Text in, decision out. Joins embedder, profiles and the pure core; holds one immutable snapshot, swapped whole. */
export interface Router {
  /**
   * Decides which model should answer. Deterministic: the same request on the same snapshot gives the same decision.
   *
   * @throws SextantError `missing_profiles`, `insufficient_models`, `no_profiles_available`
   */
  route(request: RouteRequest, options?: { readonly signal?: AbortSignal }): Promise<Decision>;
  /** One entry per profiled model, by model id. */
  profiles(): readonly ProfileSummary[];
  /** Version of the loaded snapshot: changes whenever any decision could. */
  readonly profileVersion: string;
  close(): Promise<void>;
}
