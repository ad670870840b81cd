import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { meaningBody } from "../../../engine/index.js";
import { costWeightListSchema } from "../../api/cost-weights.js";
import { errorResponses } from "../../api/error.js";
import { AUTO } from "../chat/auto-choice.js";
import type { ServerDependencies } from "../dependencies.js";

const STEPS = 20;

/** `GET /v1/router/cost-weights`: what cost weights mean in dollars. */
export function addCostWeightsRoute(
  app: FastifyInstance,
  { router, limits }: Pick<ServerDependencies, "router" | "limits">,
): void {
  const meant = (costWeight: number) => ({
    cost_weight: costWeight,
    meaning: meaningBody(router.meaningOf(costWeight)),
  });
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/v1/router/cost-weights",
    schema: {
      operationId: "listCostWeights",
      summary: "Say what cost weights mean in dollars",
      tags: ["routing"],
      response: { 200: costWeightListSchema, ...errorResponses(401, 500, 503) },
    },
    handler: async (request) => {
      // In steps, so that other requests do not wait for the first of these.
      await router.calibrate();
      const { autoCostWeight, presets } = limits;
      return {
        object: "list" as const,
        data: Array.from({ length: STEPS + 1 }, (_, step) => meant(step / STEPS)),
        named: [
          { model: AUTO, ...meant(autoCostWeight) },
          ...presets.map((preset) => ({
            model: `${AUTO}:${preset.name}`,
            ...meant(preset.cost_weight ?? autoCostWeight),
          })),
        ],
        profile_version: router.profileVersion,
        request_id: request.id,
      };
    },
  });
}
