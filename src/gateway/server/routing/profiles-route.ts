import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { errorResponses } from "../../api/error.js";
import { profileListSchema } from "../../api/profiles.js";
import { modelCounts } from "../../inference/configured-summary.js";
import type { ServerDependencies } from "../dependencies.js";

/** `GET /v1/router/profiles`: the models that can be chosen among, and what is known of each. */
export function addProfilesRoute(
  app: FastifyInstance,
  {
    router,
    catalog,
    lengthCorrections,
    setReports,
  }: Pick<ServerDependencies, "router" | "catalog" | "lengthCorrections" | "setReports">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/v1/router/profiles",
    schema: {
      operationId: "listProfiles",
      summary: "List the profiled models",
      tags: ["routing"],
      response: { 200: profileListSchema, ...errorResponses(401, 500, 503) },
    },
    handler: async (request) => {
      const corrections = lengthCorrections();
      const data = router.profiles().map((profile) => ({
        ...profile,
        length_correction: corrections.get(profile.model) ?? null,
        benchmarks: { ...profile.benchmarks },
      }));
      return {
        object: "list" as const,
        data,
        profiles: data.map(({ model }) => model),
        count: data.length,
        models: modelCounts(router, catalog),
        sets: setReports.sets().map(({ name, recommended }) => ({
          name,
          recommended_cost_weight: recommended,
        })),
        request_id: request.id,
      };
    },
  });
}
