import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ServerDependencies } from "../../dependencies.js";
import { clientOf } from "../../http/client-address.js";
import { addRoute } from "../../http/route.js";
import type { AdminEvent, NewEvent } from "./event.js";
import { eventListSchema, eventsQuerySchema } from "./schema.js";

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
  addRoute(app, {
    route: "GET /admin/events",
    operationId: "listEvents",
    summary: "List what operators did",
    query: eventsQuerySchema,
    answer: eventListSchema,
    errors: [503],
    async handle({ query: { kind, target, start_date: start, end_date: end, limit } }) {
      const filter = {
        kinds: kind,
        target,
        startMs: start === undefined ? undefined : Date.parse(start),
        endMs: end === undefined ? undefined : Date.parse(end),
      };
      const page = await events.list(filter, Number(limit));
      return { object: "list" as const, data: page.events, has_more: page.hasMore };
    },
  });
}
