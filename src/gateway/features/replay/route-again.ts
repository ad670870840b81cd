import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { RouteRequest } from "../../../engine/router/decision.js";
import type { Explanation } from "../../../engine/router/explanation.js";
import type { Router } from "../../../engine/router/router.js";
import { SextantError } from "../../../foundation/errors.js";
import { explanationBody } from "../../api/explanation.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { pausedModels } from "../../run/paused.js";
import type { QueryOptions } from "../../traces/store.js";
import type { Trace } from "../../traces/trace.js";
import { promptText } from "../../traces/trace-messages.js";
import { routeAgainRequestSchema, routeAgainSchema } from "../traces/schema/operator-trace.js";
import { queryOptions, unknownTrace } from "../traces/trace-search.js";
import { pastCandidates } from "./past-requests.js";

const params = z.object({ request_id: z.string() });

/** `POST /admin/traces/{request_id}/route`: what would be decided for the same prompt and candidates now. Nothing is run. */
export function addRouteAgainRoute(
  app: FastifyInstance,
  { traces, router, catalog, pauses }: Pick<ServerDependencies, "traces" | "router" | "catalog" | "pauses">,
): void {
  addRoute(app, {
    route: "POST /admin/traces/:request_id/route",
    operationId: "routeTraceAgain",
    summary: "Show what would be decided for a finished request now",
    params,
    body: routeAgainRequestSchema,
    answer: routeAgainSchema,
    errors: [503, 504],
    async handle({ params: { request_id: id }, body, ...exchange }) {
      const options = queryOptions(exchange);
      const trace = await traces.ask("find", id, options);
      if (trace === undefined) throw unknownTrace(id);
      const asked = {
        ...askedAgain(trace, body.cost_weight),
        ...(pauses.any && pausedModels({ catalog, pauses })),
      };
      const canRun = (model: string) => catalog.isRunnable(model);
      const among = asked.models === undefined ? { ...asked, canRun } : asked;
      const again = await explainKnown(router, among, options);
      return {
        ...explanationBody(again.explanation),
        left_out: again.leftOut,
        same_candidates: asked.models !== undefined,
      };
    },
  });
}

/** @throws SextantError `invalid_request` when there is no prompt to decide about */
function askedAgain({ content, routing }: Trace, costWeight: number | undefined): RouteRequest {
  const messages = content?.input ?? [];
  if (promptText(messages) === "") throw noPrompt();
  if (routing === null) return { messages, costWeight: costWeight ?? 0 };
  const models = pastCandidates(routing);
  const { cost_weight: past, max_tokens: maxTokens } = routing;
  const asked = { messages, costWeight: costWeight ?? past, ...(maxTokens !== undefined && { maxTokens }) };
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
