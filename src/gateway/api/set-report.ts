import { z } from "zod";
import type { SetReport } from "../../workbench/set-report/report-data.js";
import { closedObject } from "./closed-object.js";
import { recommendedWeightSchema } from "./recommended-weight.js";
import { basisSchema } from "./routing.js";

const badSet = { error: "it must be the name of one profile set" };

/** Query of `GET /admin/router/report`. */
export const setReportQuerySchema = closedObject(
  {
    set: z
      .string(badSet)
      .min(1, badSet)
      .optional()
      .describe("Name of a profile set in use. Default: the first."),
  },
  "it must be a query",
);

const share = z.number().min(0).max(1);
const modelIndex = z.int().min(0).describe("Index into `models`.");
const topicIndex = z.int().min(0).describe("Index into `topics`.");

const weighedFields = {
  cost_weight: share,
  loss: z.number(),
  saved: z
    .number()
    .describe("Share of the cost of always the best single model; negative when it costs more."),
};

const reportFields = {
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
      weights: z
        .array(
          z.strictObject({
            max_loss: share.describe("Quality that may be lost against the best cost weight."),
            ...weighedFields,
          }),
        )
        .describe("Recommended cost weights."),
      knee: z
        .strictObject(weighedFields)
        .nullable()
        .describe(
          "The knee of cost and quality, beyond which quality falls faster than cost; null where the curve has no pronounced one.",
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
};

/** Answer of `GET /admin/router/report`. */
export const setReportSchema = z.strictObject({
  object: z.literal("router.report"),
  sets: z.array(z.string()).describe("Names of the profile sets in use."),
  ...reportFields,
  request_id: z.string(),
});

const reportSchema = z.strictObject(reportFields);
/** A report of a profile set. */
export type SetReportBody = z.infer<typeof reportSchema>;
/** Answer of `GET /admin/router/report`. */
export type SetReportReplyBody = z.infer<typeof setReportSchema>;

/** Models in `strengths`. */
const MOST_MODELS = 14;

/** A report as it is sent and drawn, rounded. */
export function setReportBody(report: SetReport): SetReportBody {
  const { frontier, calibration } = report;
  return {
    name: report.name,
    version: report.version,
    built_at: report.builtAt,
    embedder: report.embedder,
    anchors: report.anchors,
    sources: report.sources.map((source) => ({ ...source })),
    models: report.models.map(({ model, basis, quality, error, scored, chosen }) => ({
      model,
      basis,
      expected_quality: rounded(quality),
      quality_stderr: rounded(error),
      samples: scored,
      chosen: rounded(chosen),
    })),
    recommended_cost_weight: report.recommended,
    topics: [...report.topics],
    clusters: [...report.clusters],
    map: report.map.points.map(({ x, y, topic, chosen, best, topicsNear }) => ({
      x: rounded(x),
      y: rounded(y),
      topic,
      chosen,
      best: best.map(({ model, quality, error }) => ({
        model,
        quality: rounded(quality),
        stderr: rounded(error),
      })),
      near: topicsNear.map(({ topic: near, share: part }) => ({ topic: near, share: rounded(part) })),
    })),
    strengths: report.strengths.map(({ topic, anchors, cells }) => ({
      topic,
      anchors,
      models: cells.slice(0, MOST_MODELS).map(({ quality, error, measured }) => ({
        quality: rounded(quality),
        stderr: rounded(error),
        samples: Math.round(measured * anchors),
      })),
    })),
    thin_spots: report.thinSpots.map(({ topic, anchors, atStake, between, label }) => ({
      topic,
      anchors,
      at_stake: atStake,
      between: [...between],
      label: { model: label.model, samples: label.labels },
    })),
    dominated_efforts: Object.fromEntries(report.dominatedEfforts),
    frontier: frontier && {
      prompts: frontier.prompts,
      sweep: frontier.sweep.map(({ costWeight, quality, costUsd }) => ({
        cost_weight: costWeight,
        quality: rounded(quality),
        cost_usd: costUsd,
      })),
      singles: frontier.singles.map(({ model, quality, costUsd }) => ({
        model,
        quality: rounded(quality),
        cost_usd: costUsd,
      })),
      weights: frontier.weights.map((step) => ({ max_loss: step.maxLoss, ...weighedBody(step) })),
      knee: frontier.knee && weighedBody(frontier.knee),
    },
    calibration: calibration && {
      answers: calibration.answers,
      error: rounded(calibration.error),
      if_perfect: rounded(calibration.ifPerfect),
      bins: calibration.bins.map(({ expected, seen, count }) => ({
        expected: rounded(expected),
        seen: rounded(seen),
        count,
      })),
    },
  };
}

const weighedBody = ({
  costWeight,
  loss,
  saved,
}: NonNullable<NonNullable<SetReport["frontier"]>["knee"]>) => ({
  cost_weight: costWeight,
  loss: rounded(loss),
  saved: rounded(saved),
});

const rounded = (value: number): number => Math.round(10_000 * value) / 10_000;
