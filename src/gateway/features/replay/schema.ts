import { z } from "zod";
import { snakeCased } from "../../../foundation/snake-case.js";
import { estimateSchema, quoted, sampleParameter } from "../traces/schema/sample.js";
import { invalidParameter, searchQuery } from "../traces/schema/trace-query.js";
import type { ReplayReport, TracesReplay } from "./replay-report.js";

const DEFAULT_WEIGHTS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const MOST_WEIGHTS = 21;
const MOST_MODELS = 256;
/** Of one report. */
const MOST_MOVES = 50;

/** The query string of `GET /admin/traces/replay`. */
export const replayQuery = searchQuery({
  cost_weight: {
    description: `Cost weights to try, 0 to 1, separated by commas, at most ${MOST_WEIGHTS}. Default: ${DEFAULT_WEIGHTS.join(", ")}.`,
    read: weightsIn,
  },
  sample: sampleParameter,
  models: {
    description:
      "Models to choose among, separated by commas. Default: those that each request was routed among; requests that named their model are then left out.",
    read: modelsIn,
  },
});

function weightsIn(text: string): readonly number[] {
  const texts = listIn(text);
  if (texts.length === 0) return DEFAULT_WEIGHTS;
  if (texts.length > MOST_WEIGHTS) {
    throw invalidParameter(
      "cost_weight",
      `\`cost_weight\` has ${texts.length} weights. Give at most ${MOST_WEIGHTS}.`,
    );
  }
  return texts.map((one) => {
    const weight = /^(?:\d+|\d*\.\d+)$/.test(one) ? Number(one) : Number.NaN;
    if (weight <= 1) return weight;
    throw invalidParameter(
      "cost_weight",
      `\`cost_weight\` has ${quoted(one)}: it must be numbers from 0 to 1.`,
    );
  });
}

function modelsIn(text: string): readonly string[] | undefined {
  const models = [...new Set(listIn(text))];
  if (models.length === 0) return undefined;
  if (models.length >= 2 && models.length <= MOST_MODELS) return models;
  throw invalidParameter(
    "models",
    `\`models\` has ${models.length} of them. Give 2 to ${MOST_MODELS} different ones, or leave it out.`,
  );
}

const listIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

const count = z.int().min(0);
const usd = z.number().min(0);

const reportSchema = z.strictObject({
  cost_weight: z.number().min(0).max(1),
  profile_version: z.string(),
  requests: count.describe("Requests that were decided again."),
  changed: count.describe("Of these, requests that go to another model."),
  spend: z.strictObject({
    requests: count.describe("Requests whose cost is known: the figures are of these."),
    actual_usd: usd,
    predicted_usd: estimateSchema,
    change: estimateSchema
      .nullable()
      .describe("Of `predicted_usd` against `actual_usd`, as a share of it; null when nothing was billed."),
  }),
  quality: z.strictObject({
    actual: z.number().describe("Mean expected quality of the models that answered."),
    change: estimateSchema,
  }),
  moves: z
    .array(
      z.strictObject({
        from: z.string(),
        to: z.string(),
        requests: count,
        quality: z.number().describe("Mean change of the expected quality."),
      }),
    )
    .describe(
      `Requests by the model that answered and the one chosen, the most first; at most ${MOST_MOVES}.`,
    ),
});

/** What `GET /admin/traces/replay` and `sextant replay --json` have in common. */
const replayParts = {
  reports: z
    .array(reportSchema)
    .describe("One for each cost weight; none when no request can be decided again."),
  left_out: z
    .strictObject({
      text: count.describe("Requests whose text was not kept."),
      named: count.describe("Requests that named their model."),
      failed: count.describe("Requests that failed, or asked for embeddings."),
      undecidable: count.describe("Requests whose models have no profile here, or cannot be chosen now."),
    })
    .describe("Requests that were read and cannot be decided again."),
  feedback: z
    .strictObject({ requests: count, mean: z.number(), expected: z.number() })
    .nullable()
    .describe("Clients' scores against what was expected of the models that answered; null without any."),
};

/** Answer of `GET /admin/traces/replay`. */
export const replaySchema = z.strictObject({
  object: z.literal("traces.replay"),
  matching: count.describe("Requests that match."),
  sampled: count.describe("Of these, requests that were read."),
  ...replayParts,
  request_id: z.string(),
});

export type ReplayBody = z.infer<typeof replaySchema>;

export const replayBody = ({ reports, leftOut, skipped, feedback }: TracesReplay) => ({
  reports: reports.filter(({ requests }) => requests > 0).map(reportBody),
  left_out: { ...leftOut, ...skipped },
  feedback,
});

const reportBody = (report: ReplayReport) =>
  snakeCased({ ...report, moves: report.moves.slice(0, MOST_MOVES) });
