import type { FastifyInstance } from "fastify";
import type { ServerDependencies } from "../../dependencies.js";

/** `GET /metrics`: what the server counts, for Prometheus. Without credentials, like the health routes. */
export function addMetricsRoute(
  app: FastifyInstance,
  { metrics }: Pick<ServerDependencies, "metrics">,
): void {
  app.route({
    method: "GET",
    url: "/metrics",
    schema: {
      operationId: "metrics",
      summary: "What the server counts, for Prometheus",
      tags: ["operation"],
      security: [],
    },
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  });
}
