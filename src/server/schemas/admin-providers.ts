import { z } from "zod";
import { offerSchema } from "./providers.js";

const { id: _id, type, enabled: _enabled, ...offered } = offerSchema.shape;

/** Answer of `GET /admin/providers`. */
export const adminProviderListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(
    z.strictObject({
      id: z.string(),
      type,
      enabled: z.boolean().describe("Whether it is configured, so that requests can be sent."),
      remedy: z.string().nullable().describe("What would enable it; null when it is enabled."),
      models: z
        .array(z.strictObject({ model: z.string(), ...offered }))
        .describe("What it serves of the models that can be used, by name; empty unless it is enabled."),
    }),
  ),
  request_id: z.string(),
});
