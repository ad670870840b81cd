import type { Catalog } from "../../engine/catalog/catalog.js";
import type { ModelFacts } from "../../engine/router/candidate.js";

/** What of the catalog inference uses. */
export interface ModelCatalog
  extends Pick<Catalog, "deployments" | "providers" | "providerId" | "isRunnable" | "runnableModels"> {
  /** What a decision reckons with where only that provider may answer. Total: unknown facts are null. */
  factsAt(model: string, provider: string): ModelFacts;
}
