import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import { reloadSchema } from "../../api/profiles.js";
import type { ServerDependencies } from "../dependencies.js";

/** `POST /admin/reload`: takes changed profiles without a restart, or leaves everything as it is. */
export function addReloadRoute(
  app: FastifyInstance,
  { reloadProfiles }: Pick<ServerDependencies, "reloadProfiles">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/admin/reload",
    config: { scope: "admin" },
    schema: {
      operationId: "reloadProfiles",
      summary: "Load the profiles again",
      tags: ["administration"],
      response: { 200: reloadSchema, ...errorResponses(401, 403, 409, 500) },
    },
    handler: async (request, reply) => {
      const { version, count, notes } = await reloadProfiles();
      const loaded = { version, count, notes: [...notes] };
      return reply.send({ object: "router.profiles", ...loaded, request_id: request.id });
    },
  });
}
