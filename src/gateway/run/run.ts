import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { LOCAL_EMBEDDER } from "../../engine/index.js";
import type { TextRoom } from "../../foundation/bounded-text.js";
import type { Timers } from "../../foundation/timers.js";
import type { KeptCall } from "../providers/provider.js";
import type { Settings } from "../settings/settings.js";
import type { Usage } from "../traces/trace.js";
import {
  type Accepted,
  AcceptedRequests,
  type AcceptedRequestsDependencies,
  answeredBy,
  NO_TOKENS,
} from "./accepted-requests.js";
import type { CircuitLog } from "./admission.js";
import { AnswerText } from "./answer-text.js";
import { BackgroundAnswers, type BackgroundAnswersDependencies } from "./background-answers.js";
import type { BackgroundRuns } from "./background-runs.js";
import { isSwitchable } from "./budget-switch.js";
import { type CallLog, type DispatchDependencies, dispatch } from "./call.js";
import { callerEffort, switchedOff } from "./caller-effort.js";
import { cappedPlan, capsOf } from "./caps.js";
import { countInputs, embeddingSize, inputMessage } from "./embedding-inputs.js";
import type { HealthRegistry, HealthRegistryDependencies } from "./health.js";
import type {
  Answer,
  AnswerStream,
  CountRequest,
  DecideRequest,
  DecisionAnswer,
  EmbeddingAnswer,
  PromptCount,
} from "./inference.js";
import type { KeptResponsesOptions } from "./kept-responses.js";
import { localProvider, refuseForLocal } from "./local-embeddings.js";
import type { LimitSettings, ModelLimits } from "./model-limits.js";
import { redirected, unpausedPlan } from "./paused.js";
import { type Planning, RequestPlanner, type RequestPlannerDependencies } from "./plan.js";
import { planNamed } from "./planned-models.js";
import { countPrompt } from "./prompt-count.js";
import { catalogServing } from "./purpose.js";
import { Repairs } from "./repairs/repairs.js";
import type { EmbeddingRequest, InferenceRequest, RequestContext } from "./request.js";
import { type RequestSize, requestSize } from "./request-size.js";
import {
  chatSending,
  type DispatchRequest,
  type DispatchResult,
  embeddingSending,
  type ReachedEmbeddings,
} from "./sending.js";
import type { AccountedRequest, AnsweringDeployment } from "./settle.js";
import { StreamedAnswer } from "./streamed-answer.js";
import { billedUsage, chatUsageBound, embeddingUsageBound, estimatedUsageOf } from "./usage.js";

export interface InferenceDependencies
  extends RequestPlannerDependencies,
    AcceptedRequestsDependencies,
    BackgroundAnswersDependencies {
  /** The embedder used for routing. */
  readonly embedder: Pick<Embedder, "dimensions" | "embed">;
  readonly timers: Timers;
  readonly settings: RequestPlannerDependencies["settings"] &
    AcceptedRequestsDependencies["settings"] &
    DispatchDependencies["settings"] &
    HealthRegistryDependencies["settings"] &
    LimitSettings &
    Pick<
      Settings,
      "upstreamTotalTimeoutMs" | "traceMaxTextCharacters" | "traceBufferBytes" | "backgroundPollMs"
    >;
  /** Receives a line for each upstream call, and when a circuit opens or closes. */
  readonly logger?: CircuitLog & CallLog;
}

/** What outlives a change of providers. */
export interface LastingParts {
  readonly health: HealthRegistry;
  readonly runs: BackgroundRuns;
  /** Their slots are shared by the requests of before and after. */
  readonly limits: ModelLimits;
  readonly room: TextRoom;
}

/** Inference by one catalog and its providers. */
export class RunningInference {
  readonly #dispatching: DispatchDependencies;
  readonly #requests: AcceptedRequests;
  readonly #planner: RequestPlanner;
  readonly #background: BackgroundAnswers;

