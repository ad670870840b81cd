import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import { type AdminProviderBody, adminProviderListSchema } from "../../api/providers.js";
import type { CatalogProvider, Deployment } from "../../catalog/deployments/deployment.js";
import type { ServerDependencies } from "../dependencies.js";
import { deploymentBody } from "./providers-route.js";

type Dependencies = Pick<ServerDependencies, "catalog" | "inference">;

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
      const models = deploymentsByProvider(dependencies);
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

function deploymentsByProvider(dependencies: Dependencies): ReadonlyMap<string, readonly ServedBody[]> {
  const { catalog } = dependencies;
  const deployments = catalog.runnableModels().flatMap((model) => catalog.deployments(model));
  const byProvider = new Map<string, ServedBody[]>();
  for (const deployment of deployments.filter(({ enabled }) => enabled)) {
    const served = byProvider.get(deployment.provider) ?? [];
    byProvider.set(deployment.provider, served);
    served.push(servedBody(deployment, dependencies));
  }
  return byProvider;
}

function servedBody(deployment: Deployment, dependencies: Dependencies): ServedBody {
  const { id: _id, type: _type, enabled: _enabled, ...fields } = deploymentBody(deployment, dependencies);
  return {
    model: deployment.model,
    ...fields,
    price_source: deployment.priceSource ?? null,
    retires_at: dependencies.catalog.retirementOf(deployment)?.toISOString().slice(0, 10) ?? null,
  };
}
