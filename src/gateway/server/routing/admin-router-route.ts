import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import {
  benchmarkScoresBody,
  benchmarkScoresSchema,
  explainRequestSchema,
  explanationBody,
  explanationSchema,
} from "../../api/explanation.js";
import { routeRequestOf } from "../../inference/planning/route-request.js";
import type { ServerDependencies } from "../dependencies.js";

type Dependencies = Pick<ServerDependencies, "router" | "catalog" | "limits">;

/** `/admin/router`: why the router decides as it does. Nothing of it runs a model, counts for limits or leaves a trace. */
export function addAdminRouterRoutes(app: FastifyInstance, { router, catalog, limits }: Dependencies): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
    method: "POST",
    url: "/admin/router/explain",
    config: { scope: "admin" },
    schema: {
      operationId: "explainDecision",
      summary: "Show a decision with the evidence behind it",
      tags: ["administration"],
      body: explainRequestSchema(limits),
      response: { 200: explanationSchema, ...errorResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async (request, reply) => {
      const { messages, models, cost_weight: costWeight = 0, runnable_only: runnableOnly } = request.body;
      const asked = routeRequestOf({ type: "routed", models, costWeight }, { body: { messages } });
      const explanation = await router.explain({
        ...asked,
        ...(runnableOnly === true ? { canRun: (model: string) => catalog.isRunnable(model) } : {}),
      });
      // It is about a prompt, which must not stay in a cache on the way.
      reply.header("cache-control", "no-store");
      return reply.send({ ...explanationBody(explanation), request_id: request.id });
    },
  });
  typed.route({
    method: "GET",
    url: "/admin/router/benchmark-scores",
    config: { scope: "admin" },
    schema: {
      operationId: "listBenchmarkScores",
      summary: "Show how each model did on each benchmark",
      tags: ["administration"],
      response: { 200: benchmarkScoresSchema, ...errorResponses(401, 403, 500) },
    },
    handler: async (request) => ({
      object: "list" as const,
      data: benchmarkScoresBody(router.benchmarkScores()),
      request_id: request.id,
    }),
  });
}
