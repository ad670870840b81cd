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
