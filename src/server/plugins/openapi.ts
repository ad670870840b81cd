import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";

/** Collects the schemas of routes added after it. The document itself is built at its first use. */
export function collectOpenApi(app: FastifyInstance, { version }: { readonly version: string }): void {
  app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Sextant",
        description:
          "Inference gateway with semantic routing: one API for every model, and the best model for a prompt.",
        version,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      components: {
        securitySchemes: {
          apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
          bearer: { type: "http", scheme: "bearer" },
        },
      },
      security: [{ apiKey: [] }, { bearer: [] }],
      tags: [
        { name: "inference", description: "Answers, in the form of OpenAI's API." },
        { name: "routing", description: "Decisions, and the profiles behind them." },
        { name: "models", description: "What can be used, for what price, and how well it does." },
        { name: "traces", description: "Finished requests. Needs the scope `traces:read`." },
        {
          name: "administration",
          description: "API keys, profiles, statistics of traces. Needs the scope `admin`.",
        },
        { name: "operation", description: "Whether the server is up and ready." },
      ],
    },
    transform: jsonSchemaTransform,
  });
}
