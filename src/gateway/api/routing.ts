import { z } from "zod";
import { basisSchema } from "../../engine/profiles/set-report.js";
import { EXCLUSION_REASONS } from "../../engine/router/candidate.js";
import { BILL_SOURCES, STICKY_REASONS } from "../../engine/router/decision.js";
import { type RoutingBody, routingJson } from "../../engine/router/routing-body.js";
import { ulidOf } from "../../foundation/request-id.js";
import { HOST_REASONS } from "../traces/trace.js";

const usd = z.number().min(0).nullable();
const quality = z.number().min(0).max(1);

const ratio = z.number().min(0);
const tokens = z.number().min(0);

/** What a cost weight means in dollars. */
export const meaningSchema = z
  .strictObject({
    mean_cost_usd: usd.describe("What an answer costs on average at it."),
    usd_per_point: usd.describe(
      "Dollars that a point of quality (a hundredth) is worth, at most; null at 0, where any is.",
    ),
  })
  .nullable()
  .describe(
    "What the cost weight means in dollars, on the prompts that the profiles measured it on; null without prices.",
  );

const parts = z
  .strictObject({
    set: z.string().describe("The profile set that the estimate rests on most; the parts are those of it."),
    predecessor: z.string().optional().describe("Release that it is held up to without evidence."),
    visible_tokens: tokens.describe("`prompt.visible_tokens` × `nearby_ratio` × `model_ratio`."),
    nearby_ratio: ratio.describe(
      "How much longer measured answers to prompts near this one are than their texts let expect.",
    ),
    model_ratio: ratio.describe("How much the model writes, by its maker and its own answers."),
    hidden_tokens: tokens.describe("Hidden reasoning: `hidden_tokens_medium` × `difficulty_factor`."),
    hidden_tokens_medium: tokens.describe("Of the model at its effort, on a prompt of medium difficulty."),
    difficulty_factor: ratio,
    length_correction: ratio.describe("Factor on both, learned from answers in use; 1 where none is known."),
    bill_ratio: ratio.describe("Dollars that are billed over the price of the expected tokens."),
    bill_source: z
      .enum(BILL_SOURCES)
      .describe(
        "What `bill_ratio` was learned from: `dollars` that were recorded with the model's answers, counted `tokens`, or `none` of both.",
      ),
    agent_task: z
      .strictObject({ usd: z.number().min(0) })
      .nullable()
      .describe("What an agent's whole task would cost, which takes many calls. Null for other prompts."),
    input_usd_per_mtok: usd,
    output_usd_per_mtok: usd,
  })
  .describe(
    "What the expected length and cost are made of, before `max_tokens` bounds them: cost of an answer = `bill_ratio` × (input price × " +
      "`prompt.tokens` + output price × `length_correction` × (`visible_tokens` + `hidden_tokens`)).",
  );

const promptReading = z.strictObject({
  tokens: tokens.describe(
    "Estimated tokens of the prompt: system prompt, history, tools and files included.",
  ),
  difficulty: z
    .number()
    .min(0)
    .max(4)
    .nullable()
    .describe("From 0, trivial, to 4, expert; null when unknown."),
  kinds: z
    .array(z.string())
    .readonly()
    .describe("Kinds of request that the text is taken for, such as `code` or `summary`."),
  asked_tokens: tokens
    .nullable()
    .describe("Length of the answer that the text asks for; null where it asks for none."),
  visible_tokens: tokens
    .nullable()
    .describe("Visible length of an average model's answer, by the text alone; null when unknown."),
});

const candidate = z.strictObject({
  model: z.string(),
  provider: z.string().nullable().describe("Null when no provider of the model is known."),
  expected_quality: quality.describe("Expected quality of the answer, 0 to 1."),
  quality_stderr: z.number().min(0).describe("Standard error of `expected_quality`."),
  expected_cost_usd: usd.describe("Null when no price is known; a price is never guessed."),
  score: z.number().describe("Cost-adjusted score; higher is better."),
  evidence: z.number().min(0).describe("Effective number of profiled prompts behind the estimate."),
  basis: basisSchema,
  effort: z
    .string()
    .nullable()
    .describe(
      "The effort of reasoning that the model is asked for, and that its estimates are for; null for the model's default, and where it has no choice.",
    ),
  expected_answer_tokens: z
    .number()
    .min(0)
    .describe("Expected length of the answer in tokens, hidden reasoning included, bounded by `max_tokens`."),
  expected_reasoning_tokens: z.number().min(0).describe("Hidden reasoning among them."),
  expected_cost_p90_usd: usd.describe(
    "What nine of ten such answers cost at most; null when no price is known.",
  ),
  success_probability: quality
    .optional()
    .describe(
      "Share of its calls that are answered, as measured; part of `expected_quality`. Absent where failures were not counted.",
    ),
  expected_latency_ms: z
    .number()
    .min(0)
    .nullable()
    .optional()
    .describe(
      "Milliseconds of the answer, or to its first token where `max_latency_ms` is about that; null when not measured. Only with `max_latency_ms` or `latency_weight`.",
    ),
  parts: parts.optional(),
});

