import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { operatorTraceBody, operatorTraceSchema } from "./schema/operator-trace.js";
import { traceBody } from "./schema/trace.js";
import { queryOptions, unknownTrace } from "./trace-search.js";

/** Why the request was refused, when, and whose it was; undefined when it was not. */
async function refusalText(
  id: string,
  { keys, limiter }: Pick<ServerDependencies, "keys" | "limiter">,
): Promise<string | undefined> {
  const refusal = await limiter.refusalOf(id);
  if (refusal === undefined) return undefined;
  const { at, principal, limit, budget, message } = refusal;
  const by = budget === null ? `the limit ${limit} of the key` : `the budget ${JSON.stringify(budget)}`;
  return `${at}, key ${JSON.stringify(keys.nameOf(principal) ?? principal)}, by ${by}. ${message}`;
}

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
      if (trace === undefined) throw unknownTrace(id, await refusalText(id, { keys, limiter }));
      return operatorTraceBody(traceBody(trace, (id) => keys.nameOf(id)));
    },
  });
}
