import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { healthSchema, readinessSchema, rootSchema } from "../../api/operation.js";
import type { ServerDependencies } from "../../dependencies.js";
import type { OpenApiDocument } from "../../http/plugins/openapi.js";

/** Where things are, whether the server is up and ready, what it counts, and its routes. All without credentials. */
export function addOperationRoutes(
  app: FastifyInstance,
  {
    version,
    console,
    readiness,
    metrics,
    makeDocument,
  }: Pick<ServerDependencies, "version" | "console" | "readiness" | "metrics"> & {
    readonly makeDocument: () => Promise<OpenApiDocument>;
  },
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const open = { tags: ["operation"], security: [] };
  typed.route({
    method: "GET",
    url: "/",
    schema: { operationId: "root", summary: "Where things are", ...open, response: { 200: rootSchema } },
    handler: async (request) => ({
      name: "sextant" as const,
      version,
      links: {
        api: "/v1" as const,
        documentation: "/docs" as const,
        openapi: "/openapi.json" as const,
        console: console === null ? null : ("/console" as const),
        health: "/readyz" as const,
        metrics: "/metrics" as const,
      },
      request_id: request.id,
    }),
  });
  typed.route({
    method: "GET",
    url: "/healthz",
    schema: {
      operationId: "health",
      summary: "Whether the process is up",
      ...open,
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
      ...open,
      response: { 200: readinessSchema, 503: readinessSchema },
    },
    handler: async (request, reply) => {
      const parts = readiness();
      const ready = Object.values(parts).every(({ ok, optional }) => ok || optional === true);
      reply.code(ready ? 200 : 503);
      const status = ready ? ("ready" as const) : ("not_ready" as const);
      return { status, parts: { ...parts }, request_id: request.id };
    },
  });
  app.route({
    method: "GET",
    url: "/metrics",
    schema: { operationId: "metrics", summary: "What the server counts, for Prometheus", ...open },
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  });
  let document: string | undefined;
  app.route({
    method: "GET",
    url: "/openapi.json",
    schema: { operationId: "openapi", summary: "This document", ...open },
    handler: async (_request, reply) => {
      // Made from the schemas that check the requests.
      document ??= JSON.stringify(await makeDocument());
      return reply.type("application/json; charset=utf-8").send(document);
    },
  });
}
