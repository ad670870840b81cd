import type { Catalog } from "./catalog.js";

export interface ReplaceableCatalog extends Catalog {
  /** Every answer is that of the other catalog from now on. What the router keeps of facts is loaded again with its sets. */
  replace(next: Catalog): void;
}

/** A catalog for parts that outlive a change of providers, deployments and prices. */
export function replaceableCatalog(first: Catalog): ReplaceableCatalog {
  let current = first;
  let earlierEpochs = 0;
  return {
    replace(next) {
      earlierEpochs += current.epoch() + 1;
      current = next;
    },
    lookup: (model) => current.lookup(model),
    factsAt: (model, provider) => current.factsAt(model, provider),
    deployments: (name) => current.deployments(name),
    providers: () => current.providers(),
    providerId: (name) => current.providerId(name),
    isRunnable: (model) => current.isRunnable(model),
    unavailability: (model) => current.unavailability(model),
    epoch: () => earlierEpochs + current.epoch(),
    isServed: (model) => current.isServed(model),
    profilesLent: () => current.profilesLent(),
    runnableModels: () => current.runnableModels(),
  };
}
