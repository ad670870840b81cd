import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { SeriesPoint } from "../../traces/series.js";
import { METADATA_PARAMETER } from "../../traces/trace-query.js";
import type { ServerDependencies, TraceQueries } from "../dependencies.js";
import { errorResponses } from "../schemas/error-responses.js";
import { seriesQuerySchema, seriesSchema } from "../schemas/series.js";
import { parseSeriesQuery } from "../schemas/series-query.js";
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
      description: `Besides the parameters below: ${METADATA_PARAMETER}`,
      tags: ["administration"],
      querystring: seriesQuerySchema,
      response: { 200: seriesSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { filter, steps } = parseSeriesQuery(request.query, now());
      return replyWithQuery({ request, reply }, async (options) => {
        const data = (await traces.series(filter, steps, options)).map(pointBody);
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

const pointBody = (point: SeriesPoint) => ({
  start: new Date(point.startMs).toISOString(),
  group: point.group,
  requests: point.requests,
  errors: point.errors,
  timeouts: point.timeouts,
  tokens_in: point.tokensIn,
  tokens_out: point.tokensOut,
  cost_usd: point.costUsd,
  latency_ms: point.latencyMs,
  ttft_ms: point.ttftMs,
});

const tagOf = (data: object): string =>
  `"${createHash("sha256").update(JSON.stringify(data)).digest("base64url").slice(0, 22)}"`;
