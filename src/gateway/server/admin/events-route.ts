import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import { eventListSchema, eventsQuerySchema } from "../../api/events.js";
import type { AdminEvent, NewEvent } from "../../audit/event.js";
import type { ServerDependencies } from "../dependencies.js";
import { clientOf } from "../http/client-address.js";

type AuditDependencies = Pick<ServerDependencies, "events" | "keys" | "limits">;

/** Keeps what the caller of a request did. Never rejects. */
export type RecordAct = (request: FastifyRequest, act: Omit<NewEvent, "actor">) => Promise<void>;

export function recordActs({ events, keys, limits }: AuditDependencies): RecordAct {
  const addressOf = clientOf(limits.trustedProxies);
  return async (request, act) => {
    const id = request.principal?.id ?? "unknown";
    const actor: AdminEvent["actor"] = { id, name: keys.nameOf(id) ?? null, address: addressOf(request) };
    await events.record({ ...act, actor });
  };
}

/** `GET /admin/events`: who did what to keys, profiles and pauses. */
export function addEventsRoute(app: FastifyInstance, { events }: Pick<ServerDependencies, "events">): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/admin/events",
    config: { scope: "admin" },
    schema: {
      operationId: "listEvents",
      summary: "List what operators did",
      tags: ["administration"],
      querystring: eventsQuerySchema,
      response: { 200: eventListSchema, ...errorResponses(400, 401, 403, 500, 503) },
    },
    handler: async (request) => {
      const { kind, target, start_date: start, end_date: end, limit } = request.query;
      const filter = {
        kinds: kind,
        target,
        startMs: start === undefined ? undefined : Date.parse(start),
        endMs: end === undefined ? undefined : Date.parse(end),
      };
      const page = await events.list(filter, Number(limit));
      return {
        object: "list" as const,
        data: [...page.events],
        has_more: page.hasMore,
        request_id: request.id,
      };
    },
  });
}
