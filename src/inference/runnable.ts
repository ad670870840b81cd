/** Which models a routed request may be sent to, and what to say when there are none. */
import type { RouteRequest } from "../router/decision.js";
import { configuredSummary } from "./configured-summary.js";
import type { ModelCatalog } from "./model-catalog.js";

/** Only what a configured provider serves. */
export const runnable = (catalog: ModelCatalog): Required<Pick<RouteRequest, "canRun" | "whatCanRun">> => ({
  canRun: (model) => catalog.isRunnable(model),
  whatCanRun: () => configuredSummary(catalog),
});

/** The same, as soon as any provider is configured; else every model that anybody serves. */
export const runnableOnly = (catalog: ModelCatalog): Pick<RouteRequest, "canRun" | "whatCanRun"> =>
  catalog.providers().some(({ enabled }) => enabled) ? runnable(catalog) : {};
