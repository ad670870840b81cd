import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { errorResponses } from "../../api/error.js";
import {
  parseSeriesQuery,
  seriesPointBody,
  seriesQuerySchema,
  seriesSchema,
} from "../../api/traces/series.js";
import { TRACE_QUERY_DESCRIPTION } from "../../api/traces/trace-query.js";
import type { TraceQueries } from "../../traces/store.js";
import type { ServerDependencies } from "../dependencies.js";
import { replyWithQuery, uncheckedQuery, type WithQuery } from "./trace-reply.js";

/**
 * `GET /admin/traces/series`: requests, spend, tokens, errors and latency over time. Who asks again with the tag of the last
 * answer gets none while nothing changed.
 */
export function addTraceSeriesRoute(
  app: FastifyInstance,
  { traces, now }: Pick<ServerDependencies, "now"> & { readonly traces: TraceQueries },
): void {
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces/series",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "traceSeries",
      summary: "Sum up the finished requests over time",
      description: TRACE_QUERY_DESCRIPTION,
      tags: ["administration"],
      querystring: seriesQuerySchema,
      response: { 200: seriesSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { filter, steps } = parseSeriesQuery(request.query, now());
      return replyWithQuery({ request, reply }, async (options) => {
        const data = (await traces.ask("series", { filter, steps }, options)).map(seriesPointBody);
        const tag = tagOf(data);
        reply.header("etag", tag);
        if (request.headers["if-none-match"] === tag) {
          reply.code(304);
          return Buffer.alloc(0);
        }
        return {
          object: "list",
          step: steps.stepMs / 1000,
          start_date: new Date(filter.startMs).toISOString(),
          end_date: new Date(filter.endMs).toISOString(),
          data,
          request_id: request.id,
        };
      });
    },
  });
}

const tagOf = (data: object): string =>
  `"${createHash("sha256").update(JSON.stringify(data)).digest("base64url").slice(0, 22)}"`;
