import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { CatalogProvider, Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { catalogFileInUse } from "../../../engine/index.js";
import { SextantError } from "../../../foundation/errors.js";
import { groupBy } from "../../../foundation/group-by.js";
import { snakeCased } from "../../../foundation/snake-case.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import type { ConnectionTest } from "../../run/connection-test.js";
import {
  type AdminProviderBody,
  adminProviderListSchema,
  type ConnectionTestBody,
  connectionTestRequestSchema,
  connectionTestSchema,
  type DeploymentBody,
  providerListSchema,
  providersQuerySchema,
} from "./schema.js";

type Dependencies = Pick<ServerDependencies, "catalog" | "inference">;

/** `GET /v1/providers`: who serves a model, for what price, and how well at the moment. */
export function addProvidersRoute(app: FastifyInstance, dependencies: Dependencies): void {
  addRoute(app, {
    route: "GET /v1/providers",
    operationId: "listProviders",
    summary: "List the providers of a model",
    tag: "models",
    query: providersQuerySchema,
    answer: providerListSchema,
    errors: [404, 503],
    handle({ query: { model } }) {
      const deployments = dependencies.catalog.deployments(model);
      if (deployments.length === 0) throw unknownModel(model, "model");
      const data = deployments.map((deployment) => deploymentBody(deployment, dependencies));
      return { object: "list" as const, model, data };
    },
  });
}

/** The fields that may be shown: a deployment's parameters are the operator's own. */
function deploymentBody(deployment: Deployment, { catalog, inference }: Dependencies): DeploymentBody {
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

/** `/admin/providers`: every provider, what would enable it and what it serves; and one small question to one. */
export function addAdminProviderRoutes(
  app: FastifyInstance,
  dependencies: Dependencies & Pick<ServerDependencies, "testConnection">,
): void {
  addRoute(app, {
    route: "GET /admin/providers",
    operationId: "listAllProviders",
    summary: "List every provider, configured or not",
    answer: adminProviderListSchema,
    handle() {
      const { catalog, inference } = dependencies;
      const deployments = catalog.runnableModels().flatMap((model) => catalog.deployments(model));
      const served = groupBy(
        deployments.filter(({ enabled }) => enabled),
        ({ provider }) => provider,
      );
      const { keys } = inference.healthOfAll();
      const data = catalog.providers().map((provider) => ({
        ...providerBody(provider),
        keys: keys.flatMap(({ provider: id, models, ...key }) =>
          id === provider.id ? { ...key, models } : [],
        ),
        models: (served.get(provider.id) ?? []).map((one) => servedBody(one, dependencies)),
      }));
      const { as_of: catalog_as_of } = catalogFileInUse();
      return { object: "list" as const, catalog_as_of, data };
    },
  });
  addRoute(app, {
    route: "POST /admin/providers/:id/test",
    operationId: "testProvider",
    summary: "Send one small question to a provider",
    params: z.strictObject({ id: z.string() }),
    body: connectionTestRequestSchema,
    answer: connectionTestSchema,
    errors: [503],
    async handle({ params, body, reply }) {
      const signal = reply.server.shutdown.signalOf(reply.raw);
      return testBody(await dependencies.testConnection({ provider: params.id, model: body.model }, signal));
    },
  });
}

const providerBody = ({ id, type, enabled, remedy }: CatalogProvider) => ({ id, type, enabled, remedy });

type ServedBody = AdminProviderBody["models"][number];

function servedBody(deployment: Deployment, dependencies: Dependencies): ServedBody {
  const { id: _id, type: _type, enabled: _enabled, ...fields } = deploymentBody(deployment, dependencies);
  return {
    model: deployment.model,
    ...fields,
    price_source: deployment.priceSource ?? null,
    retires_at: deployment.retirement?.from ?? null,
    successor: deployment.retirement?.successor ?? null,
  };
}

const testBody = (test: ConnectionTest): Omit<ConnectionTestBody, "request_id"> => {
  const { provider, model, upstream_model, code, ...outcome } = snakeCased(test);
  return { object: "provider.test", provider, model, upstream_model, ok: code === "ok", code, ...outcome };
};