const anchor = z.strictObject({
  id: z.string().describe("Set and position: the same as long as `profile_version` stays."),
  source: z.string().describe("Benchmark that the prompt is from. Its text is not kept."),
  similarity: z.number().describe("Cosine similarity to the prompt."),
  weight: quality.describe("Share of the weight of all neighbours."),
});

const excluded = z.strictObject({
  model: z.string(),
  reason: z.enum(EXCLUSION_REASONS),
  param: z
    .string()
    .optional()
    .describe(
      "For `unsupported_parameter`, `too_slow` and `unknown_latency`: the field of the request that the model cannot do.",
    ),
  retired_at: z.string().optional().describe("For `retired`: the vendor's day, where it is known."),
});

const exploration = z.strictObject({
  explored: z.boolean().describe("Whether the model was drawn at random."),
  probability: quality.describe("Probability with which the chosen model was chosen for this prompt."),
  preferred_model: z.string().describe("The model that would have been chosen without exploration."),
});

const hostChoice = z
  .strictObject({
    reason: z
      .enum(HOST_REASONS)
      .describe(
        "What put the first provider before the second: its `health`, the `order` of the request, a `conversation` that it has in its cache, " +
          "`price`, `latency`, `throughput`; `configured`: nothing did.",
      ),
    saved_usd: z
      .number()
      .nullable()
      .describe(
        "Expected cost at the provider that would be first without the conversation, less that at the first one; or, where another one has " +
          "the conversation in its cache, that one's cost less. Negative where the choice costs more; null without a conversation or a price.",
      ),
    hosts: z
      .array(
        z.strictObject({
          provider: z.string(),
          cost_usd: usd.describe("Expected cost of this request; null when no price is known."),
          error_rate: quality.describe("Share of its calls that fail, as expected."),
          ttft_ms: z.number().min(0).describe("Milliseconds to the first content, as expected."),
          tokens_per_second: z
            .number()
            .min(0)
            .describe("Tokens of an answer by the time of its call, as expected."),
        }),
      )
      .readonly()
      .describe("In the order of calls."),
  })
  .describe("Why the providers of the model were asked in this order. Only where several serve it.");

/** One upstream call. */
export const attemptSchema = z.strictObject({
  provider: z.string(),
  model: z.string(),
  status: z.int().nullable().describe("HTTP status of the provider's reply; null without one."),
  code: z.string().describe("`ok`, or what went wrong."),
  message: z.string().nullable().describe("What the provider said, or else what went wrong; null for `ok`."),
  latency_ms: z.number(),
  key: z
    .string()
    .optional()
    .describe("Name of the key that was used, where the provider has several; never the key."),
  limit: z
    .string()
    .optional()
    .describe(
      "Of a timeout: the setting whose limit passed, such as `model_limits[0].idle_timeout_ms`; `measured` for one that follows from earlier calls.",
    ),
  usage: z
    .strictObject({
      prompt_tokens: z.int().min(0),
      completion_tokens: z.int().min(0),
      total_cost_usd: z.number().min(0).nullable().describe("Null where no price is known."),
      cost_reported: z.literal(true).optional().describe("The provider reported the cost."),
      estimated: z
        .literal(true)
        .optional()
        .describe(
          "Tokens were counted here, or bounded by the context window: the provider sent no count, or an impossible one.",
        ),
    })
    .optional()
    .describe("What the call used, also when it failed; absent when it is not known to have used anything."),
  host: hostChoice.optional(),
  upstream: z
    .string()
    .optional()
    .describe(
      "Who answered at a provider that has providers of its own (OpenRouter), as its reply names it.",
    ),
  retirement: z
    .strictObject({ from: z.string(), successor: z.string().nullable() })
    .optional()
    .describe("The day on which its provider stops running the model, from four weeks before on."),
  served_model: z
    .string()
    .optional()
    .describe("The model that the provider says it served, where that is another one than was asked for."),
  left_out: z
    .array(z.string())
    .readonly()
    .optional()
    .describe("What the model's API cannot say and it was not told: fields, types of tools and of items."),
});

const sticky = z
  .strictObject({
    kept: z.boolean().describe("Whether the model that answered before was chosen again."),
    previous_model: z.string().describe("The model that answered before."),
    reason: z
      .enum(STICKY_REASONS)
      .describe(
        "`best_choice`: it would be chosen anyway. `switching_cost`: another model would be chosen, were it not for the prompt cache. " +
          "`tool_loop`: the request has results of its tool calls. `worth_switching`: another model gains more than switching costs. " +
          "`unavailable`: it is no longer a candidate.",
      ),
    saved_usd: z
      .number()
      .nullable()
      .describe(
        "What the choice is expected to save in this answer, prompt caches counted: the cost of the model that would be chosen without a " +
          "conversation, less that of the kept one; or, of a switch, the cost of the model that answered before, less that of the new one. " +
          "Negative where the choice costs more. Null where the model is no longer a candidate, or a price is unknown.",
      ),
  })
  .describe(
    "Only for a request that continues a conversation: what became of the model that answered before.",
  );

