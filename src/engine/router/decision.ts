import type { Basis } from "../estimation/basis.js";
import type { TokenPrice } from "../estimation/bills.js";
import type { LatencyLimit } from "../estimation/model-service.js";
import type { Exclusion, ModelFacts } from "./candidate.js";
import type { CostWeightMeaning } from "./cost-weight.js";
import type { Exploration, Explored } from "./exploration.js";
import type { ConversationMessage } from "./routing-text.js";

export interface RouteRequest {
  /** At least one message. */
  readonly messages: readonly ConversationMessage[];
  /** Candidates; all models with a profile when absent. At least 2 when given. */
  readonly models?: readonly string[];
  /** ≥ 0, default 0: cost ignored. 1 = the cheapest model; larger values act as 1. */
  readonly costWeight?: number;
  /** The lowest weight whose answers cost at most that on average, US dollars, > 0; `costWeight` is then the least weight. */
  readonly maxMeanCostUsd?: number;
  /** Models whose answers are expected to take longer, or were not timed, are excluded. Absent: time excludes none. */
  readonly maxLatency?: LatencyLimit | undefined;
  /** Points of quality (hundredths) that a second of an answer's expected time is worth, ≥ 0. Default: 0. */
  readonly latencyWeight?: number | undefined;
  /** What an expected cost is of: this call, or the whole task of an agent that the prompt begins, which takes many calls. Default: the call. */
  readonly per?: "call" | "task" | undefined;
  /** Tokens, ≥ 1. Bounds the answer's expected cost, and must fit the context window beside the prompt. */
  readonly maxTokens?: number;
  /** Estimate of the prompt's tokens by whoever has made it already. Absent: estimated here. */
  readonly promptTokens?: number;
  /** True when the request has tools, which excludes models without tool calling. */
  readonly needsTools?: boolean;
  /** The effort of reasoning that the request names, which goes to every model. Absent: the effort is part of the choice. */
  readonly effort?: string | undefined;
  /** The answer before this request in its conversation. Absent: the request is decided on its own. */
  readonly previous?: PreviousAnswer;
  /** Whether a model can be run now. Absent: every model may be chosen, configured or not. */
  readonly canRun?: (model: string) => boolean;
  /** Whether an operator has paused the model, which excludes it. Absent: no model is. */
  readonly isPaused?: (model: string) => boolean;
  /** What the caller may have. One candidate is then enough. */
  readonly caps?: CandidateCaps;
  /** The field of the request that a model cannot do; undefined for one that can do all. Absent: every model can. */
  readonly cannotDo?: (model: string) => string | undefined;
  /**
   * What is known of a model at the only provider that may answer. Absent, or undefined: what the snapshot knows of it.
   */
  readonly factsOf?: (model: string) => ModelFacts | undefined;
  /** Absent, or with `previous`: the decided model is selected. */
  readonly exploration?: Exploration;
  /** What is configured and what would add more, for the error when `canRun` leaves no model. */
  readonly whatCanRun?: () => string;
  /** Whether the decision has the anchors that it rests on, what was read of the prompt, and the parts of each expected cost. */
  readonly explain?: boolean;
  /** A sentence that says what would let these models be run, for the error when `canRun` leaves only one. */
  readonly howToRun?: (models: readonly string[]) => string;
}

/** The answer that a request continues after. */
export interface PreviousAnswer {
  /** As decisions name it. */
  readonly model: string;
  readonly provider: string | null;
  /** Tokens that its prompt and this one begin with, by the estimate of `RouteRequest.promptTokens`; 0 when they differ. */
  readonly promptTokens: number;
  /** The same prompt's tokens as the provider counted them. */
  readonly billedTokens: number;
  /** Of these, the tokens that the provider reported as read from or written to its cache. */
  readonly reportedTokens: number;
  /** Since the answer, ≥ 0. */
  readonly ageMs: number;
  /** Whether the request has results of tools that the answer called. */
  readonly inToolLoop: boolean;
}

/** Why the model of a conversation was kept, or not. */
export const STICKY_REASONS = [
  "best_choice",
  "switching_cost",
  "tool_loop",
  "worth_switching",
  "unavailable",
] as const;

/** What a caller may have. */
interface CandidateCaps {
  readonly isAllowed: (model: string) => boolean;
  /** US dollars that nine in ten answers of a candidate may cost at most. */
  readonly maxCostUsd: number;
  /** The caps with their values, for the error where they leave no candidate. */
  readonly said: string;
}

/** What became of the model that answered before. */
export interface Stickiness {
  readonly kept: boolean;
  readonly previousModel: string;
  readonly reason: (typeof STICKY_REASONS)[number];
  /**
   * What the choice is expected to save in this answer, caches counted: the cost of the model that would be chosen
   * without a conversation, less that of the kept one; or, of a switch, the cost of the model that answered before,
   * less that of the new one. Negative where the choice costs more. Null when the model is no candidate any more, or a
   * price is unknown.
   */
  readonly savedUsd: number | null;
}

