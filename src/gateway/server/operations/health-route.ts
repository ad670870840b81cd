import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { healthSchema, readinessSchema } from "../../api/health.js";
import type { ServerDependencies } from "../dependencies.js";

/** `GET /healthz` (the process is up) and `GET /readyz` (it can decide). Both without credentials. */
export function addHealthRoutes(
  app: FastifyInstance,
  { readiness }: Pick<ServerDependencies, "readiness">,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
    method: "GET",
    url: "/healthz",
    schema: {
      operationId: "health",
      summary: "Whether the process is up",
      tags: ["operation"],
      security: [],
      response: { 200: healthSchema },
    },
    handler: async (request) => ({ status: "ok" as const, request_id: request.id }),
  });
  typed.route({
    method: "GET",
    url: "/readyz",
    schema: {
      operationId: "readiness",
      summary: "Whether every part is ready",
      tags: ["operation"],
      security: [],
      response: { 200: readinessSchema, 503: readinessSchema },
    },
    handler: async (request, reply) => {
      const parts = await readiness();
      const ready = Object.values(parts).every(({ ok, optional }) => ok || optional === true);
      reply.code(ready ? 200 : 503);
      return {
        status: ready ? ("ready" as const) : ("not_ready" as const),
        parts: { ...parts },
        request_id: request.id,
      };
    },
  });
}
