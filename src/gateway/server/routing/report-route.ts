import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import { setReportQuerySchema, setReportReplySchema } from "../../api/set-report.js";
import type { ServerDependencies } from "../dependencies.js";

/** `GET /admin/router/report`: what is known of a profile set in use. */
export function addSetReportRoute(
  app: FastifyInstance,
  { setReports }: Pick<ServerDependencies, "setReports">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
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
}
