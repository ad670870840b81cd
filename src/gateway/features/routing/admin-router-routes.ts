import type { FastifyInstance } from "fastify";
import {
  benchmarkScoresBody,
  benchmarkScoresSchema,
  explainRequestSchema,
  explanationBody,
  explanationSchema,
} from "../../api/explanation.js";
import { reloadSchema } from "../../api/profiles.js";
import { setReportQuerySchema, setReportReplySchema } from "../../api/set-report.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { pausedModels } from "../../run/paused.js";
import { routeRequestOf } from "../../run/route-request.js";
import { profilesAct, refusedAct, settingsActs } from "../events/reload-acts.js";
import { recordActs } from "../events/routes.js";

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
  addRoute(app, {
    route: "POST /admin/router/explain",
    operationId: "explainDecision",
    summary: "Show a decision with the evidence behind it",
    body: explainRequestSchema(limits),
    answer: explanationSchema,
    errors: [503],
    async handle({ body }) {
      const { messages, models, cost_weight: costWeight = 0, runnable_only: runnableOnly } = body;
      const asked = routeRequestOf({ type: "routed", models, costWeight }, { body: { messages } });
      const explanation = await router.explain({
        ...asked,
        ...(pauses.any && pausedModels({ catalog, pauses })),
        ...(runnableOnly === true ? { canRun: (model: string) => catalog.isRunnable(model) } : {}),
      });
      return explanationBody(explanation);
    },
  });
  addRoute(app, {
    route: "GET /admin/router/benchmark-scores",
    operationId: "listBenchmarkScores",
    summary: "Show how each model did on each benchmark",
    answer: benchmarkScoresSchema,
    handle: () => ({ object: "list" as const, data: benchmarkScoresBody(router.benchmarkScores()) }),
  });
  addRoute(app, {
    route: "GET /admin/router/report",
    operationId: "reportProfileSet",
    summary: "Show what is known of the profiles in use",
    query: setReportQuerySchema,
    answer: setReportReplySchema,
    errors: [404, 409, 503],
    async handle({ query }) {
      const report = await setReports.report(query.set);
      return { object: "router.report" as const, sets: setReports.sets().map(({ name }) => name), ...report };
    },
  });
  addRoute(app, {
    route: "POST /admin/reload",
    operationId: "reload",
    summary: "Load settings and profiles again",
    answer: reloadSchema,
    errors: [409],
    async handle({ request }) {
      const { version, count, notes, settings } = await reload().catch(async (fault) => {
        await record(request, refusedAct(fault, { version: router.profileVersion, path: settingsPath }));
        throw fault;
      });
      for (const act of [...settingsActs(settings), profilesAct(version, count)]) await record(request, act);
      const loaded = { version, count, settings_changed: settings.changed, notes };
      return { object: "router.profiles" as const, ...loaded };
    },
  });
}
