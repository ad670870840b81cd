import { z } from "zod";

const profile = z.strictObject({
  model: z.string(),
  samples: z.int().describe("Profiled prompts the model was scored on."),
  mean_quality: z.number(),
  mean_cost_usd: z.number().nullable(),
  length_correction: z
    .object({
      ratio: z.number().positive().describe("Factor on the expected length of an answer."),
      answers: z.int().positive().describe("Answers that it was learned from."),
    })
    .nullable()
    .describe("How long answers in use are against what the profile expects; null while none is known."),
  benchmarks: z.record(z.string(), z.int()).describe("Profiled prompts by benchmark."),
  embedder: z.string(),
  built_at: z.string().describe("ISO 8601, UTC."),
  version: z.string(),
});

/** Answer of `GET /v1/router/profiles`. */
export const profileListSchema = z.object({
  object: z.literal("list"),
  data: z.array(profile),
  profiles: z.array(z.string()).describe("The model ids alone."),
  count: z.int(),
  request_id: z.string(),
});
