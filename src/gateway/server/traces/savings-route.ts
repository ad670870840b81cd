import type { FastifyInstance } from "fastify";
import { errorResponses } from "../../api/error.js";
import {
  parseSavingsQuery,
  savingsBody,
  savingsQuerySchema,
  savingsSchema,
} from "../../api/traces/savings.js";
import { TRACE_QUERY_DESCRIPTION } from "../../api/traces/trace-query.js";
import { ExpectedSavings } from "../../replay/expected-savings.js";
import type { ServerDependencies } from "../dependencies.js";
import { replyWithQuery, uncheckedQuery, type WithQuery } from "./trace-reply.js";

/** `GET /admin/traces/savings`: what the decisions of finished requests were expected to save, from a sample. */
export function addTraceSavingsRoute(
  app: FastifyInstance,
  { traces, limits, yieldThread }: Pick<ServerDependencies, "traces" | "limits" | "yieldThread">,
): void {
  const mostSampled = limits.traceMaxSample;
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces/savings",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "traceSavings",
      summary: "Compare what decisions were expected to cost with always using one model, or the best",
      description: TRACE_QUERY_DESCRIPTION,
      tags: ["administration"],
      querystring: savingsQuerySchema,
      response: { 200: savingsSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { filter, most } = parseSavingsQuery(request.query, { mostSampled });
      return replyWithQuery({ request, reply }, async (options) => {
        const [stats] = await traces.ask("stats", { filter, by: [] }, options);
        const savings = new ExpectedSavings();
        let sampled = 0;
        for await (const batch of traces.export({ filter, most }, options)) {
          sampled += batch.length;
          for (const trace of batch) savings.add(trace);
          await yieldThread();
        }
        const matching = Math.max(stats?.requests ?? 0, sampled);
        return {
          object: "traces.savings",
          matching,
          sampled,
          most_sampled: mostSampled,
          ...savingsBody(savings.report(matching)),
          request_id: request.id,
        };
      });
    },
  });
}
