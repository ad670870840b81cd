import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { LEAST_CANDIDATES, LOCAL_EMBEDDER } from "../../../engine/index.js";
import { SextantError } from "../../../foundation/errors.js";
import { type AnthropicModelBody, type ModelBody, modelListSchema, modelSchema } from "../../api/models.js";
import type { ServerDependencies } from "../../dependencies.js";
import { wantsAnthropic } from "../../http/error-reply.js";
import { addRoute } from "../../http/route.js";
import { configuredSummary } from "../../run/configured-summary.js";
import type { PresetEntry } from "../../settings.js";
import { AUTO } from "../chat/auto-choice.js";
import { unknownModel } from "../providers/routes.js";
import { modelEntry, ownEntry } from "./model-entry.js";

/** `GET /v1/models` and `GET /v1/models/{model}`: OpenAI's list, or Anthropic's, so that tools can fill their pick-lists. */
export function addModelsRoutes(
  app: FastifyInstance,
  { catalog, router, limits, now }: Pick<ServerDependencies, "catalog" | "router" | "limits" | "now">,
): void {
  const startedAt = Math.floor(now() / 1000);

  /** Whether routing has something to choose between, as the preset says. */
  const autoWorks = ({ models }: Partial<PresetEntry> = {}): boolean =>
    (models ?? router.liveModels()).filter((model) => catalog.isRunnable(model)).length >= LEAST_CANDIDATES;
  /** They change without a restart. */
  const presets = () => new Map(limits.presets.map((preset) => [`${AUTO}:${preset.name}`, preset]));
  const workingPresets = (): readonly string[] =>
    [...presets()].flatMap(([name, preset]) => (autoWorks(preset) ? [name] : []));

  /** The names that are no model's, in the order to list them, before the models and after them. */
  const ownNames = () => ({
    first: [...(autoWorks() ? [AUTO] : []), ...workingPresets()],
    last: [LOCAL_EMBEDDER],
  });

  function find(id: string): ModelBody {
    if (id === AUTO) {
      if (autoWorks()) return ownEntry(AUTO, "The best model for each prompt.", startedAt);
      throw autoNeedsMore(catalog);
    }
    const preset = presets().get(id);
    if (preset !== undefined) {
      if (autoWorks(preset)) return ownEntry(id, `The best model by the preset ${preset.name}.`, startedAt);
      throw autoNeedsMore(catalog);
    }
    if (id === LOCAL_EMBEDDER) return ownEntry(LOCAL_EMBEDDER, "Embeddings, made locally.", startedAt);
    const deployment = catalog.deployments(id).find(({ enabled }) => enabled);
    if (deployment === undefined) throw unknownModel(id, undefined);
    return modelEntry(id, deployment, startedAt);
  }

  addRoute(app, {
    route: "GET /v1/models",
    operationId: "listModels",
    summary: "List the models that can be used",
    tag: "models",
    answer: modelListSchema,
    errors: [503],
    handle({ request }) {
      const { first, last } = ownNames();
      const data = [...first, ...catalog.runnableModels(), ...last].map(find);
      return wantsAnthropic(request) ? anthropicPage(data, request) : { object: "list" as const, data };
    },
  });
  const one = (id: string, request: FastifyRequest) => {
    const found = find(id);
    return wantsAnthropic(request) ? anthropicModel(found) : found;
  };
  addRoute(app, {
    route: "GET /v1/models/:model",
    operationId: "retrieveModel",
    summary: "Look up one model",
    tag: "models",
    params: z.object({ model: z.string() }),
    answer: modelSchema,
    errors: [503],
    handle: ({ params, request }) => one(params.model, request),
  });
  // The same for ids with slashes that were not percent-encoded.
  app.route<{ Params: { readonly "*": string } }>({
    method: "GET",
    url: "/v1/models/*",
    schema: { hide: true },
    handler: async (request) => ({ ...one(request.params["*"], request), request_id: request.id }),
  });
}

const anthropicModel = ({
  id,
  name,
  created,
  context_length,
  top_provider,
}: ModelBody): AnthropicModelBody => ({
  type: "model",
  id,
  display_name: name,
  created_at: new Date(created * 1000).toISOString(),
  max_input_tokens: context_length,
  max_tokens: top_provider.max_completion_tokens,
});

/** A page by `after_id` and `limit`; all without a limit, where Anthropic has pages of twenty. */
function anthropicPage(models: readonly ModelBody[], { query }: FastifyRequest) {
  const { after_id: after, limit } = query as Readonly<Record<string, string | undefined>>;
  const rest = models.slice(models.findIndex(({ id }) => id === after) + 1);
  const data = rest.slice(0, Number(limit) > 0 ? Number(limit) : undefined).map(anthropicModel);
  return {
    data,
    has_more: data.length < rest.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function autoNeedsMore(catalog: ServerDependencies["catalog"]): SextantError {
  return new SextantError(
    "model_not_found",
    `\`auto\` needs at least ${LEAST_CANDIDATES} live models with a profile that a configured provider serves. ` +
      configuredSummary(catalog),
  );
}
