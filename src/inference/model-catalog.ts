import type { CatalogProvider, Deployment } from "../catalog/deployments/deployment.js";
import type { ModelFacts } from "../router/candidate.js";

/** What inference asks of the catalog. */
export interface ModelCatalog {
  /**
   * Ways to run what a request names: a model id, `provider/id` or a deployment. Enabled ones first, then as configured;
   * empty when the name is unknown.
   */
  deployments(name: string): readonly Deployment[];
  /** What a decision reckons with where only that provider may answer. Total: unknown facts are null. */
  factsAt(model: string, provider: string): ModelFacts;
  /** Every provider, configured or not. */
  providers(): readonly CatalogProvider[];
  /** Id of a provider by its id or another name for it, such as `gemini`; undefined when there is none. */
  providerId(name: string): string | undefined;
  /** Whether a configured provider serves the model. */
  isRunnable(model: string): boolean;
  /** Models and deployments that a configured provider serves, for "did you mean". Asked only when a name is unknown. */
  runnableModels(): readonly string[];
}
