import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { errorResponses } from "../../api/error.js";
import { exportQuerySchema, parseExportQuery } from "../../api/traces/export-query.js";
import { failureListSchema, failuresBody, failuresQuerySchema } from "../../api/traces/failures.js";
import { operatorQuerySchema, parseOperatorQuery } from "../../api/traces/operator-query.js";
import { parseStatsQuery, statsBody, statsQuerySchema, traceStatsSchema } from "../../api/traces/stats.js";
import { adminTraceListBody, adminTraceListSchema, INPUT_CHARACTERS } from "../../api/traces/trace.js";
import { parseTraceFilter, TRACE_QUERY_DESCRIPTION } from "../../api/traces/trace-query.js";
import { traceValuesBody, traceValuesSchema } from "../../api/traces/trace-values.js";
import type { TraceQueries } from "../../traces/store.js";
import type { ServerDependencies } from "../dependencies.js";
import { noteError } from "../http/plugins/errors.js";
import { exportStream } from "./export/export-stream.js";
import { EXPORT_FORMATS } from "./export/formats.js";
import { replyWithQuery, uncheckedQuery, type WithQuery } from "./trace-reply.js";

/** `GET /admin/traces`: as `GET /v1/traces`, with what operators look for in a list. */
export function addAdminTracesRoute(
  app: FastifyInstance,
  { traces, keys }: Pick<ServerDependencies, "keys"> & { readonly traces: TraceQueries },
): void {
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "listTracesForOperators",
      summary: "Search the finished requests, with key, source, error and the beginning of the prompt",
      description: TRACE_QUERY_DESCRIPTION,
      tags: ["administration"],
      querystring: operatorQuerySchema,
      response: { 200: adminTraceListSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { filter, page } = parseOperatorQuery(request.query);
      return replyWithQuery({ request, reply }, async (options) => {
        const list = await traces.ask(
          "list",
          { filter, page: { ...page, inputCharacters: INPUT_CHARACTERS } },
          options,
        );
        return { ...adminTraceListBody(list, (id) => keys.nameOf(id)), request_id: request.id };
      });
    },
  });
}

/** `GET /admin/traces/values`: what the newest requests can be filtered by. */
export function addTraceValuesRoute(
  app: FastifyInstance,
  { traces, keys }: Pick<ServerDependencies, "keys"> & { readonly traces: TraceQueries },
): void {
  app.route({
    method: "GET",
    url: "/admin/traces/values",
    config: { scope: "admin" },
    schema: {
      operationId: "traceValues",
      summary:
        "List the models, providers, sources, keys, error codes and metadata keys of the newest requests",
      tags: ["administration"],
      response: { 200: traceValuesSchema, ...errorResponses(401, 403, 500, 503, 504) },
    },
    handler: (request, reply) =>
      replyWithQuery({ request, reply }, async (options) => ({
        ...traceValuesBody(await traces.ask("values", undefined, options), (id) => keys.nameOf(id)),
        request_id: request.id,
      })),
  });
}

/** `GET /admin/traces/failures`: failed requests by error code, provider and model. */
export function addTraceFailuresRoute(app: FastifyInstance, traces: TraceQueries): void {
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces/failures",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "traceFailures",
      summary: "Group the failed requests by error code, provider and model",
      description: TRACE_QUERY_DESCRIPTION,
      tags: ["administration"],
      querystring: failuresQuerySchema,
      response: { 200: failureListSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const filter = parseTraceFilter(request.query);
      return replyWithQuery({ request, reply }, async (options) => ({
        object: "list",
        data: (await traces.ask("failures", filter, options)).map(failuresBody),
        request_id: request.id,
      }));
    },
  });
}

/** `GET /admin/traces/stats`: spend, tokens, errors and latency of groups of requests. */
export function addTraceStatsRoute(app: FastifyInstance, traces: TraceQueries): void {
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces/stats",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "traceStatistics",
      summary: "Sum up the finished requests",
      description: TRACE_QUERY_DESCRIPTION,
      tags: ["administration"],
      querystring: statsQuerySchema,
      response: { 200: traceStatsSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { filter, by } = parseStatsQuery(request.query);
      return replyWithQuery({ request, reply }, async (options) => ({
        object: "list",
        data: (await traces.ask("stats", { filter, by }, options)).map(statsBody),
        request_id: request.id,
      }));
    },
  });
}

/** `GET /admin/traces/export`: all that match, whole, as a file. */
export function addTraceExportRoute(
  app: FastifyInstance,
  {
    traces,
    keys,
    ...dependencies
  }: Pick<ServerDependencies, "keys" | "limits" | "logger"> & { readonly traces: TraceQueries },
): void {
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces/export",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "exportTraces",
      summary: "Fetch the finished requests whole, as a file",
      description: TRACE_QUERY_DESCRIPTION,
      tags: ["administration"],
      querystring: exportQuerySchema,
      response: {
        200: z
          .string()
          .describe(
            "A line of JSON for each, as `GET /v1/traces/{request_id}` answers, or a table as CSV or Parquet.",
          ),
        ...errorResponses(400, 401, 403, 500, 503, 504),
      },
    },
    handler: (request, reply) => {
      const { format, filter } = parseExportQuery(request.query);
      const { contentType, write } = EXPORT_FORMATS[format];
      return replyWithQuery({ request, reply }, async (options) => {
        const onFault = (fault: unknown) => {
          if (options.signal?.aborted !== true) noteError(fault, { request, dependencies });
        };
        const file = await exportStream(traces.export({ filter }, options), {
          write,
          onFault,
          keyNames: (id) => keys.nameOf(id),
        });
        reply.header("content-type", contentType);
        reply.header("content-disposition", `attachment; filename="traces.${format}"`);
        return file;
      });
    },
  });
}
