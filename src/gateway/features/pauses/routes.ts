import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import { type Pause, pauseStart } from "../../run/pause.js";
import { recordActs } from "../events/routes.js";
import { checkedPause } from "./checked-pause.js";
import { newPauseSchema, type PauseBody, pauseListSchema, pauseReplySchema } from "./schema.js";

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
  addRoute(app, {
    route: "GET /admin/pauses",
    operationId: "listPauses",
    summary: "List the pauses in force",
    answer: pauseListSchema,
    handle: () => ({ object: "list" as const, data: pauses.list().map(bodyOf) }),
  });
  addRoute(app, {
    route: "POST /admin/pauses",
    operationId: "startPause",
    summary: "Pause a model, a provider or a caller, or redirect a model",
    body: newPauseSchema,
    answer: pauseReplySchema,
    status: 201,
    errors: [404, 503],
    async handle({ body, principal, request }) {
      const pause = await pauses.add(checkedPause({ ...body, by: principal.id }, dependencies));
      const details = pauseStart(pause);
      await record(request, { kind: "pause.started", target: targetOf(pause), details });
      return bodyOf(pause);
    },
  });
  addRoute(app, {
    route: "DELETE /admin/pauses/:id",
    operationId: "endPause",
    summary: "End a pause before its time",
    params: z.object({ id: z.string() }),
    answer: pauseReplySchema,
    errors: [503],
    async handle({ params, request }) {
      const pause = await pauses.end(params.id);
      await record(request, { kind: "pause.ended", target: targetOf(pause), details: { pause: pause.id } });
      return bodyOf(pause);
    },
  });
}
