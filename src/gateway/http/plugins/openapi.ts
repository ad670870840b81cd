import type { FastifyDynamicSwaggerOptions, StaticDocumentSpec } from "@fastify/swagger";
import fastify, { type FastifyInstance, type RouteOptions } from "fastify";

export type OpenApiDocument = StaticDocumentSpec["document"];

type DescribedRoute = Pick<RouteOptions, "method" | "url" | "schema">;

/**
 * Notes the schemas of routes that are added after it.
 *
 * @returns what makes the document of them when it is first asked. What that needs is loaded then: a hundred modules that a
 * start can do without
 */
export function collectOpenApi(
  app: FastifyInstance,
  { version }: { readonly version: string },
): () => Promise<OpenApiDocument> {
  const routes: DescribedRoute[] = [];
  app.addHook("onRoute", ({ method, url, schema }) => {
    // Added by Fastify beside GET, and not described.
    if (method !== "HEAD") routes.push({ method, url, ...(schema !== undefined && { schema }) });
  });
  let document: Promise<OpenApiDocument> | undefined;
  return () => {
    document ??= documentOf(routes, version);
    return document;
  };
}

/** From an application that has the routes and never serves any. */
async function documentOf(routes: readonly DescribedRoute[], version: string): Promise<OpenApiDocument> {
  const [{ default: swagger }, { jsonSchemaTransform }] = await Promise.all([
    import("@fastify/swagger"),
    import("fastify-type-provider-zod"),
  ]);
  const app: FastifyInstance = fastify({ logger: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.register(swagger, { openapi: description(version), transform: jsonSchemaTransform });
  app.after(() => {
    for (const route of routes) app.route({ ...route, handler: () => {} });
  });
  await app.ready();
  const document = app.swagger() as OpenApiDocument;
  await app.close();
  return document;
}

const description = (version: string): NonNullable<FastifyDynamicSwaggerOptions["openapi"]> => ({
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
});
