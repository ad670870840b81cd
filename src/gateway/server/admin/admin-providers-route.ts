import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { CatalogProvider, Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { errorResponses } from "../../api/error.js";
import { type AdminProviderBody, adminProviderListSchema } from "../../api/providers.js";
import type { Health, ModelHealth } from "../../inference/inference.js";
import type { ServerDependencies } from "../dependencies.js";
import { deploymentBody } from "./providers-route.js";

type Dependencies = Pick<ServerDependencies, "catalog" | "inference" | "otherHealth">;

/** `GET /admin/providers`: every provider, what would enable it, and what it serves. */
export function addAdminProvidersRoute(app: FastifyInstance, dependencies: Dependencies): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/admin/providers",
    config: { scope: "admin" },
    schema: {
      operationId: "listAllProviders",
      summary: "List every provider, configured or not",
      tags: ["administration"],
      response: { 200: adminProviderListSchema, ...errorResponses(401, 403, 500) },
    },
    handler: async (request) => {
      const others = await dependencies.otherHealth();
      const models = deploymentsByProvider(dependencies, others.flat());
      const data = dependencies.catalog.providers().map((provider) => ({
        ...providerBody(provider),
        models: [...(models.get(provider.id) ?? [])],
      }));
      return { object: "list" as const, data, request_id: request.id };
    },
  });
}

const providerBody = ({ id, type, enabled, remedy }: CatalogProvider) => ({
  id,
  type,
  enabled,
  remedy: enabled ? null : remedy,
});

type ServedBody = AdminProviderBody["models"][number];

/** @param others health in the other processes */
function deploymentsByProvider(
  dependencies: Dependencies,
  others: readonly ModelHealth[],
): ReadonlyMap<string, readonly ServedBody[]> {
  const { catalog } = dependencies;
  const deployments = catalog.runnableModels().flatMap((model) => catalog.deployments(model));
  const byProvider = new Map<string, ServedBody[]>();
  for (const deployment of deployments.filter(({ enabled }) => enabled)) {
    const served = byProvider.get(deployment.provider) ?? [];
    byProvider.set(deployment.provider, served);
    const elsewhere = others.filter(
      ({ provider, model }) => provider === deployment.provider && model === deployment.model,
    );
    served.push(servedBody(deployment, { dependencies, elsewhere: elsewhere.map(({ health }) => health) }));
  }
  return byProvider;
}

interface ServedSources {
  readonly dependencies: Dependencies;
  /** In the other processes that have called it. */
  readonly elsewhere: readonly Health[];
}

function servedBody(deployment: Deployment, { dependencies, elsewhere }: ServedSources): ServedBody {
  const { id: _id, type: _type, enabled: _enabled, ...fields } = deploymentBody(deployment, dependencies);
  const { health: own } = fields;
  const called = own.error_rate === null ? elsewhere : [own, ...elsewhere];
  const inState = (state: Health["state"]): number => called.filter((one) => one.state === state).length;
  return {
    model: deployment.model,
    ...fields,
    health: called.length === 0 ? own : worstOf(called),
    processes: { closed: inState("closed"), half_open: inState("half_open"), open: inState("open") },
    price_source: deployment.priceSource ?? null,
    retires_at: dependencies.catalog.retirementOf(deployment)?.toISOString().slice(0, 10) ?? null,
  };
}

/** From bad to good. */
const STATES: readonly Health["state"][] = ["open", "half_open", "closed"];

/** The worst state, error rate and time of any process. */
function worstOf(all: readonly Health[]): Health {
  const highest = (values: readonly (number | null)[]): number | null => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    state: STATES.find((state) => all.some((one) => one.state === state)) ?? "closed",
    error_rate: highest(all.map((one) => one.error_rate)),
    p50_ttft_ms: highest(all.map((one) => one.p50_ttft_ms)),
  };
}
