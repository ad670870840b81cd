/** What a gateway answers, by its own schemas. */
import type OpenAI from "openai";
import type { UsageBody } from "../../gateway/api/completion.js";
import type { TraceBody } from "../../gateway/features/traces/schema/trace.js";

export type { CostWeightListBody as CostWeightList } from "../../gateway/api/cost-weights.js";
export type {
  ProfileBody as Profile,
  ProfileListBody as ProfileList,
  PublishedScoreBody as PublishedScore,
} from "../../gateway/api/profiles.js";
export type {
  AttemptBody as Attempt,
  BasisBody as Basis,
  CandidateBody as Candidate,
  DecisionBody as RouterDecision,
  ExcludedModelBody as ExcludedModel,
  ExecutedRoutingBody as ExecutedRouting,
  Routing,
} from "../../gateway/api/routing.js";
export type {
  NewPauseBody as PauseParams,
  PauseBody as Pause,
} from "../../gateway/features/pauses/schema.js";
export type {
  DeploymentBody as Deployment,
  ProviderListBody as ProviderList,
} from "../../gateway/features/providers/schema.js";
export type {
  FeedbackBody as Feedback,
  FeedbackRequest as FeedbackParams,
  TraceFeedbackBody as TraceFeedback,
} from "../../gateway/features/traces/schema/feedback.js";
export type { TraceSummaryBody as TraceSummary } from "../../gateway/features/traces/schema/trace.js";

type Declared<Body> = { [Name in keyof Body as string extends Name ? never : Name]: Body[Name] };

/** Tokens and costs of one request; nine members that are always there, and what the provider sent beside them. */
export interface Usage extends OpenAI.CompletionUsage, Declared<UsageBody> {}

/** All that is kept of one request. */
export interface Trace extends Omit<TraceBody, "usage"> {
  usage: Usage | null;
}

export type TraceKind = TraceBody["kind"];
export type TraceStatus = TraceBody["status"];
