import type { Catalog } from "./catalog.js";

/** Every answer is that of the catalog in use: for parts that outlive a change of providers, deployments and prices. */
export const catalogInUse = (current: () => Catalog): Catalog => ({
  lookup: (model) => current().lookup(model),
  factsAt: (model, provider) => current().factsAt(model, provider),
  deployments: (name) => current().deployments(name),
  providers: () => current().providers(),
  providerId: (name) => current().providerId(name),
  isRunnable: (model) => current().isRunnable(model),
  unavailability: (model) => current().unavailability(model),
  epoch: () => current().epoch(),
  isServed: (model) => current().isServed(model),
  profilesLent: () => current().profilesLent(),
  runnableModels: () => current().runnableModels(),
});
