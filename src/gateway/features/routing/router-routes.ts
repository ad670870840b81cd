import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { meaningBody } from "../../../engine/index.js";
import { chatCompletionSchema } from "../../api/completion.js";
import { costWeightListSchema } from "../../api/cost-weights.js";
import { inferenceErrors } from "../../api/error.js";
import { profileListSchema } from "../../api/profiles.js";
import { routerRequestSchema } from "../../api/router-request.js";
import { decisionBody, decisionJson, decisionSchema } from "../../api/routing.js";
import type { ServerDependencies } from "../../dependencies.js";
import { requestContext } from "../../http/request-context.js";
import { addRoute } from "../../http/route.js";
import { autoWeight } from "../../run/auto-weight.js";
import { modelCounts } from "../../run/configured-summary.js";
import { type AnswerDependencies, replyWithAnswer } from "../chat/answer-reply.js";
import { AUTO, callerOf } from "../chat/auto-choice.js";
import { chatCompletionEncoder } from "../chat/chat-completion-encoder.js";
import { routerInferenceRequest } from "../chat/inference-request.js";
import type { WeightRecommender } from "../replay/recommended-weight.js";

const STEPS = 20;

/** `/v1/router`: which model should answer, and, unless `execute` is false, its answer; and what decisions rest on. */
export function addRouterRoutes(
  app: FastifyInstance,
  dependencies: AnswerDependencies &
    Pick<ServerDependencies, "router" | "catalog" | "lengthCorrections" | "setReports"> & {
      readonly recommender: Pick<WeightRecommender, "current">;
    },
): void {
  const { router, limits } = dependencies;
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/router",
    config: { scope: "inference" },
    schema: {
      operationId: "route",
      summary: "Decide which model should answer, and let it",
      tags: ["routing"],
      body: routerRequestSchema(limits),
      response: { 200: z.union([chatCompletionSchema, decisionSchema]), ...inferenceErrors },
    },
    handler: async (request, reply) => {
      const asked = routerInferenceRequest(request.body, callerOf(request, limits));
      if (request.body.execute !== false) {
        return replyWithAnswer(asked, {
          request,
          reply,
          dependencies,
          encoder: chatCompletionEncoder(request.body),
        });
      }
      const { routing, limitHeaders } = await dependencies.inference.decide(
        asked,
        requestContext(request, reply),
      );
      const { id: requestId, createdAtMs } = request;
      return reply
        .headers(limitHeaders)
        .type("application/json; charset=utf-8")
        .serializer(decisionJson)
        .send(decisionBody(routing, { requestId, createdAtMs }));
    },
  });
  addRoute(app, {
    route: "GET /v1/router/profiles",
    operationId: "listProfiles",
    summary: "List the profiled models",
    tag: "routing",
    answer: profileListSchema,
    errors: [503],
    handle() {
      const corrections = dependencies.lengthCorrections();
      const data = router.profiles().map((profile) => ({
        ...profile,
        length_correction: corrections.get(profile.model) ?? null,
        benchmarks: { ...profile.benchmarks },
      }));
      return {
        object: "list" as const,
        data,
        profiles: data.map(({ model }) => model),
        count: data.length,
        models: modelCounts(router, dependencies.catalog),
        sets: dependencies.setReports.sets().map(({ name, recommended }) => ({
          name,
          recommended_cost_weight: recommended,
        })),
      };
    },
  });
  const meant = (costWeight: number) => ({
    cost_weight: costWeight,
    meaning: meaningBody(router.meaningOf(costWeight)),
  });
  addRoute(app, {
    route: "GET /v1/router/cost-weights",
    operationId: "listCostWeights",
    summary: "Say what cost weights mean in dollars",
    tag: "routing",
    answer: costWeightListSchema,
    errors: [503],
    handle() {
      const { costWeight, basis } = dependencies.recommender.current;
      return {
        object: "list" as const,
        data: Array.from({ length: STEPS + 1 }, (_, step) => meant(step / STEPS)),
        named: [
          { model: AUTO, ...meant(autoWeight(limits)) },
          ...limits.presets.map((preset) => ({
            model: `${AUTO}:${preset.name}`,
            ...meant(autoWeight(limits, { preset })),
          })),
        ],
        recommended: { ...meant(costWeight), basis },
        profile_version: router.profileVersion,
      };
    },
  });
}
