import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { operatorTraceBody, operatorTraceSchema } from "./schema/operator-trace.js";
import { traceBody } from "./schema/trace.js";
import { queryOptions, unknownTrace } from "./trace-search.js";

const params = z.object({ request_id: z.string() });

/** `GET /admin/traces/{request_id}`: as `GET /v1/traces/{request_id}`, with the parts of the answer. */
export function addOperatorTraceRoute(
  app: FastifyInstance,
  { traces, keys, limiter }: Pick<ServerDependencies, "traces" | "keys" | "limiter">,
): void {
  addRoute(app, {
    route: "GET /admin/traces/:request_id",
    operationId: "retrieveTraceForOperators",
    summary: "Look up one finished request, with the parts of its answer",
    params,
    answer: operatorTraceSchema,
    errors: [503, 504],
    async handle({ params: { request_id: id }, ...exchange }) {
      const trace = await traces.ask("find", id, queryOptions(exchange));
      if (trace === undefined) throw unknownTrace(id, limiter.refusalOf(id));
      return operatorTraceBody(traceBody(trace, (id) => keys.nameOf(id)));
    },
  });
}
