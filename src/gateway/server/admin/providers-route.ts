import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../../foundation/errors.js";
import { errorResponses } from "../../api/error.js";
import { type DeploymentBody, providerListSchema, providersQuerySchema } from "../../api/providers.js";
import type { ServerDependencies } from "../dependencies.js";

type Dependencies = Pick<ServerDependencies, "catalog" | "inference">;

/** `GET /v1/providers`: who serves a model, for what price, and how well at the moment. */
export function addProvidersRoute(app: FastifyInstance, dependencies: Dependencies): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/v1/providers",
    schema: {
      operationId: "listProviders",
      summary: "List the providers of a model",
      tags: ["models"],
      querystring: providersQuerySchema,
      response: { 200: providerListSchema, ...errorResponses(400, 401, 404, 500, 503) },
    },
    handler: async (request) => {
      const { model } = request.query;
      const deployments = dependencies.catalog.deployments(model);
      if (deployments.length === 0) throw unknownModel(model, "model");
      const data = deployments.map((deployment) => deploymentBody(deployment, dependencies));
      return { object: "list" as const, model, data, request_id: request.id };
    },
  });
}

/** The fields that may be shown: a deployment's parameters are the operator's own. */
export function deploymentBody(deployment: Deployment, { catalog, inference }: Dependencies): DeploymentBody {
  const provider = catalog.providers().find(({ id }) => id === deployment.provider);
  if (provider === undefined)
    throw new TypeError(`The catalog has a deployment of a provider that it does not list.`);
  return {
    id: provider.id,
    type: provider.type,
    enabled: deployment.enabled,
    upstream_model: deployment.upstreamModel,
    price: deployment.price && {
      input_usd_per_mtok: deployment.price.inputUsdPerMtok,
      cached_input_usd_per_mtok: deployment.price.cachedInputUsdPerMtok,
      output_usd_per_mtok: deployment.price.outputUsdPerMtok,
    },
    context_tokens: deployment.contextTokens,
    health: { ...inference.health(deployment.provider, deployment.model) },
  };
}

export function unknownModel(model: string, param: string | undefined): SextantError {
  return new SextantError(
    "model_not_found",
    `There is no model ${JSON.stringify(model.slice(0, 80))}. GET /v1/models lists those that can be used.`,
    param === undefined ? {} : { param },
  );
}
