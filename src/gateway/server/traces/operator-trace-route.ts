import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { RouteRequest } from "../../../engine/router/decision.js";
import type { Explanation } from "../../../engine/router/explanation.js";
import type { Router } from "../../../engine/router/router.js";
import { SextantError } from "../../../foundation/errors.js";
import { errorResponses } from "../../api/error.js";
import { explanationBody } from "../../api/explanation.js";
import {
  operatorTraceBody,
  operatorTraceSchema,
  type RouteAgainRequest,
  routeAgainRequestSchema,
  routeAgainSchema,
} from "../../api/traces/operator-trace.js";
import { traceBody } from "../../api/traces/trace.js";
import { pastCandidates } from "../../replay/past-requests.js";
import type { QueryOptions } from "../../traces/store.js";
import type { Trace } from "../../traces/trace.js";
import { messagesOf, promptText } from "../../traces/trace-messages.js";
import type { ServerDependencies } from "../dependencies.js";
import { replyWithQuery, uncheckedQuery, unknownTrace } from "./trace-search.js";

interface OneTrace {
  readonly Params: { readonly request_id: string };
}

const params = z.object({ request_id: z.string() });

/** `GET /admin/traces/{request_id}`: as `GET /v1/traces/{request_id}`, with the parts of the answer. */
export function addOperatorTraceRoute(
  app: FastifyInstance,
  { traces, keys, limiter }: Pick<ServerDependencies, "traces" | "keys" | "limiter">,
): void {
  app.route<OneTrace>({
    method: "GET",
    url: "/admin/traces/:request_id",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "retrieveTraceForOperators",
      summary: "Look up one finished request, with the parts of its answer",
      tags: ["administration"],
      params,
      response: { 200: operatorTraceSchema, ...errorResponses(401, 403, 404, 500, 503, 504) },
    },
    handler: (request, reply) =>
      replyWithQuery({ request, reply }, async (options) => {
        const { request_id: id } = request.params;
        const trace = await traces.ask("find", id, options);
        if (trace === undefined) throw unknownTrace(id, limiter.refusalOf(id));
        return operatorTraceBody(traceBody(trace, (id) => keys.nameOf(id)));
      }),
  });
}

/** `POST /admin/traces/{request_id}/route`: what would be decided for the same prompt and candidates now. Nothing is run. */
export function addRouteAgainRoute(
  app: FastifyInstance,
  { traces, router, catalog }: Pick<ServerDependencies, "traces" | "router" | "catalog">,
): void {
  app.route<OneTrace & { readonly Body: RouteAgainRequest }>({
    method: "POST",
    url: "/admin/traces/:request_id/route",
    config: { scope: "admin" },
    schema: {
      operationId: "routeTraceAgain",
      summary: "Show what would be decided for a finished request now",
      tags: ["administration"],
      params,
      body: routeAgainRequestSchema,
      response: {
        200: routeAgainSchema,
        ...errorResponses(400, 401, 403, 404, 413, 415, 500, 503, 504),
      },
    },
    handler: (request, reply) =>
      replyWithQuery({ request, reply }, async (options) => {
        const trace = await traces.ask("find", request.params.request_id, options);
        if (trace === undefined) throw unknownTrace(request.params.request_id);
        const asked = askedAgain(trace, request.body.cost_weight);
        const canRun = (model: string) => catalog.isRunnable(model);
        const again = await explainKnown(
          router,
          asked.models === undefined ? { ...asked, canRun } : asked,
          options,
        );
        return {
          ...explanationBody(again.explanation),
          left_out: again.leftOut,
          same_candidates: asked.models !== undefined,
          request_id: request.id,
        };
      }),
  });
}

/** @throws SextantError `invalid_request` when there is no prompt to decide about */
function askedAgain({ content, routing }: Trace, costWeight: number | undefined): RouteRequest {
  const messages = messagesOf(content?.input ?? []);
  if (promptText(messages) === "") throw noPrompt();
  if (routing === null) return { messages, costWeight: costWeight ?? 0 };
  const models = pastCandidates(routing);
  const asked = { messages, costWeight: costWeight ?? routing.cost_weight };
  return models === null ? asked : { ...asked, models };
}

interface ExplainedAgain {
  readonly explanation: Explanation;
  /** Models that were asked for and have no profile. */
  readonly leftOut: readonly string[];
}

/** As `explain`, among the models that have a profile. */
async function explainKnown(
  router: Pick<Router, "explain">,
  request: RouteRequest,
  options: Pick<QueryOptions, "signal">,
): Promise<ExplainedAgain> {
  try {
    return { explanation: await router.explain(request, options), leftOut: [] };
  } catch (fault) {
    const missing = missingProfiles(fault);
    if (missing.length === 0) throw fault;
    const models = request.models?.filter((model) => !missing.includes(model)) ?? [];
    if (models.length === 0) throw fault;
    return { explanation: await router.explain({ ...request, models }, options), leftOut: missing };
  }
}

function missingProfiles(fault: unknown): readonly string[] {
  if (!(fault instanceof SextantError) || fault.code !== "missing_profiles") return [];
  const { missing_profiles: missing } = fault.extra;
  return Array.isArray(missing) ? missing.map(String) : [];
}

const noPrompt = (): SextantError =>
  new SextantError(
    "invalid_request",
    "The prompt of this trace is empty, or was not stored (SEXTANT_TRACE_CONTENT=false): there is nothing to decide about. " +
      "Send the prompt to POST /admin/router/explain.",
    { param: "request_id" },
  );
