import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { errorResponses } from "../../api/error.js";
import {
  type ConnectionTestBody,
  connectionTestRequestSchema,
  connectionTestSchema,
} from "../../api/providers.js";
import type { ConnectionTest } from "../../inference/connection-test.js";
import type { ServerDependencies } from "../dependencies.js";

/** `POST /admin/providers/{id}/test`: one small question to a provider, and how it answered. */
export function addProviderTestRoute(
  app: FastifyInstance,
  { testConnection }: Pick<ServerDependencies, "testConnection">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/admin/providers/:id/test",
    config: { scope: "admin" },
    schema: {
      operationId: "testProvider",
      summary: "Send one small question to a provider",
      tags: ["administration"],
      params: z.strictObject({ id: z.string() }),
      body: connectionTestRequestSchema,
      response: {
        200: connectionTestSchema,
        ...errorResponses(400, 401, 403, 404, 413, 415, 500, 503),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const signal = reply.server.shutdown.signalOf(reply.raw);
      const test = await testConnection({ provider: id, model: request.body.model }, signal);
      reply.header("cache-control", "no-store");
      return reply.send({ ...testBody(test), request_id: request.id });
    },
  });
}

function testBody(test: ConnectionTest): Omit<ConnectionTestBody, "request_id"> {
  const { provider, model, upstreamModel, code, status, message, latencyMs, usage, costUsd } = test;
  return {
    object: "provider.test",
    provider,
    model,
    upstream_model: upstreamModel,
    ok: code === "ok",
    code,
    status,
    message,
    latency_ms: latencyMs,
    usage: usage && { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens },
    cost_usd: costUsd,
  };
}
