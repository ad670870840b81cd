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
import { reloadSchema } from "../../api/profiles.js";
import { setReportQuerySchema, setReportReplySchema } from "../../api/set-report.js";
import { profilesAct, refusedAct, settingsActs } from "../../audit/reload-acts.js";
import { pausedModels } from "../../run/paused.js";
import { routeRequestOf } from "../../run/route-request.js";
import { recordActs } from "../admin/events-route.js";
import type { ServerDependencies } from "../dependencies.js";

type Dependencies = Pick<
  ServerDependencies,
  "router" | "catalog" | "limits" | "pauses" | "events" | "keys" | "setReports" | "reload" | "settingsPath"
>;

/**
 * `/admin/router`: why the router decides as it does, and what is known of the sets in use. Nothing of it runs a model, counts
 * for limits or leaves a trace. `POST /admin/reload` takes changed settings and profiles without a restart, or leaves everything as it is.
 */
export function addAdminRouterRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { router, catalog, limits, pauses, setReports, reload, settingsPath } = dependencies;
  const record = recordActs(dependencies);
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
        ...pausedModels({ catalog, pauses }),
        ...(runnableOnly === true ? { canRun: (model: string) => catalog.isRunnable(model) } : {}),
      });
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
  typed.route({
    method: "GET",
    url: "/admin/router/report",
    config: { scope: "admin" },
    schema: {
      operationId: "reportProfileSet",
      summary: "Show what is known of the profiles in use",
      tags: ["administration"],
      querystring: setReportQuerySchema,
      response: { 200: setReportReplySchema, ...errorResponses(400, 401, 403, 404, 409, 500, 503) },
    },
    handler: async (request) => {
      const report = await setReports.report(request.query.set);
      return {
        object: "router.report" as const,
        sets: setReports.sets().map(({ name }) => name),
        ...report,
        request_id: request.id,
      };
    },
  });
  typed.route({
    method: "POST",
    url: "/admin/reload",
    config: { scope: "admin" },
    schema: {
      operationId: "reload",
      summary: "Load settings and profiles again",
      tags: ["administration"],
      response: { 200: reloadSchema, ...errorResponses(401, 403, 409, 500) },
    },
    handler: async (request, reply) => {
      const { version, count, notes, settings } = await reload().catch(async (fault) => {
        await record(request, refusedAct(fault, { version: router.profileVersion, path: settingsPath }));
        throw fault;
      });
      for (const act of [...settingsActs(settings), profilesAct(version, count)]) await record(request, act);
      const loaded = { version, count, settings_changed: [...settings.changed], notes: [...notes] };
      return reply.send({ object: "router.profiles", ...loaded, request_id: request.id });
    },
  });
}
