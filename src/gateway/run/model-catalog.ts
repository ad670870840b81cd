import type { CatalogProvider, Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { ModelFacts } from "../../engine/router/candidate.js";

/** The functions of the catalog that inference uses. */
export interface ModelCatalog {
  /**
   * Deployments for a model id, `provider/id` or a configured name. Enabled ones first, then in the configured order;
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
  /** Models and deployments of configured providers, for suggestions in errors about unknown names. */
  runnableModels(): readonly string[];
}