  constructor(
    private readonly dependencies: InferenceDependencies,
    private readonly lasting: LastingParts,
  ) {
    const { catalog } = dependencies;
    const { health, runs, limits } = lasting;
    this.#requests = new AcceptedRequests(dependencies);
    this.#planner = new RequestPlanner(dependencies, health);
    this.#background = new BackgroundAnswers(dependencies, { runs, requests: this.#requests });
    const remedyOf = (provider: string) => {
      const enabledBy = catalog.providers().find(({ id }) => id === provider)?.enabledBy;
      return enabledBy === undefined
        ? "the settings have no `api_key_env` for it, so that no key is sent"
        : `check the value of ${enabledBy}`;
    };
    const providers = new Map([
      ...dependencies.providers,
      [LOCAL_EMBEDDER, localProvider(dependencies.embedder)] as const,
    ]);
    const repairs = new Repairs();
    this.#dispatching = { ...dependencies, providers, health, repairs, limits, remedyOf };
  }

  settled(): Promise<void> {
    return this.#requests.settled();
  }

  async run(asked: InferenceRequest, context: RequestContext): Promise<Answer | AnswerStream> {
    const { request, passed } = redirected(asked, this.dependencies);
    const size = requestSize(request.body);
    const { body, native } = request;
    const boundOf = (one: Deployment) => chatUsageBound(one, { body, native: native?.request });
    const estimate = this.#planner.estimate(request, size);
    const { kind, stream, metadata } = request;
    const effort = callerEffort(request);
    const entry = { kind, body, stream, metadata, effort, request, boundOf };
    const options = { context, estimate, isSwitchable: () => isSwitchable(request) };
    const accepted = await this.#requests.accept(entry, options);
    return this.#requests.accounted(accepted, async () => {
      for (const attempt of passed) accepted.accounting.called(attempt);
      const hosts = this.#planner.hostRules(request);
      const { planned, running, ...sized } = await this.#planner.plan(request, accepted, { size, hosts });
      const reached = await this.#dispatch(planned, { request: running, accepted, hosts, ...sized });
      const { deployment } = reached;
      accepted.accounting.answering(deployment, planned);
      if (reached.kind === "completion") return await this.#answerOf(reached, accepted);
      return running.background === true
        ? this.#background.streamOf(reached, accepted)
        : this.#streamOf(reached, accepted);
    });
  }

  async decide(request: DecideRequest, context: RequestContext): Promise<DecisionAnswer> {
    const { body, metadata } = request;
    const effort = callerEffort({ body });
    const entry: AccountedRequest = { kind: "router", body, metadata, stream: false, effort };
    const accepted = await this.#requests.accept(entry, { context, estimate: NO_TOKENS });
    return this.#requests.accounted(accepted, async () => {
      const planning = { size: requestSize(body), hosts: this.#planner.hostRules(request) };
      const routing = await this.#planner.decide(request, accepted, planning);
      return { routing, limitHeaders: accepted.reservation.headers };
    });
  }

  countTokens(request: CountRequest, context: RequestContext): Promise<PromptCount> {
    return this.#requests.untraced(context, () =>
      countPrompt(request, context, { ...this.dependencies, health: this.lasting.health }),
    );
  }

  async embed(request: EmbeddingRequest, context: RequestContext): Promise<EmbeddingAnswer> {
    const { choice, body, fallbacks, metadata } = request;
    const size = embeddingSize(body);
    const messages = [inputMessage(body)];
    const entry: AccountedRequest = {
      kind: "embeddings",
      body: { messages },
      stream: false,
      metadata,
      boundOf: (deployment) => embeddingUsageBound(deployment, body),
    };
    const estimate = this.#planner.estimate(request, size);
    const accepted = await this.#requests.accept(entry, { context, estimate });
    return this.#requests.accounted(accepted, async () => {
      const { catalog, embedder, pauses } = this.dependencies;
      const serving = catalogServing(catalog, { purpose: "embeddings", fallbacks });
      // Without redirects: vectors of different models cannot be compared.
      const caps = capsOf(context.principal.caps, undefined);
      const named = [choice.model, ...fallbacks];
      const permitted = cappedPlan(planNamed(choice, fallbacks, serving), { caps, size, named });
      const plan = unpausedPlan(permitted, { pauses, record: accepted.accounting });
      if (plan.some(({ name }) => name === LOCAL_EMBEDDER)) refuseForLocal(body, embedder);
      const sending = embeddingSending({ body, ...this.#call(accepted, size) }, this.#dispatching);
      const reached = await dispatch(plan, sending, this.#dispatching);
      return this.#embeddingsOf(reached, request, accepted);
    });
  }

  askKeeper<Answered>(
    ask: (call: KeptCall, context: RequestContext, options: KeptResponsesOptions) => Promise<Answered>,
    ...[call, context]: readonly [KeptCall, RequestContext]
  ): Promise<Answered & Pick<Answer, "limitHeaders">> {
    const { responses: memory, clock, timers, settings } = this.dependencies;
    const { providers, limits } = this.#dispatching;
    const { runs } = this.lasting;
    const waits = { limits: limits.usual, totalTimeoutMs: settings.upstreamTotalTimeoutMs };
    const options = { providers, memory, runs, clock, timers, ...waits };
    return this.#requests.untraced(context, () => ask(call, context, options));
  }

  /** Goes on with runs in the background that an earlier process left. */
  resumeRuns(): Promise<void> {
    return this.#background.resume();
  }

  #dispatch(
    { plan, warm, maxUsd }: AnsweringDeployment,
    { request, accepted, size, hosts }: DispatchOptions,
  ): Promise<DispatchResult> {
    const { body, choice, stream, native, idempotencyKey, key } = request;
    // The decision counted on it.
    const effort = request.effort ?? (choice.type === "routed" ? switchedOff(native) : undefined);
    const call = {
      body,
      effort,
      stream,
      native,
      idempotencyKey,
      key,
      hosts,
      warm,
      maxUsd,
      ...this.#call(accepted, size),
    };
    // A run whose id is not known could not be billed: its client may leave, but is waited for with it.
    const lasting = request.background === true ? { ...call, signal: new AbortController().signal } : call;
    return dispatch(plan, chatSending(lasting, this.#dispatching), this.#dispatching);
  }

  #call({ context, accounting: record }: Accepted, size: RequestSize): DispatchRequest {
    const { requestId, span, signal, arrivedMs } = context;
    const deadlineMs = arrivedMs + this.dependencies.settings.upstreamTotalTimeoutMs;
    return { requestId, size, deadlineMs, signal, span, record };
  }

  async #answerOf(
    { deployment, completion, tokens }: Extract<DispatchResult, { kind: "completion" }>,
    accepted: Accepted,
  ): Promise<Answer> {
    const { accounting } = accepted;
    let usage: Usage;
    if (completion.runningId === undefined) {
      const text = new AnswerText(this.dependencies.settings.traceMaxTextCharacters);
      text.addCompletion(completion);
      usage = await accounting.measured({ deployment, tokens, text });
      accounting.answered(deployment, { usage, text, tokens });
    } else {
      const run = this.#background.started(completion.runningId, deployment, accepted);
      this.lasting.runs.watch(run.key);
      usage = run.usage;
    }
    return { kind: "completion", completion, usage, ...answeredBy(deployment, accepted) };
  }

  async #embeddingsOf(
    { deployment, vectors, usage: tokens }: ReachedEmbeddings,
    { body }: EmbeddingRequest,
    { context, reservation, accounting }: Accepted,
  ): Promise<EmbeddingAnswer> {
    const { clock, counter } = this.dependencies;
    const { model, provider, price, upstreamModel } = deployment;
    const latencyMs = clock() - context.arrivedMs;
    const bound = accounting.boundOf(deployment);
    const facts = { price, bound, latencyMs, ttftMs: latencyMs };
    const usage =
      tokens === null
        ? estimatedUsageOf(
            {
              promptTokens: await countInputs(body, { model: upstreamModel, counter }),
              completionTokens: 0,
            },
            facts,
          )
        : billedUsage(tokens, facts);
    accounting.answered(deployment, { usage, text: null });
    return { vectors, usage, model, provider, limitHeaders: reservation.headers };
  }

  #streamOf(
    { deployment, stream, admission }: Extract<DispatchResult, { kind: "stream" }>,
    accepted: Accepted,
  ): AnswerStream {
    const { clock, settings } = this.dependencies;
    const { accounting } = accepted;
    const answered = answeredBy(deployment, accepted);
    const batches = new StreamedAnswer({
      deployment,
      stream,
      admission,
      accounting,
      clock,
      maxTextCharacters: settings.traceMaxTextCharacters,
      room: this.lasting.room,
    });
    return { kind: "stream", batches, usage: () => batches.usage(), ...answered };
  }
}

interface DispatchOptions extends Planning {
  readonly request: InferenceRequest;
  readonly accepted: Accepted;
}
