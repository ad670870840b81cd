import type { FastifyInstance } from "fastify";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { comparisonReport } from "./report.js";
import { comparisonListSchema } from "./schema.js";

/** `GET /admin/comparisons`: what answers compared blind say so far. */
export function addComparisonsRoute(
  app: FastifyInstance,
  { comparisons, now }: Pick<ServerDependencies, "comparisons" | "now">,
): void {
  addRoute(app, {
    route: "GET /admin/comparisons",
    operationId: "listComparisons",
    summary: "Show what answers that were compared blind say so far",
    answer: comparisonListSchema,
    errors: [503],
    async handle() {
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
          ...comparisonReport(entry, results, now()),
          waiting,
          passed_over: { ...passedOver },
        };
      });
      return { object: "list" as const, data };
    },
  });
}
