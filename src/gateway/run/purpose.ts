/** Selects deployments by the purpose of a request: answers or embeddings. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { LOCAL_DEPLOYMENT, LOCAL_EMBEDDER } from "../../engine/index.js";
import { SextantError } from "../../foundation/errors.js";
import type { ModelCatalog } from "./model-catalog.js";

type Purpose = "answers" | "embeddings";

export interface ServingOptions {
  readonly purpose: Purpose;
  /** Fallbacks of the request, for naming the field with a model of the other kind. */
  readonly fallbacks: readonly string[];
}

/**
 * The catalog restricted to a purpose; for embeddings it includes the local embedder. Its `deployments` throw
 * `invalid_request` for a model that only serves the other purpose.
 */
export function catalogServing(catalog: ModelCatalog, { purpose, fallbacks }: ServingOptions): ModelCatalog {
  const isLocal = (name: string): boolean => name === LOCAL_EMBEDDER;
  const makesEmbeddings = purpose === "embeddings";
  const serves = ({ api }: Deployment): boolean => (api === "embeddings") === makesEmbeddings;
  return {
    deployments(name) {
      const all = makesEmbeddings && isLocal(name) ? [LOCAL_DEPLOYMENT] : catalog.deployments(name);
      if (all.every(serves) && (all.length > 0 || !isLocal(name))) return all;
      const serving = all.filter(serves);
      if (serving.length > 0) return serving;
      const at = fallbacks.indexOf(name);
      throw otherKind(name, { purpose, param: at < 0 ? "model" : `fallbacks[${at}]` });
    },
    factsAt: (model, provider) => catalog.factsAt(model, provider),
    providers: () => catalog.providers(),
    providerId: (name) => (makesEmbeddings && isLocal(name) ? LOCAL_EMBEDDER : catalog.providerId(name)),
    isRunnable: (model) => catalog.isRunnable(model),
    runnableModels: () => catalog.runnableModels(),
  };
}

const REMEDIES = {
  answers: "makes embeddings and cannot answer. Use POST /v1/embeddings, or name a model that answers.",
  embeddings:
    `makes no embeddings. Name a model that does, such as "text-embedding-3-small" or, for the local embedder, "${LOCAL_EMBEDDER}". ` +
    'A model of your own that does needs `"api": "embeddings"` in the settings.',
} as const;

interface OtherKind {
  readonly purpose: Purpose;
  readonly param: string;
}

function otherKind(name: string, { purpose, param }: OtherKind): SextantError {
  return new SextantError("invalid_request", `\`${param}\`: ${JSON.stringify(name)} ${REMEDIES[purpose]}`, {
    param,
  });
}
