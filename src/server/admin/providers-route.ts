import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import { type OfferBody, providerListSchema, providersQuerySchema } from "../../api/providers.js";
import type { Deployment } from "../../catalog/deployment.js";
import { SextantError } from "../../foundation/errors.js";
import type { ServerDependencies } from "../dependencies.js";

type Parts = Pick<ServerDependencies, "catalog" | "inference">;

/** `GET /v1/providers`: who serves a model, for what price, and how well at the moment. */
export function addProvidersRoute(app: FastifyInstance, parts: Parts): void {
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
      const offers = parts.catalog.deployments(model);
      if (offers.length === 0) throw unknownModel(model, "model");
      const data = offers.map((offer) => offerBody(offer, parts));
      return { object: "list" as const, model, data, request_id: request.id };
    },
  });
}

/** The fields that may be shown: an offer's parameters are the operator's own. */
export function offerBody(offer: Deployment, { catalog, inference }: Parts): OfferBody {
  const provider = catalog.providers().find(({ id }) => id === offer.provider);
  if (provider === undefined) throw new TypeError(`The catalog offers a provider it does not list.`);
  return {
    id: provider.id,
    type: provider.type,
    enabled: offer.enabled,
    upstream_model: offer.upstreamModel,
    price: offer.price && {
      input_usd_per_mtok: offer.price.inputUsdPerMtok,
      cached_input_usd_per_mtok: offer.price.cachedInputUsdPerMtok,
      output_usd_per_mtok: offer.price.outputUsdPerMtok,
    },
    context_tokens: offer.contextTokens,
    health: { ...inference.health(offer.provider, offer.model) },
  };
}

export function unknownModel(model: string, param: string | undefined): SextantError {
  return new SextantError(
    "model_not_found",
    `There is no model ${JSON.stringify(model.slice(0, 80))}. GET /v1/models lists those that can be used.`,
    param === undefined ? {} : { param },
  );
}
