import { z } from "zod";
import { basisSchema, recommendedWeightSchema } from "../../engine/profiles/set-report.js";

const published = z.strictObject({
  benchmark: z.string(),
  source: z.string(),
  date: z.string().nullable().describe("ISO 8601, to the day or the month; null when the source gives none."),
});

const profile = z.strictObject({
  model: z.string(),
  basis: basisSchema,
  samples: z.int().describe("Profiled prompts the model was scored on."),
  expected_quality: z
    .number()
    .min(0)
    .max(1)
    .describe("Over all topics, the difficulty of prompts taken out: comparable between models."),
  quality_stderr: z.number().min(0).describe("Standard error of `expected_quality`."),
  mean_quality: z
    .number()
    .describe(
      "Over the prompts the model was scored on, easy or hard as they are: not comparable between models.",
    ),
  mean_cost_usd: z.number().nullable(),
  length_correction: z
    .object({
      ratio: z.number().positive().describe("Factor on the expected length of an answer."),
      answers: z.int().positive().describe("Answers that it was learned from."),
    })
    .nullable()
    .describe("How long answers in use are against what the profile expects; null while none is known."),
  benchmarks: z.record(z.string(), z.int()).describe("Profiled prompts by benchmark."),
  published: z
    .array(published)
    .readonly()
    .describe("Published scores that the model was placed by; their figures stay with their publishers."),
  predecessor: z.string().nullable().describe("Release that it is held up to without evidence, or null."),
  dominated_by: z
    .string()
    .nullable()
    .describe(
      "Another effort of the same model that is no worse by the profiles and costs no more, so this one is never chosen among all; else null.",
    ),
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
  models: z
    .strictObject({
      profiled: z.int().describe("With a profile in the sets, efforts (`model:effort`) counted apart."),
      live: z.int().describe("Of these, not retired and served by someone."),
      runnable: z
        .int()
        .describe("Of these, served by a configured provider; all of them while none is configured."),
      candidates: z
        .int()
        .describe(
          "Of these, those that a choice among all considers: without efforts that are not known to differ from their model.",
        ),
    })
    .describe("How many models there are, and which filter takes how many away."),
  sets: z
    .array(z.strictObject({ name: z.string(), recommended_cost_weight: recommendedWeightSchema.nullable() }))
    .describe(
      "The profile sets in use, each with the cost weight that `sextant profile tune --save` recommends for it; null when none was saved. Requests without `cost_weight` do not use it.",
    ),
  request_id: z.string(),
});

/** Answer of `POST /admin/reload`. */
export const reloadSchema = z.object({
  object: z.literal("router.profiles"),
  version: z.string().describe("Version of the profiles that are now in use."),
  count: z.int().describe("Models with a profile."),
  settings_changed: z
    .array(z.string())
    .describe(
      "Keys of the settings file that are now used with other values; `environment`: keys of providers; `catalog`: models and prices.",
    ),
  notes: z.array(z.string()).describe("What a person should know of them."),
  request_id: z.string(),
});

/** A score that somebody published of a model; its figure stays with its publisher. */
export type PublishedScoreBody = z.infer<typeof published>;
/** What one model is known to be good at. */
export type ProfileBody = z.infer<typeof profile>;
export type ProfileListBody = z.infer<typeof profileListSchema>;
export type ReloadBody = z.infer<typeof reloadSchema>;
