import fastify, { type FastifyInstance } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import { pageHeaders } from "../../http/page-headers.js";
import type { OpenApiDocument } from "../../http/plugins/openapi.js";

const PREFIX = "/docs";

/** Swagger UI sets styles from its script. */
const HEADERS = pageHeaders(["style-src 'self' 'unsafe-inline'", "font-src 'self'", "form-action 'none'"]);

const PASSED_ON = ["content-type", "location"];

/**
 * `GET /docs`: the OpenAPI document as a page to read and try, without a network beyond this server.
 *
 * The page comes from an application of its own, made when it is first asked for: loading it takes longer than starting
 * the server.
 */
export function addDocsRoutes(app: FastifyInstance, makeDocument: () => Promise<OpenApiDocument>): void {
  let page: Promise<FastifyInstance> | undefined;
  app.addHook("onClose", async () => (await page)?.close());
  for (const url of [PREFIX, `${PREFIX}/*`]) {
    app.route({
      method: "GET",
      url,
      schema: { hide: true },
      handler: async (request, reply) => {
        page ??= makeDocument().then(openPage);
        const response = await (await page).inject({ method: "GET", url: request.url });
        if (response.statusCode >= 400) throw notFound(request.url);
        for (const name of PASSED_ON) {
          if (response.headers[name] !== undefined) reply.header(name, response.headers[name]);
        }
        return reply.code(response.statusCode).headers(HEADERS).send(response.rawPayload);
      },
    });
  }
}

async function openPage(document: OpenApiDocument): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import("@fastify/swagger"),
    import("@fastify/swagger-ui"),
  ]);
  const page: FastifyInstance = fastify({ logger: false });
  page.register(swagger, { mode: "static", specification: { document } });
  page.register(swaggerUi, {
    routePrefix: PREFIX,
    theme: { title: "Sextant API" },
    uiConfig: { persistAuthorization: true },
  });
  await page.ready();
  return page;
}

const notFound = (url: string): SextantError =>
  new SextantError("not_found", `There is no page ${url.split("?", 1)[0]?.slice(0, 200)}. Open ${PREFIX}.`);
