import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { RefusalCount } from "../../access/limits/counters.js";
import { errorResponses } from "../../api/error.js";
import { type RefusalBody, refusalListSchema, refusalsQuerySchema } from "../../api/refusals.js";
import type { ServerDependencies } from "../dependencies.js";

/** `GET /admin/refusals`: requests that limits refused in the last 24 hours, which leave no traces. */
export function addRefusalsRoute(
  app: FastifyInstance,
  { keys, limiter }: Pick<ServerDependencies, "keys" | "limiter">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/admin/refusals",
    config: { scope: "admin" },
    schema: {
      operationId: "listRefusals",
      summary: "Sum up the requests that limits refused",
      tags: ["administration"],
      querystring: refusalsQuerySchema,
      response: { 200: refusalListSchema, ...errorResponses(400, 401, 403, 500) },
    },
    handler: async (request) => {
      const { key, step } = request.query;
      const principals = key === undefined ? keys.list().map(({ id }) => id) : [key];
      const refusals = await limiter.refusals(principals);
      return {
        object: "list" as const,
        step: Number(step),
        data: summed(refusals, Number(step) * 1000).map(({ startMs, principal, refusedBy, requests }) => ({
          start: new Date(startMs).toISOString(),
          key: principal,
          name: keys.nameOf(principal) ?? null,
          limit: refusedBy,
          requests,
        })) satisfies RefusalBody[],
        request_id: request.id,
      };
    },
  });
}

interface SummedRefusals extends Omit<RefusalCount, "minuteMs"> {
  readonly startMs: number;
}

/** Steps are counted from the epoch. */
function summed(refusals: readonly RefusalCount[], stepMs: number): readonly SummedRefusals[] {
  const sums = new Map<string, SummedRefusals>();
  for (const { minuteMs, principal, refusedBy, requests } of refusals) {
    const startMs = minuteMs - (minuteMs % stepMs);
    const id = `${startMs} ${refusedBy} ${principal}`;
    sums.set(id, { startMs, principal, refusedBy, requests: requests + (sums.get(id)?.requests ?? 0) });
  }
  return [...sums.values()];
}
