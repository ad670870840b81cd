import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { CatalogProvider, Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../../foundation/errors.js";
import { snakeCased } from "../../../foundation/snake-case.js";
import { errorResponses } from "../../api/error.js";
import {
  type AdminProviderBody,
  adminProviderListSchema,
  type ConnectionTestBody,
  connectionTestRequestSchema,
  connectionTestSchema,
  type DeploymentBody,
  providerListSchema,
  providersQuerySchema,
} from "../../api/providers.js";
import type { ConnectionTest } from "../../inference/connection-test.js";
import type { Health, ModelHealth } from "../../inference/inference.js";
import type { ServerDependencies } from "../dependencies.js";
import { keyBodies } from "./key-health.js";

type Dependencies = Pick<ServerDependencies, "catalog" | "inference" | "otherHealth">;

/** `GET /v1/providers`: who serves a model, for what price, and how well at the moment. */
export function addProvidersRoute(
  app: FastifyInstance,
  dependencies: Pick<Dependencies, "catalog" | "inference">,
): void {
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
function deploymentBody(
  deployment: Deployment,
  { catalog, inference }: Pick<Dependencies, "catalog" | "inference">,
): DeploymentBody {
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
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
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
      const models = deploymentsByProvider(
        dependencies,
        others.flatMap((other) => other.models),
      );
      const processes = [dependencies.inference.healthOfAll(), ...others];
      const data = dependencies.catalog.providers().map((provider) => ({
        ...providerBody(provider),
        keys: keyBodies(provider.id, processes),
        models: [...(models.get(provider.id) ?? [])],
      }));
      return { object: "list" as const, data, request_id: request.id };
    },
  });
  typed.route({
    method: "POST",
    url: "/admin/providers/:id/test",
    config: { scope: "admin" },
    schema: {
      operationId: "testProvider",
      summary: "Send one small question to a provider",
      tags: ["administration"],
      params: z.strictObject({ id: z.string() }),
      body: connectionTestRequestSchema,
      response: { 200: connectionTestSchema, ...errorResponses(400, 401, 403, 404, 413, 415, 500, 503) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const signal = reply.server.shutdown.signalOf(reply.raw);
      const test = await dependencies.testConnection({ provider: id, model: request.body.model }, signal);
      return reply.send({ ...testBody(test), request_id: request.id });
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
  const worst = STATES.map((state) => all.find((one) => one.state === state)).find(Boolean);
  return {
    state: worst?.state ?? "closed",
    reason: worst?.reason ?? null,
    error_rate: highest(all.map((one) => one.error_rate)),
    p50_ttft_ms: highest(all.map((one) => one.p50_ttft_ms)),
  };
}

const testBody = (test: ConnectionTest): Omit<ConnectionTestBody, "request_id"> => {
  const { provider, model, upstream_model, code, ...outcome } = snakeCased(test);
  return { object: "provider.test", provider, model, upstream_model, ok: code === "ok", code, ...outcome };
};