/** What the expected length and cost of a candidate's answer are made of, before `maxTokens` bounds them. */
export interface CandidateParts {
  /** The profile set that the estimate rests on most; where there are several, the parts are those of this one. */
  readonly set: string;
  /** The release that its expected quality is held up to without evidence; null for others. */
  readonly predecessor: string | null;
  /** The prompt's visible tokens × `nearbyRatio` × `modelRatio`. */
  readonly visibleTokens: number;
  /** How much longer measured answers to prompts near this one are than their texts let expect. */
  readonly nearbyRatio: number;
  /** How much the model writes, by its maker and its own answers. */
  readonly modelRatio: number;
  /** Hidden reasoning: `hiddenTokensMedium` × `difficultyFactor`. */
  readonly hiddenTokens: number;
  /** Of the model at its effort, on a prompt of medium difficulty. */
  readonly hiddenTokensMedium: number;
  readonly difficultyFactor: number;
  /** Factor on both, learned from answers in use; 1 where none is known. */
  readonly lengthCorrection: number;
  /** Dollars that are billed over `price` times the expected tokens. */
  readonly billRatio: number;
  /** What `billRatio` was learned from. */
  readonly billSource: BillSource;
  /** What an agent's whole task would cost, which takes many calls; null for other prompts. */
  readonly agentTask: { readonly usd: number } | null;
  /** US dollars per million tokens; null when unknown. */
  readonly price: TokenPrice | null;
}

/** Dollars that were recorded with the model's answers, tokens that were, or nothing. */
export const BILL_SOURCES = ["dollars", "tokens", "none"] as const;
type BillSource = (typeof BILL_SOURCES)[number];

/** What a decision read of the prompt. */
export interface PromptReading {
  /** System prompt, history, tools and files included. */
  readonly tokens: number;
  /** In tiers from 0 (trivial) to 4 (expert); null without a model of difficulty. */
  readonly difficulty: number | null;
  /** Kinds of request that the text is taken for, such as `code`. */
  readonly kinds: readonly string[];
  /** Length of the answer that the text asks for; null where it says nothing of it. */
  readonly askedTokens: number | null;
  /** Visible tokens of an average model's answer, by the text alone; null without a model of answer lengths. */
  readonly visibleTokens: number | null;
}

/** Expected length of an answer, hidden reasoning included and bounded by `maxTokens`, ≥ 0. */
interface AnswerTokens {
  /** Length by the profiles. */
  readonly profiled: number;
  /** Length corrected by observed answers, on which the expected cost is based. */
  readonly expected: number;
  /** Hidden reasoning among them. */
  readonly reasoning: number;
}

export interface Candidate {
  readonly model: string;
  /** The effort of reasoning that it is asked for; null for the model's default, and where it has no choice. */
  readonly effort: string | null;
  readonly provider: string | null;
  /** Expected quality in [0, 1]. */
  readonly expectedQuality: number;
  /** Standard error of `expectedQuality`, ≥ 0. */
  readonly qualityStderr: number;
  readonly expectedCostUsd: number | null;
  /** 90th percentile of the cost. */
  readonly highCostUsd: number | null;
  readonly answerTokens: AnswerTokens;
  /** Share of calls that are answered, which `expectedQuality` contains; absent where failures were not counted. */
  readonly successProbability?: number;
  /** Milliseconds of the answer, or to its first token where the limit is about that; NaN where not measured. Absent where the request asks for no time. */
  readonly expectedMs?: number;
  /** Cost-adjusted score, the order of candidates; higher is better. */
  readonly score: number;
  /** Effective number of profiled prompts behind the local part of the estimate, ≥ 0. */
  readonly evidence: number;
  /** What the model's profile rests on. */
  readonly basis: Basis;
  /** Present with `explain`. */
  readonly parts?: CandidateParts;
}

/** A profiled prompt that a decision rests on. */
export interface DecidingAnchor {
  /** Position in its set, `default/12345`: the same as long as `profileVersion` stays. */
  readonly id: string;
  /** Benchmark that it is from. */
  readonly source: string;
  /** Cosine similarity to the prompt. */
  readonly similarity: number;
  /** Share of the neighbours' weight, in [0, 1]. */
  readonly weight: number;
}

/** Why one model was picked. Pure data; the wire form (API §2) is made from it by `server/`. */
export interface Decision {
  readonly selectedModel: string;
  readonly selectedProvider: string | null;
  readonly expectedQuality: number;
  readonly expectedCostUsd: number | null;
  /** Of the selected model. */
  readonly expectedAnswerTokens: number;
  readonly score: number;
  readonly costWeight: number;
  /** Probability in [0, 1] that the selected model is at least as good as the runner-up. */
  readonly confidence: number;
  /** One sentence for users. */
  readonly reason: string;
  /** Null when the request does not take part in exploration. */
  readonly exploration: Explored | null;
  /** Selected first, then by score, then the cheaper, then the better, then the model id. Made when first read. */
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly Exclusion[];
  /** Those with most weight first; absent unless asked for with `explain`, as are the next two. */
  readonly anchors?: readonly DecidingAnchor[];
  readonly prompt?: PromptReading;
  /** What the cost weight means in dollars; null without prices. */
  readonly meaning?: CostWeightMeaning | null;
  /** Cosine similarity of the nearest anchor. */
  readonly nearestSimilarity: number;
  /** True when no profiled prompt is near: estimates are then based on overall performance, with large standard errors. */
  readonly outOfDistribution: boolean;
  /** Present when the request has a `previous` answer. */
  readonly sticky?: Stickiness;
  readonly profileVersion: string;
  readonly timingsMs: {
    readonly embed: number;
    readonly search: number;
    readonly score: number;
    readonly total: number;
  };
}
