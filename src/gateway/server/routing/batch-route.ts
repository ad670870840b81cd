import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { routingJson } from "../../../engine/index.js";
import type { ErrorCode, SextantError } from "../../../foundation/errors.js";
import { inferenceErrors } from "../../api/error.js";
import { batchLineSchema, type RouterBatchBody, routerBatchSchema } from "../../api/router-batch.js";
import type { DecisionAnswer } from "../../inference/inference.js";
import type { RequestContext } from "../../inference/request.js";
import { sessionOf } from "../chat/auto-choice.js";
import { routerInferenceRequest } from "../chat/inference-request.js";
import type { ServerDependencies } from "../dependencies.js";
import { errorBody } from "../http/error-reply.js";
import { noteError } from "../http/plugins/errors.js";
import { requestContext } from "../http/request-context.js";

type Dependencies = Pick<
  ServerDependencies,
  "inference" | "limits" | "logger" | "now" | "clock" | "yieldThread"
> & {
  readonly newRequestId: () => string;
};

/** Milliseconds of decisions after which other requests have their turn. */
const LONGEST_TURN_MS = 5;

/** Errors that every request of a batch would have: the first one's is the answer to the batch. */
const OF_ALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["missing_profiles", "no_profiles_available", "provider_not_found"] as const),
  ...(["rate_limit_exceeded", "budget_exceeded"] as const),
]);

/** `POST /v1/router/batch`: decisions alone, each as `POST /v1/router` makes it, with its own trace and its own share of the limits. */
export function addRouterBatchRoute(app: FastifyInstance, dependencies: Dependencies): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/router/batch",
    config: { scope: "inference" },
    schema: {
      operationId: "routeBatch",
      summary: "Decide which models should answer many requests",
      tags: ["routing"],
      body: routerBatchSchema(dependencies.limits),
      response: {
        200: { content: { "application/x-ndjson": { schema: batchLineSchema } } },
        ...inferenceErrors,
      },
    },
    handler: async (request, reply) => {
      const decisions = decideEach(request.body, {
        request,
        context: requestContext(request, reply),
        dependencies,
      });
      // Its type knows whole bodies alone.
      const streamed = reply as FastifyReply;
      const first = await decisions.next();
      if (first.done === true) return streamed.send();
      if (first.value.error !== undefined && concernsAll(first.value.error)) throw first.value.error;
      async function* lines() {
        yield lineOf(first.value as OneOfBatch);
        for await (const one of decisions) yield lineOf(one);
      }
      return streamed
        .headers(first.value.decided?.limitHeaders ?? {})
        .type("application/x-ndjson")
        .send(Readable.from(lines(), { objectMode: false }));
    },
  });
}

interface OneOfBatch {
  readonly id: string;
  readonly requestId: string;
  /** Either this or an error. */
  readonly decided?: DecisionAnswer;
  readonly error?: SextantError;
}

interface Deciding {
  readonly request: FastifyRequest;
  readonly context: RequestContext;
  readonly dependencies: Dependencies;
}

/** One after the other, as fast as they are read. */
async function* decideEach(
  { requests, ...shared }: RouterBatchBody,
  { request, context, dependencies }: Deciding,
): AsyncGenerator<OneOfBatch, void> {
  const { inference, clock, now, newRequestId, yieldThread } = dependencies;
  const { principal, source, signal } = context;
  let turnMs = clock();
  for (const { id, ...asked } of requests) {
    if (signal.aborted) return;
    const one = { id, requestId: newRequestId() };
    const own = { principal, source, signal, requestId: one.requestId, createdAtMs: now() };
    try {
      const routed = routerInferenceRequest({ ...asked, ...shared }, sessionOf(request.headers));
      yield { ...one, decided: await inference.decide(routed, { ...own, arrivedMs: clock() }) };
    } catch (fault) {
      yield { ...one, error: noteError(fault, { request, dependencies }) };
    }
    if (clock() - turnMs < LONGEST_TURN_MS) continue;
    await yieldThread();
    turnMs = clock();
  }
}

/** Also one about a field that the requests share. */
const concernsAll = ({ code, param }: SextantError): boolean =>
  OF_ALL.has(code) || ["cost_weight", "max_mean_cost_usd", "provider"].includes(param ?? "");

function lineOf({ id, requestId, decided, error }: OneOfBatch): string {
  if (decided === undefined)
    return `${JSON.stringify({ id, ...errorBody(error as SextantError, requestId) })}\n`;
  const start = JSON.stringify({ id, request_id: requestId });
  return `${start.slice(0, -1)},"routing":${routingJson(decided.routing)}}\n`;
}
