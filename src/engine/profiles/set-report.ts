/** The report of a profile set, apart from held-out prompts: the workbench makes it, the gateway serves it as it is. */
import { z } from "zod";
import { BASES } from "../estimation/basis.js";
import { WEIGHT_RULES } from "../estimation/saved-weight.js";

/** A cost weight that `sextant profile tune --save` wrote into a set. */
export const recommendedWeightSchema = z.strictObject({
  cost_weight: z.number().min(0).max(1),
  rule: z
    .enum(WEIGHT_RULES)
    .describe(
      "`max_loss`: the cheapest cost weight within a loss of quality; `max_cost`: the best within a cost; `knee`: the knee of cost and quality.",
    ),
  limit: z
    .number()
    .min(0)
    .nullable()
    .describe("Of `max_loss`, as a share of 1; of `max_cost`, in US dollars a prompt; null for `knee`."),
  prompts: z.int().positive().describe("Held-out prompts that it was chosen by."),
  saved_at: z.string().describe("ISO 8601, UTC."),
  is_current: z
    .boolean()
    .describe("False when the set has changed since, such as by a model that was added: tune it again."),
});

/** What a model's profile rests on. */
export const basisSchema = z
  .enum(BASES)
  .describe(
    "What the model's profile rests on: `measured` (graded answers), `placed` (published scores; without any, the model's maker, date and price), or `both`.",
  );

const share = z.number().min(0).max(1);
const modelIndex = z.int().min(0).describe("Index into `models`.");
const topicIndex = z.int().min(0).describe("Index into `topics`.");

export const setReportSchema = z.strictObject({
  name: z.string(),
  version: z.string(),
  built_at: z.string().describe("ISO 8601, UTC."),
  embedder: z.string(),
  anchors: z.int().describe("Profiled prompts."),
  sources: z
    .array(z.strictObject({ name: z.string(), licence: z.string().nullable(), anchors: z.int() }))
    .describe("Where the profiled prompts are from."),
  models: z
    .array(
      z.strictObject({
        model: z.string(),
        basis: basisSchema,
        expected_quality: share,
        quality_stderr: z.number().min(0),
        samples: z.int().describe("Profiled prompts that it was scored on."),
        chosen: share.describe("Of the prompts on the map: how many it would answer at cost weight 0."),
      }),
    )
    .describe("Best expected quality first."),
  recommended_cost_weight: recommendedWeightSchema
    .nullable()
    .describe("What `sextant profile tune --save` recommends for the set; null when none was saved."),
  topics: z.array(z.string()),
  clusters: z
    .array(topicIndex)
    .describe(
      "Topics that are clusters of similar profiled prompts, numbered by size: in place of a topic whose prompts came without benchmark and category.",
    ),
  map: z
    .array(
      z.strictObject({
        x: share,
        y: share,
        topic: topicIndex,
        chosen: modelIndex,
        best: z.array(z.strictObject({ model: modelIndex, quality: share, stderr: z.number().min(0) })),
        near: z.array(z.strictObject({ topic: topicIndex, share })),
      }),
    )
    .describe("Profiled prompts in a plane, neighbours near each other: all, or a random sample."),
  strengths: z
    .array(
      z.strictObject({
        topic: z.string(),
        anchors: z.int(),
        models: z
          .array(z.strictObject({ quality: share, stderr: z.number().min(0), samples: z.int() }))
          .describe("Of the first models, in their order."),
      }),
    )
    .describe("Topics with the most profiled prompts, the most first."),
  thin_spots: z
    .array(
      z.strictObject({
        topic: z.string(),
        anchors: z.int(),
        at_stake: z
          .number()
          .min(0)
          .describe("Quality that telling the best models apart would bring to a prompt of the topic."),
        between: z
          .array(z.string())
          .describe("The two models between which the decision is open most often."),
        label: z
          .strictObject({ model: z.string(), samples: z.int() })
          .describe("Of these, the one with fewer graded answers on the topic."),
      }),
    )
    .describe("Where graded answers could improve decisions most, the most first."),
  dominated_efforts: z
    .record(z.string(), z.string())
    .describe(
      "Models at an effort that are never chosen among all, each with another effort of the same model that is no worse and costs no more.",
    ),
  frontier: z
    .strictObject({
      prompts: z.int().describe("Profiled prompts that were decided, each without its own scores."),
      sweep: z.array(
        z.strictObject({
          cost_weight: share,
          quality: share,
          cost_usd: z.number().min(0).describe("Of a prompt."),
        }),
      ),
      singles: z
        .array(z.strictObject({ model: z.string(), quality: share, cost_usd: z.number().min(0) }))
        .describe(
          "Models that no other beats on both quality and cost, and the best overall; the best first.",
        ),
      recommended: z
        .strictObject({
          cost_weight: share,
          loss: z.number().describe("Quality that is lost against the best cost weight."),
          saved: z
            .number()
            .describe("Share of the cost of always the best single model; negative when it costs more."),
        })
        .describe(
          "At the recommended cost weight: the one that is saved in the set, else that for prompts like traffic.",
        ),
    })
    .nullable()
    .describe(
      "Expected quality and cost along the cost weight; null when fewer than two models have a known cost.",
    ),
  calibration: z
    .strictObject({
      answers: z.int().describe("Graded answers in the set that were compared with their expectation."),
      error: z.number().min(0).describe("Mean distance of expected from seen quality."),
      if_perfect: z.number().min(0).describe("What perfect expectations would show on as many answers."),
      bins: z.array(z.strictObject({ expected: share, seen: share, count: z.int() })),
    })
    .nullable()
    .describe(
      "Expected against seen quality, each prompt without its own scores; null without graded answers.",
    ),
});

/** Numbers are rounded to four decimals. Indexes are positions in the lists that they name. */
export type SetReport = z.infer<typeof setReportSchema>;
