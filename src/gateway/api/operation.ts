import { z } from "zod";

/** Answer of `GET /`: where things are. */
export const rootSchema = z.strictObject({
  name: z.literal("sextant"),
  version: z.string(),
  links: z
    .strictObject({
      api: z.literal("/v1"),
      documentation: z.literal("/docs"),
      openapi: z.literal("/openapi.json"),
      console: z.literal("/console").nullable().describe("Null when it is switched off."),
      health: z.literal("/readyz"),
      metrics: z.literal("/metrics"),
    })
    .describe("Paths on this server."),
  request_id: z.string(),
});

/** Answer of `GET /healthz`: the process is up. */
export const healthSchema = z.object({ status: z.literal("ok"), request_id: z.string() });

/** Answer of `GET /readyz`: 200 when every part is ready, 503 otherwise. */
export const readinessSchema = z.object({
  status: z.enum(["ready", "not_ready"]),
  parts: z.record(z.string(), z.looseObject({ ok: z.boolean() })),
  request_id: z.string(),
});
