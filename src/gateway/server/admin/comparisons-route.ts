import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { comparisonListSchema, comparisonReportBody } from "../../api/comparisons.js";
import { errorResponses } from "../../api/error.js";
import { comparisonReport } from "../../comparisons/report.js";
import type { ServerDependencies } from "../dependencies.js";

/** `GET /admin/comparisons`: what answers compared blind say so far. */
export function addComparisonsRoute(
  app: FastifyInstance,
  { comparisons, now }: Pick<ServerDependencies, "comparisons" | "now">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/admin/comparisons",
    config: { scope: "admin" },
    schema: {
      operationId: "listComparisons",
      summary: "Show what answers that were compared blind say so far",
      tags: ["administration"],
      response: { 200: comparisonListSchema, ...errorResponses(401, 403, 500, 503) },
    },
    handler: async (request) => {
      const results = await comparisons.results();
      const data = comparisons.entries().map((entry) => {
        const { name, with: other, share, max_usd_per_day, command } = entry;
        const { waiting, passedOver } = comparisons.state(name);
        return {
          name,
          with: other,
          share,
          max_usd_per_day,
          graded_by: command === undefined ? ("judge" as const) : ("command" as const),
          ...comparisonReportBody(comparisonReport(entry, results, now())),
          waiting,
          passed_over: { ...passedOver },
        };
      });
      return { object: "list" as const, data, request_id: request.id };
    },
  });
}