/** How a model was chosen. */
export const routingSchema = z.strictObject({
  selected_model: z.string(),
  selected_provider: z.string().nullable(),
  expected_quality: quality,
  expected_error: quality.describe("1 − `expected_quality`."),
  expected_cost_usd: usd,
  expected_answer_tokens: z
    .number()
    .min(0)
    .describe("Tokens of the chosen model's answer that the cost rests on, hidden reasoning included."),
  cost_adjusted_score: z.number(),
  cost_weight: z.number().min(0),
  preset: z.string().optional().describe("The preset that the request named: `support` for `auto:support`."),
  effort_saved_usd: z
    .number()
    .nullable()
    .optional()
    .describe(
      "Of a model asked for with the effort `auto`: what the chosen effort is expected to cost less than the model's default, negative where it costs more; null where a price is unknown.",
    ),
  max_tokens: z.int().optional().describe("The limit of the answer that the decision took into account."),
  confidence: quality.describe("Probability that the chosen model is at least as good as the runner-up."),
  reason: z.string().describe("One sentence for a person."),
  exploration: exploration
    .optional()
    .describe("Present while a share of the requests explores other models."),
  all_scores: z.record(z.string(), z.number()).describe("Score by model, of the candidates below."),
  candidates: z
    .array(candidate)
    .readonly()
    .describe(
      "The chosen one first, then by score, cost and id. All of those that a request names in `models` or asks for with `explain`, else the chosen one and the best eight, and " +
        "the cheapest, the one of highest expected quality and up to three of the Pareto frontier between them.",
    ),
  candidates_total: z.int().describe("Number of candidates that the choice was made among."),
  candidates_placed: z
    .int()
    .describe("Of these, the candidates that rest on published scores alone (`placed`)."),
  anchors: z
    .array(anchor)
    .readonly()
    .optional()
    .describe("With `explain`: the profiled prompts with most weight in the estimates."),
  prompt: promptReading.optional().describe("With `explain`: what the decision read of the prompt."),
  cost_weight_meaning: meaningSchema.optional(),
  excluded: z.array(excluded).readonly().describe("Models left out, and why."),
  nearest_similarity: z.number().describe("Cosine similarity of the nearest profiled prompt."),
  out_of_distribution: z
    .boolean()
    .describe("Whether there is no evidence near the prompt: estimates then rest on what models do overall."),
  sticky: sticky.optional(),
  host: hostChoice
    .optional()
    .describe(
      "Of a decision that is not executed: which provider the chosen model would be asked at first, and why. Of others it is in `attempts`.",
    ),
  profile_version: z.string(),
  timings_ms: z.strictObject({
    embed: z.number(),
    search: z.number(),
    score: z.number(),
    total: z.number(),
  }),
});

/** The decision behind an executed answer, and the calls that were made. */
export const executedRoutingSchema = routingSchema.extend({
  attempts: z.array(attemptSchema).readonly().describe("Every upstream call, the one that answered last."),
});

/** Answer of `POST /v1/router` with `execute: false`. */
export const decisionSchema = z.strictObject({
  id: z.string().regex(/^route-[0-9A-HJKMNP-TV-Z]{26}$/),
  object: z.literal("router.decision"),
  created: z.int().describe("Seconds since the epoch."),
  model: z.string().describe("The chosen model."),
  choices: z.array(z.never()).describe("Empty: nothing was executed."),
  usage: z.null(),
  request_id: z.string(),
  routing: routingSchema,
});

/** What a model's profile rests on: graded answers, published scores, or both. */
export type BasisBody = z.infer<typeof basisSchema>;
/** A model that could have been chosen. */
export type CandidateBody = z.infer<typeof candidate>;
/** A model that was left out, and why. */
export type ExcludedModelBody = z.infer<typeof excluded>;
/** One upstream call. */
export type AttemptBody = z.infer<typeof attemptSchema>;
/** How a model was chosen. */
export type Routing = z.infer<typeof routingSchema>;
/** The decision behind an answer, and the calls that were made for it. */
export type ExecutedRoutingBody = z.infer<typeof executedRoutingSchema>;
/** A decision that was not executed. */
export type DecisionBody = z.infer<typeof decisionSchema>;

export interface DecisionEnvelope {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** A decision that was not executed. */
export const decisionBody = (routing: RoutingBody, { requestId, createdAtMs }: DecisionEnvelope) =>
  ({
    id: `route-${ulidOf(requestId)}`,
    object: "router.decision",
    created: Math.floor(createdAtMs / 1000),
    model: routing.selected_model,
    choices: [],
    usage: null,
    request_id: requestId,
    routing,
  }) satisfies DecisionBody;

/** The body as JSON. */
export function decisionJson({ routing, ...rest }: ReturnType<typeof decisionBody>): string {
  return `${JSON.stringify(rest).slice(0, -1)},"routing":${routingJson(routing)}}`;
}
