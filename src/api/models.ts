import { z } from "zod";

const model = {
  id: z.string(),
  object: z.literal("model"),
  created: z.int().describe("Seconds since the epoch: when the server started."),
  owned_by: z.string().describe("The provider that is asked first."),
};

/** Answer of `GET /v1/models/{id}`. */
export const modelSchema = z.object({ ...model, request_id: z.string() });

/** Answer of `GET /v1/models`. */
export const modelListSchema = z.object({
  object: z.literal("list"),
  data: z.array(z.object(model)),
  request_id: z.string(),
});
