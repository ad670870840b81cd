import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { errorResponses } from "../../api/error.js";
import { newPauseSchema, type PauseBody, pauseListSchema, pauseReplySchema } from "../../api/pauses.js";
import { checkedPause } from "../../pauses/checked-pause.js";
import { type Pause, pauseStart } from "../../pauses/pause.js";
import type { ServerDependencies } from "../dependencies.js";
import { recordActs } from "./events-route.js";

type Dependencies = Pick<ServerDependencies, "pauses" | "events" | "keys" | "catalog" | "limits" | "now">;

/** Pauses with the names that their keys have now. */
export const pauseBodies =
  (keys: Pick<Dependencies["keys"], "nameOf">) =>
  (pause: Pause): PauseBody => ({
    ...pause,
    target_name: pause.kind === "key" ? (keys.nameOf(pause.target) ?? null) : null,
    created_by_name: keys.nameOf(pause.created_by) ?? null,
  });

/** `/admin/pauses`: what operators have taken out of use for a while, and what answers instead. */
export function addPauseRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { pauses, keys } = dependencies;
  const record = recordActs(dependencies);
  const bodyOf = pauseBodies(keys);
  const targetOf = ({ kind, target }: Pause) => ({
    type: kind,
    id: target,
    name: kind === "key" ? (keys.nameOf(target) ?? null) : null,
  });
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
    method: "GET",
    url: "/admin/pauses",
    config: { scope: "admin" },
    schema: {
      operationId: "listPauses",
      summary: "List the pauses in force",
      tags: ["administration"],
      response: { 200: pauseListSchema, ...errorResponses(401, 403, 500) },
    },
    handler: async (request) => ({
      object: "list" as const,
      data: pauses.list().map(bodyOf),
      request_id: request.id,
    }),
  });
  typed.route({
    method: "POST",
    url: "/admin/pauses",
    config: { scope: "admin" },
    schema: {
      operationId: "startPause",
      summary: "Pause a model, a provider or a caller, or redirect a model",
      tags: ["administration"],
      body: newPauseSchema,
      response: { 201: pauseReplySchema, ...errorResponses(400, 401, 403, 404, 413, 415, 500, 503) },
    },
    handler: async (request, reply) => {
      if (request.principal === null) throw new TypeError("The route has no authentication.");
      const { kind, target, redirect_to: redirectTo = null, reason, ends_at: end } = request.body;
      const endsAtMs = typeof end === "string" ? Date.parse(end) : end;
      const asked = { kind, target, redirectTo, reason, endsAtMs, by: request.principal.id };
      const pause = await pauses.add(checkedPause(asked, dependencies));
      const details = pauseStart(pause);
      await record(request, { kind: "pause.started", target: targetOf(pause), details });
      return reply.code(201).send({ ...bodyOf(pause), request_id: request.id });
    },
  });
  typed.route({
    method: "DELETE",
    url: "/admin/pauses/:id",
    config: { scope: "admin" },
    schema: {
      operationId: "endPause",
      summary: "End a pause before its time",
      tags: ["administration"],
      params: z.object({ id: z.string() }),
      response: { 200: pauseReplySchema, ...errorResponses(401, 403, 404, 500, 503) },
    },
    handler: async (request) => {
      const pause = await pauses.end(request.params.id);
      await record(request, { kind: "pause.ended", target: targetOf(pause), details: { pause: pause.id } });
      return { ...bodyOf(pause), request_id: request.id };
    },
  });
}
