import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { errorResponses } from "../../api/error.js";
import { modelListSchema, modelSchema } from "../../api/models.js";
import { LOCAL_EMBEDDER } from "../../catalog/deployments/local-embedder.js";
import { SextantError } from "../../foundation/errors.js";
import { configuredSummary } from "../../inference/configured-summary.js";
import { LEAST_CANDIDATES } from "../../router/insufficient-models.js";
import { unknownModel } from "../admin/providers-route.js";
import { AUTO } from "../chat/auto-choice.js";
import type { ServerDependencies } from "../dependencies.js";

/** Who `auto` and the local embedder belong to. */
const OURSELVES = "sextant";

/** `GET /v1/models` and `GET /v1/models/{model}`: OpenAI's list, so that tools can fill their pick-lists. */
export function addModelsRoutes(
  app: FastifyInstance,
  { catalog, router, now }: Pick<ServerDependencies, "catalog" | "router" | "now">,
): void {
  const created = Math.floor(now() / 1000);
  const entryOf = (id: string, ownedBy: string) => ({
    id,
    object: "model" as const,
    created,
    owned_by: ownedBy,
  });

  /** Whether routing has something to choose between. */
  const autoWorks = (): boolean =>
    router.liveModels().filter((model) => catalog.isRunnable(model)).length >= LEAST_CANDIDATES;

  function find(id: string) {
    if (id === AUTO) {
      if (autoWorks()) return entryOf(AUTO, OURSELVES);
      throw autoNeedsMore(catalog);
    }
    // Not in the list: there its name would not tell people that it cannot chat.
    if (id === LOCAL_EMBEDDER) return entryOf(LOCAL_EMBEDDER, OURSELVES);
    const deployment = catalog.deployments(id).find(({ enabled }) => enabled);
    if (deployment === undefined) throw unknownModel(id, undefined);
    return entryOf(id, deployment.provider);
  }

  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
    method: "GET",
    url: "/v1/models",
    schema: {
      operationId: "listModels",
      summary: "List the models that can be used",
      tags: ["models"],
      response: { 200: modelListSchema, ...errorResponses(401, 500, 503) },
    },
    handler: async (request) => ({
      object: "list" as const,
      data: [...(autoWorks() ? [AUTO] : []), ...catalog.runnableModels()].map(find),
      request_id: request.id,
    }),
  });
  typed.route({
    method: "GET",
    url: "/v1/models/:model",
    schema: {
      operationId: "retrieveModel",
      summary: "Look up one model",
      tags: ["models"],
      params: z.object({ model: z.string() }),
      response: { 200: modelSchema, ...errorResponses(401, 404, 500, 503) },
    },
    handler: async (request) => ({ ...find(request.params.model), request_id: request.id }),
  });
  // The same for ids with slashes that were not percent-encoded.
  typed.route({
    method: "GET",
    url: "/v1/models/*",
    schema: { hide: true, params: z.object({ "*": z.string() }) },
    handler: async (request) => ({ ...find(request.params["*"]), request_id: request.id }),
  });
}

function autoNeedsMore(catalog: ServerDependencies["catalog"]): SextantError {
  return new SextantError(
    "model_not_found",
    `\`auto\` needs at least ${LEAST_CANDIDATES} live models with a profile that a configured provider serves. ` +
      configuredSummary(catalog),
  );
}
