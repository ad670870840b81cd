import type { FastifyInstance } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import { SerialQueue } from "../../../foundation/serial-queue.js";
import { errorResponses } from "../../api/error.js";
import { parseReplayQuery, replayBody, replayQuerySchema, replaySchema } from "../../api/traces/replay.js";
import { traceBody } from "../../api/traces/trace.js";
import { TRACE_QUERY_DESCRIPTION } from "../../api/traces/trace-query.js";
import type { ReplayRouter } from "../../replay/replay.js";
import { replayTraces } from "../../replay/replay-traces.js";
import type { Trace } from "../../traces/trace.js";
import type { ServerDependencies } from "../dependencies.js";
import { replyWithQuery, uncheckedQuery, type WithQuery } from "./trace-reply.js";

type Dependencies = Pick<
  ServerDependencies,
  "traces" | "router" | "shadowRouter" | "catalog" | "limits" | "yieldThread"
>;

/**
 * `GET /admin/traces/replay`: what other cost weights, or the shadow set, would have chosen for past requests. One at a time, one
 * decision at a time between other work of the thread, and no further once the caller has gone.
 */
export function addTraceReplayRoute(app: FastifyInstance, dependencies: Dependencies): void {
  const { traces, yieldThread } = dependencies;
  const mostSampled = dependencies.limits.traceMaxSample;
  const replays = new SerialQueue();
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces/replay",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "replayTraces",
      summary: "Decide a sample of the finished requests again, with other cost weights or the shadow set",
      description: TRACE_QUERY_DESCRIPTION,
      tags: ["administration"],
      querystring: replayQuerySchema,
      response: { 200: replaySchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const { filter, costWeights, most, set, models } = parseReplayQuery(request.query, { mostSampled });
      const router = set === "live" ? dependencies.router : shadowOf(dependencies);
      return replyWithQuery({ request, reply }, (options) =>
        replays.run(async () => {
          options.signal?.throwIfAborted();
          const [stats] = await traces.ask("stats", { filter, by: [] }, options);
          let sampled = 0;
          async function* bodies() {
            for await (const batch of traces.export({ filter, most }, options)) {
              sampled += batch.length;
              yield batch.map(withoutKeyName);
            }
          }
          const replayed = await replayTraces(bodies(), {
            ...{ router, costWeights, models, requestsAtOnce: 1, pause: yieldThread },
            canRun: (model) => dependencies.catalog.isRunnable(model),
            signal: options.signal,
          });
          return {
            object: "traces.replay",
            matching: Math.max(stats?.requests ?? 0, sampled),
            sampled,
            most_sampled: mostSampled,
            available_profiles: dependencies.shadowRouter === null ? ["live"] : ["live", "shadow"],
            ...replayBody(replayed),
            request_id: request.id,
          };
        }),
      );
    },
  });
}

const withoutKeyName = (trace: Trace) => traceBody(trace, () => undefined);

function shadowOf({ shadowRouter }: Pick<Dependencies, "shadowRouter">): ReplayRouter {
  if (shadowRouter !== null) return shadowRouter;
  throw new SextantError(
    "invalid_request",
    '`profiles` is "shadow", and there is no shadow set. Set SEXTANT_SHADOW_PROFILES, or leave it out.',
    { param: "profiles" },
  );
}
