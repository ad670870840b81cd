import { z } from "zod";

/** Answer of `GET /healthz`: the process is up. */
export const healthSchema = z.object({ status: z.literal("ok"), request_id: z.string() });

/** Answer of `GET /readyz`: 200 when every part is ready, 503 otherwise. */
export const readinessSchema = z.object({
  status: z.enum(["ready", "not_ready"]),
  parts: z.record(z.string(), z.looseObject({ ok: z.boolean() })),
  request_id: z.string(),
});
