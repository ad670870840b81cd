import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import { adminProviderListSchema } from "../../api/providers.js";
import type { CatalogProvider } from "../../catalog/deployments/deployment.js";
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
        models: models.get(provider.id) ?? [],
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

function deploymentsByProvider(dependencies: Dependencies) {
  const { catalog } = dependencies;
  const deployments = catalog.runnableModels().flatMap((model) => catalog.deployments(model));
  const byProvider = new Map<string, ReturnType<typeof servedBody>[]>();
  for (const deployment of deployments.filter(({ enabled }) => enabled)) {
    const served = byProvider.get(deployment.provider) ?? [];
    byProvider.set(deployment.provider, served);
    served.push(servedBody(deployment.model, deploymentBody(deployment, dependencies)));
  }
  return byProvider;
}

function servedBody(
  model: string,
  { id: _id, type: _type, enabled: _enabled, ...deploymentFields }: ReturnType<typeof deploymentBody>,
) {
  return { model, ...deploymentFields };
}
