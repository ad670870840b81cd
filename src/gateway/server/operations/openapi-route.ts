import type { FastifyInstance } from "fastify";
import type { OpenApiDocument } from "../http/plugins/openapi.js";

/** `GET /openapi.json`: the routes and their schemas, made from the schemas that check the requests. */
export function addOpenApiRoute(app: FastifyInstance, makeDocument: () => Promise<OpenApiDocument>): void {
  let document: string | undefined;
  app.route({
    method: "GET",
    url: "/openapi.json",
    schema: {
      operationId: "openapi",
      summary: "This document",
      tags: ["operation"],
      security: [],
    },
    handler: async (_request, reply) => {
      document ??= JSON.stringify(await makeDocument());
      return reply.type("application/json; charset=utf-8").send(document);
    },
  });
}
