import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { rootSchema } from "../../api/root.js";
import type { ServerDependencies } from "../dependencies.js";

/** `GET /`: says where things are, to whoever has nothing but the address. Without credentials. */
export function addRootRoute(
  app: FastifyInstance,
  { version, console }: Pick<ServerDependencies, "version" | "console">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/",
    schema: {
      operationId: "root",
      summary: "Where things are",
      tags: ["operation"],
      security: [],
      response: { 200: rootSchema },
    },
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
}
