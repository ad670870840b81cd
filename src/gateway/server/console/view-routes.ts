import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { SextantError } from "../../../foundation/errors.js";
import { errorResponses } from "../../api/error.js";
import { newViewSchema, viewBody, viewListSchema, viewNameSchema, viewSchema } from "../../api/views.js";
import type { ServerDependencies } from "../dependencies.js";

/** `/admin/views`: pages of the console that operators saved by name, for all of them. */
export function addViewRoutes(
  app: FastifyInstance,
  { views, now }: Pick<ServerDependencies, "views" | "now">,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const shared = { config: { scope: "admin" }, tags: ["administration"] } as const;
  typed.route({
    method: "GET",
    url: "/admin/views",
    config: shared.config,
    schema: {
      operationId: "listViews",
      summary: "List the saved views of the console",
      tags: shared.tags,
      response: { 200: viewListSchema, ...errorResponses(401, 403, 500) },
    },
    handler: async (request, reply) =>
      reply.send({ object: "list", data: (await views.list()).map(viewBody), request_id: request.id }),
  });
  typed.route({
    method: "PUT",
    url: "/admin/views/:name",
    config: shared.config,
    schema: {
      operationId: "saveView",
      summary: "Save a view of the console under a name, in the place of one of that name",
      tags: shared.tags,
      params: viewNameSchema,
      body: newViewSchema,
      response: { 200: viewSchema, ...errorResponses(400, 401, 403, 413, 415, 500) },
    },
    handler: async ({ params: { name }, body: { path }, principal, id }, reply) => {
      const view = { name, path, savedBy: principal?.id ?? "", savedAtMs: now() };
      await views.save(view);
      return reply.send({ ...viewBody(view), request_id: id });
    },
  });
  typed.route({
    method: "DELETE",
    url: "/admin/views/:name",
    config: shared.config,
    schema: {
      operationId: "removeView",
      summary: "Remove a saved view of the console",
      tags: shared.tags,
      params: viewNameSchema,
      response: { 200: viewListSchema, ...errorResponses(400, 401, 403, 404, 500) },
    },
    handler: async ({ params: { name }, id }, reply) => {
      if (!(await views.remove(name))) throw new SextantError("not_found", "There is no view of that name.");
      return reply.send({ object: "list", data: (await views.list()).map(viewBody), request_id: id });
    },
  });
}
