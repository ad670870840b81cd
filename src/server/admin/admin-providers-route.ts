import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import { adminProviderListSchema } from "../../api/providers.js";
import type { CatalogProvider } from "../../catalog/deployment.js";
import type { ServerDependencies } from "../dependencies.js";
import { offerBody } from "./providers-route.js";

type Parts = Pick<ServerDependencies, "catalog" | "inference">;

/** `GET /admin/providers`: every provider, what would enable it, and what it serves. */
export function addAdminProvidersRoute(app: FastifyInstance, parts: Parts): void {
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
      const models = offersByProvider(parts);
      const data = parts.catalog.providers().map((provider) => ({
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

function offersByProvider(parts: Parts) {
  const { catalog } = parts;
  const offers = catalog.runnableModels().flatMap((model) => catalog.deployments(model));
  const byProvider = new Map<string, ReturnType<typeof servedBody>[]>();
  for (const offer of offers.filter(({ enabled }) => enabled)) {
    const served = byProvider.get(offer.provider) ?? [];
    byProvider.set(offer.provider, served);
    served.push(servedBody(offer.model, offerBody(offer, parts)));
  }
  return byProvider;
}

function servedBody(
  model: string,
  { id: _id, type: _type, enabled: _enabled, ...offered }: ReturnType<typeof offerBody>,
) {
  return { model, ...offered };
}
