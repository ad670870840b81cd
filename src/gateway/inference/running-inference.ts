import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { LOCAL_EMBEDDER, routingBody } from "../../engine/index.js";
import type { LengthCorrections } from "../../engine/lengths/length-corrections.js";
import type { Router } from "../../engine/router/router.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import { SextantError } from "../../foundation/errors.js";
import type { Clock, Timers } from "../../foundation/timers.js";
import type { Limiter, Reservation, UsageEstimate } from "../access/limits/limits.js";
import type { ConversationMemory } from "../conversations/conversation-memory.js";
import { keptKey, type ResponseMemory, type StoredResponse } from "../conversations/response-memory.js";
import type { PausesInForce } from "../pauses/pause.js";
import type { KeptCall, Provider } from "../providers/provider.js";
import type { Settings } from "../settings/settings.js";
import type { TraceSink, Usage } from "../traces/trace.js";
import { baselineOf } from "./accounting/baseline.js";
import {
  type AccountedRequest,
  type AnsweringDeployment,
  type AnswerObserver,
  OpenRequests,
  RequestAccounting,
} from "./accounting/request-accounting.js";
import { StreamedAnswer } from "./answers/streamed-answer.js";
import type { CircuitLog } from "./attempts/admission.js";
import { cancellationOf } from "./attempts/cancellation.js";
import {
  type CallLog,
  type DispatchDependencies,
  type DispatchResult,
  dispatch,
  dispatchEmbeddings,
  type ReachedEmbeddings,
} from "./attempts/dispatch.js";
import type { HealthRegistry, HealthRegistryDependencies } from "./attempts/health-registry.js";
import type { LimitSettings, ModelLimits } from "./attempts/model-limits.js";
import { Repairs } from "./attempts/repairs/repairs.js";
import {
  type ConversationRequest,
  previousOf,
  StickyConversations,
  type StickyConversationsOptions,
  type Turn,
} from "./conversations/sticky-conversations.js";
import { factsAtWarm, hasChoiceOfHosts, type WarmAnswer, warmAnswer } from "./conversations/warm-host.js";
import { countInputs, embeddingSize, inputMessage } from "./embeddings/inputs.js";
import { localProvider, refuseForLocal } from "./embeddings/local-provider.js";
import { type FileTextSources, withFileTexts } from "./file-texts/file-texts.js";
import type { PdfReader } from "./file-texts/pdf-reader.js";
import type {
  Answer,
  AnswerStream,
  CountRequest,
  DecideRequest,
  DecisionAnswer,
  EmbeddingAnswer,
  PromptCount,
} from "./inference.js";
import type { ModelCatalog } from "./model-catalog.js";
import { allowedPlan, type HostRules, hostRules } from "./planning/allowed-hosts.js";
import { callerEffort, switchedOff } from "./planning/caller-effort.js";
import { orderDeployments } from "./planning/deployment-order.js";
import { completionsPlan, nativePlan } from "./planning/native-plan.js";
import { pausedModels, redirected, unpausedPlan } from "./planning/paused.js";
import { planNamed, planRanked } from "./planning/plan.js";
import { fittingPlan, mayNotFit } from "./planning/prompt-fit.js";
import { catalogServing } from "./planning/purpose.js";
import { abilitiesFor } from "./planning/request-needs.js";
import {
  highestCostUsd,
  promptTokensOf,
  type RequestSize,
  requestSize,
  usageEstimate,
} from "./planning/request-size.js";
import { type ExplorationSource, explorationOf, routeRequestOf, shownOf } from "./planning/route-request.js";
import { countPrompt } from "./prompt-count.js";
import type { EmbeddingRequest, InferenceRequest, RequestContext } from "./request.js";
import type { BackgroundRuns } from "./responses/background-runs.js";
import type { KeptResponsesOptions } from "./responses/kept-responses.js";
import { runEvents } from "./responses/run-events.js";
import { allowedOnly, runnable, runnableOnly } from "./runnable.js";
import type { ShadowDecisions } from "./shadow-decisions.js";
import { AnswerText } from "./text/answer-text.js";
import { backgroundCounter, type TokenCounter } from "./token-counting/token-counter.js";
import { billedUsage, chatUsageBound, embeddingUsageBound, estimatedUsageOf } from "./usage.js";

export interface InferenceDependencies {
  readonly router: Pick<Router, "route">;
  readonly catalog: ModelCatalog;
  /** What operators have paused. */
  readonly pauses: PausesInForce;
  /** The embedder used for routing. */
  readonly embedder: Pick<Embedder, "dimensions" | "embed">;
  /** Every provider that the catalog enables, by id. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly limiter: Pick<Limiter, "reserve">;
  readonly traces: TraceSink;
  /** Observes the answers of routed requests; undefined when lengths are not corrected. */
  readonly lengths?: Pick<LengthCorrections, "observe"> | undefined;
  /** Decides routed requests a second time, for their traces; undefined without a shadow set. */
  readonly shadow?: ShadowDecisions | undefined;
  /** Sees what was answered; undefined without anything that does. */
  readonly observer?: AnswerObserver | undefined;
  /** Which model answered before in a conversation. */
  readonly conversations: ConversationMemory;
  /** Where responses are that providers keep. */
  readonly responses: ResponseMemory;
  /** Used only where a provider sends no count, and where a prompt may be too long. */
  readonly counter: TokenCounter;
  /** Used only where a routed request has a PDF. */
  readonly pdfs: Pick<PdfReader, "read">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The clock of `RequestContext.arrivedMs`. */
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly timers: Timers;
  readonly settings: DispatchDependencies["settings"] &
    HealthRegistryDependencies["settings"] &
    LimitSettings &
    FileTextSources["settings"] &
    StickyConversationsOptions["settings"] &
    ExplorationSource["settings"] &
    Pick<
      Settings,
      | "upstreamTotalTimeoutMs"
      | "traceMaxTextCharacters"
      | "backgroundPollMs"
      | "fallbacks"
      | "baselineModel"
      | "providerPolicies"
    >;
  /** Receives a line for each upstream call, and when a circuit opens or closes. */
  readonly logger?: CircuitLog & CallLog;
}

/** An accepted request in progress. */
interface Accepted {
  readonly context: RequestContext;
  readonly reservation: Reservation;
  readonly accounting: RequestAccounting;
}

/** What outlives a change of providers. */
export interface LastingParts {
  readonly health: HealthRegistry;
  readonly runs: BackgroundRuns;
  /** Their slots are shared by the requests of before and after. */
  readonly limits: ModelLimits;
}

/** Inference by one catalog and its providers. */
export class RunningInference {
  readonly #dispatchDependencies: DispatchDependencies;
  readonly #open = new OpenRequests();
  readonly #backgroundCounter: TokenCounter;
  readonly #conversations: StickyConversations;
  readonly #runs: BackgroundRuns;
  /** Of requests that name a model and no fallbacks. */
  readonly #usualFallbacks: ReadonlyMap<string, readonly string[]>;

  constructor(
    private readonly dependencies: InferenceDependencies,
    { health, runs, limits }: LastingParts,
  ) {
    const { catalog } = dependencies;
    this.#backgroundCounter = backgroundCounter(dependencies.counter);
    const { conversations: memory, settings } = dependencies;
    this.#usualFallbacks = new Map(Object.entries(settings.fallbacks));
    this.#conversations = new StickyConversations({ memory, settings });
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
    this.#dispatchDependencies = { ...dependencies, providers, health, repairs, limits, remedyOf };
    this.#runs = runs;
  }

  settled(): Promise<void> {
    return this.#open.none();
  }

  async run(asked: InferenceRequest, context: RequestContext): Promise<Answer | AnswerStream> {
    const { request, passed } = redirected(asked, this.dependencies);
    const size = requestSize(request.body);
    const { body, native } = request;
    const boundOf = (one: Deployment) => chatUsageBound(one, { body, native: native?.request });
    const estimate = this.#estimate(request, size);
    const { kind, stream, metadata } = request;
    const effort = callerEffort(request);
    const entry = { kind, body, stream, metadata, effort, request, boundOf };
    const accepted = await this.#accept(entry, { context, estimate });
    return this.#accounted(accepted, async () => {
      for (const attempt of passed) accepted.accounting.called(attempt);
      const hosts = this.#hostRules(request);
      const planned = await this.#plan(request, accepted, { size, hosts });
      const reaching = this.#dispatch(planned, { request, accepted, size, hosts });
      // While the upstream is awaited.
      accepted.accounting.beginShadow();
      const reached = await reaching;
      const { deployment } = reached;
      accepted.accounting.answering(deployment, planned);
      if (reached.kind === "completion") return await this.#answerOf(reached, accepted);
      return request.background === true
        ? this.#runStreamOf(reached, accepted)
        : this.#streamOf(reached, accepted);
    });
  }

  async decide({ body, metadata, choice }: DecideRequest, context: RequestContext): Promise<DecisionAnswer> {
    const entry: AccountedRequest = {
      ...{ kind: "router", body, metadata, stream: false },
      effort: callerEffort({ body }),
    };
    const accepted = await this.#accept(entry, { context, estimate: NO_TOKENS });
    return this.#accounted(accepted, async () => {
      const { router, catalog, clock } = this.dependencies;
      const promptTokens = promptTokensOf(body);
      const hosts = this.#hostRules({ choice });
      const finding = this.#turnOf({ body, metadata, choice }, { context, promptTokens });
      const turn = finding && (await finding);
      const warm = warmAnswer(turn, { catalog, promptTokens });
      const startMs = clock();
      const reading = withFileTexts(body, this.dependencies);
      const files = reading && (await reading);
      const asked = {
        ...routeRequestOf(choice, { body: files?.body ?? body }),
        ...factsAtWarm(warm, catalog),
        ...{ promptTokens: files?.promptTokens ?? promptTokens, ...previousOf(turn) },
        ...pausedModels(this.dependencies, choice.provider),
        ...runnableOnly(catalog, choice.provider),
        ...allowedOnly(catalog, hosts),
        ...abilitiesFor({ body }, this.dependencies),
      };
      // Whole: its signal is made when it is first asked for.
      const decided = routingBody(await router.route(asked, context), {
        ...shownOf(choice),
        notes: files?.notes,
      });
      const size = { ...requestSize(body), promptTokens };
      const routing = this.#withHost(decided, { size, hosts, warm });
      context.span?.decided(routing, startMs);
      accepted.accounting.decided(routing, asked, turn);
      return { routing, limitHeaders: accepted.reservation.headers };
    });
  }

  async countTokens(request: CountRequest, context: RequestContext): Promise<PromptCount> {
    const reservation = await this.#open.track(
      this.dependencies.limiter.reserve(context.principal, NO_TOKENS),
    );
    try {
      const counted = await countPrompt(request, context, this.dependencies);
      return { ...counted, limitHeaders: reservation.headers };
    } finally {
      reservation.settle(NO_TOKENS);
    }
  }

  async embed(request: EmbeddingRequest, context: RequestContext): Promise<EmbeddingAnswer> {
    const { choice, body, fallbacks, metadata } = request;
    const size = embeddingSize(body);
    const messages = [inputMessage(body)];
    const entry: AccountedRequest = {
      ...{ kind: "embeddings", body: { messages }, stream: false, metadata },
      boundOf: (deployment) => embeddingUsageBound(deployment, body),
    };
    const accepted = await this.#accept(entry, { context, estimate: this.#estimate(request, size) });
    return this.#accounted(accepted, async () => {
      const { catalog, embedder, pauses, settings } = this.dependencies;
      const serving = catalogServing(catalog, { purpose: "embeddings", fallbacks });
      // Without redirects: vectors of different models cannot be compared.
      const plan = unpausedPlan(planNamed(choice, fallbacks, serving), {
        pauses,
        record: accepted.accounting,
      });
      if (plan.some(({ name }) => name === LOCAL_EMBEDDER)) refuseForLocal(body, embedder);
      const { requestId, signal, arrivedMs, span } = context;
      const deadlineMs = arrivedMs + settings.upstreamTotalTimeoutMs;
      const limits = { requestId, size, deadlineMs, signal, span, record: accepted.accounting };
      const reached = await dispatchEmbeddings(plan, { body, ...limits }, this.#dispatchDependencies);
      return this.#embeddingsOf(reached, request, accepted);
    });
  }

  async askKeeper<Answered>(
    ask: (call: KeptCall, context: RequestContext, options: KeptResponsesOptions) => Promise<Answered>,
    ...[call, context]: readonly [KeptCall, RequestContext]
  ): Promise<Answered & LimitHeaders> {
    const { limiter, responses: memory, clock, timers, settings } = this.dependencies;
    const reservation = await this.#open.track(limiter.reserve(context.principal, NO_TOKENS));
    try {
      const { providers } = this.#dispatchDependencies;
      const limits = this.#dispatchDependencies.limits.usual;
      const totalTimeoutMs = settings.upstreamTotalTimeoutMs;
      const options = { providers, memory, runs: this.#runs, clock, timers, limits, totalTimeoutMs };
      return { ...(await ask(call, context, options)), limitHeaders: reservation.headers };
    } catch (error) {
      throw error instanceof SextantError ? error.withHeaders(reservation.headers) : error;
    } finally {
      reservation.settle(NO_TOKENS);
    }
  }

  /** Goes on with runs in the background that an earlier process left. Their traces have no content. */
  async resumeRuns(): Promise<void> {
    for (const { key, stored } of await this.dependencies.responses.claimRuns()) {
      await this.#resume(key, stored).catch(() => {});
    }
  }

  async #resume(key: string, stored: StoredResponse): Promise<void> {
    const { run, model, provider } = stored;
    const deployment = this.dependencies.catalog.deployments(model).find((one) => one.provider === provider);
    if (run === undefined || deployment === undefined) return;
    const { now, clock } = this.dependencies;
    const { requestId, source, createdAtMs, metadata } = run;
    const context: RequestContext = {
      ...{ requestId, source, createdAtMs, arrivedMs: clock() - (now() - createdAtMs) },
      principal: run.principal as unknown as RequestContext["principal"],
      signal: new AbortController().signal,
    };
    const entry = { kind: "responses", body: { messages: [] }, stream: false, metadata } as const;
    const accepted = await this.#accept(entry, { context, estimate: NO_TOKENS });
    const { provider: id, model: name } = deployment;
    const attempt = { status: 200, code: "ok", message: null, latency_ms: 0 };
    accepted.accounting.called({ provider: id, model: name, ...attempt });
    this.#runs.add({ key, stored, deployment, accounting: accepted.accounting });
    this.#runs.watch(key);
  }

  /**
   * The provider goes on: the request is billed and traced when it has ended.
   *
   * @returns the key of the run, and what is known of its usage until then
   */
  #running(
    runningId: string,
    deployment: Deployment,
    { context, accounting }: Accepted,
  ): { readonly key: string; readonly usage: Usage } {
    const { requestId, source, createdAtMs, principal } = context;
    const stored: StoredResponse = {
      id: runningId,
      provider: deployment.provider,
      model: deployment.model,
      keptAtMs: this.dependencies.now(),
      run: { requestId, source, createdAtMs, principal: { ...principal }, metadata: accounting.metadata },
    };
    const key = keptKey(principal.id, runningId);
    this.dependencies.responses.keep({ kind: "stored", key, value: stored });
    this.#runs.add({ key, stored, deployment, accounting });
    const latencyMs = this.dependencies.clock() - context.arrivedMs;
    const bound = accounting.boundOf(deployment);
    const facts = { price: deployment.price, bound, latencyMs, ttftMs: latencyMs };
    return { key, usage: estimatedUsageOf({ promptTokens: 0, completionTokens: 0 }, facts) };
  }

  /** A run whose events are read as they come, for as long as its client reads them. */
  #runStreamOf(
    { deployment, stream, admission }: Extract<DispatchResult, { kind: "stream" }>,
    accepted: Accepted,
  ): AnswerStream {
    const { call, held, rest, idle, firstContentMs } = stream;
    admission.succeeded(firstContentMs - call.startedMs);
    const id = held.findLast(({ run }) => run !== undefined)?.run?.body.id;
    if (typeof id !== "string") throw new TypeError("A stream of a run began without its id.");
    const { key, usage: unknown } = this.#running(id, deployment, accepted);
    let usage = unknown;
    const runs = this.#runs;
    const { signal } = accepted.context;
    async function* batches() {
      try {
        yield* runEvents({
          ...{ id: String(id), call, held, rest, idle, signal },
          seen: async (reply) => {
            usage = (await runs.seen(key, reply)) ?? usage;
          },
        });
      } finally {
        runs.watch(key);
      }
    }
    return { kind: "stream", batches: batches(), usage: () => usage, ...answeredBy(deployment, accepted) };
  }

  /** @throws SextantError `rate_limit_exceeded`, `budget_exceeded`; such a request is not accepted and leaves no trace */
  async #accept(entry: AccountedRequest, { context, estimate }: AcceptOptions): Promise<Accepted> {
    const { limiter, traces, lengths, shadow, observer, clock, counter } = this.dependencies;
    const { catalog, settings } = this.dependencies;
    const startMs = clock();
    const reservation = await this.#open.track(limiter.reserve(context.principal, estimate));
    context.span?.part("reserve limits", startMs);
    const counters = { counter, backgroundCounter: this.#backgroundCounter };
    const baseline = () => baselineOf(settings.baselineModel, catalog);
    const recording = { context, reservation, traces, lengths, shadow, observer, baseline, clock };
    return { context, reservation, accounting: new RequestAccounting(entry, { ...recording, ...counters }) };
  }

  /** Records a failure of the work, which gets the headers of the limits; work that succeeds does both itself. */
  async #accounted<Result>(
    { context, reservation, accounting }: Accepted,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const cancelled = context.signal.aborted && !(error instanceof SextantError);
      const reason = cancelled ? cancellationOf(context.signal) : error;
      accounting.failed(reason);
      throw reason instanceof SextantError ? reason.withHeaders(reservation.headers) : reason;
    }
  }

  /** Estimates the usage. A routed request has no price yet; its cost is reserved once a model is chosen. */
  #estimate({ choice }: Pick<InferenceRequest, "choice">, size: RequestSize): UsageEstimate {
    if (choice.type === "routed") return usageEstimate(size, null);
    const deployments = this.dependencies.catalog.deployments(choice.model);
    const deployment = deployments.find(({ provider }) => provider === (choice.provider ?? provider));
    return usageEstimate(size, deployment?.price ?? null);
  }

  async #plan(
    { choice, body, effort, metadata, fallbacks, native, needsCompletions }: InferenceRequest,
    { context, reservation, accounting }: Accepted,
    { size, hosts }: Planning,
  ): Promise<AnsweringDeployment> {
    const { router, catalog, counter, pauses, providers, clock } = this.dependencies;
    const { promptTokens } = size;
    const unpaused = { pauses, record: accounting };
    const answering = catalogServing(catalog, { purpose: "answers", fallbacks });
    if (choice.type === "named") {
      const tried = fallbacks.length > 0 ? fallbacks : (this.#usualFallbacks.get(choice.model) ?? []);
      const open = unpausedPlan(allowedPlan(planNamed(choice, tried, answering), hosts), unpaused);
      const named = completionsPlan(open, needsCompletions);
      const plan = nativePlan(named, native, providers);
      const fitting = mayNotFit(plan, promptTokens)
        ? await fittingPlan(plan, { body, counter, required: plan[0] })
        : plan;
      const turn = hasChoiceOfHosts(fitting, providers)
        ? await this.#turnOf({ choice, body, metadata }, { context, promptTokens })
        : undefined;
      return { plan: fitting, candidates: [], turn };
    }
    const finding = this.#turnOf({ choice, body, metadata }, { context, promptTokens });
    const turn = finding && (await finding);
    const warm = warmAnswer(turn, { catalog, promptTokens });
    const startMs = clock();
    const reading = withFileTexts(body, this.dependencies);
    const files = reading && (await reading);
    const asked = {
      ...routeRequestOf(choice, { body: files?.body ?? body, effort, native }),
      ...factsAtWarm(warm, catalog),
      ...{ promptTokens: files?.promptTokens ?? promptTokens, ...previousOf(turn) },
      ...pausedModels(this.dependencies, choice.provider),
      ...runnable(catalog, choice.provider),
      ...allowedOnly(catalog, hosts),
      ...abilitiesFor({ body, native }, this.dependencies),
      ...explorationOf(this.dependencies),
    };
    const decision = await router.route(asked, { signal: context.signal });
    const routing = routingBody(decision, { ...shownOf(choice), notes: files?.notes });
    accounting.routed(routing, asked);
    context.span?.decided(routing, startMs);
    const ranked = decision.candidates.map(({ model }) => model);
    const rankedPlan = planRanked(ranked, { fallbacks, provider: choice.provider }, answering);
    const open = unpausedPlan(allowedPlan(rankedPlan, hosts), unpaused);
    const ways = nativePlan(open, native, providers);
    const plan = mayNotFit(ways, promptTokens) ? await fittingPlan(ways, { body, counter }) : ways;
    await reservation.reserveCost(highestCostUsd(size, plan[0]?.deployments ?? []));
    return { plan, candidates: decision.candidates, turn };
  }

  /** The decision with the provider that the model would be asked at first, where several serve it. */
  #withHost(
    routing: RoutingBody,
    { size, hosts, warm }: Planning & { readonly warm: WarmAnswer | undefined },
  ): RoutingBody {
    const { catalog, pauses, settings } = this.dependencies;
    const { health } = this.#dispatchDependencies;
    const { deployments, choice } = orderDeployments(
      catalog
        .deployments(routing.selected_model)
        .filter((one) => one.enabled && !hosts?.refusal(one) && !pauses.ofDeployment(one)),
      {
        ...{ size, rules: hosts, sort: settings.hostSort },
        warm: warm?.model === routing.selected_model ? warm : undefined,
        rank: (deployment) => health.rank(deployment),
        figures: (deployment) => health.figures(deployment),
      },
    );
    const [first] = deployments;
    if (first === undefined || (choice === undefined && hosts === undefined)) return routing;
    return { ...routing, selected_provider: first.provider, ...(choice && { host: choice }) };
  }

  #hostRules({ choice: { hosts } }: Pick<InferenceRequest, "choice">): HostRules | undefined {
    const { catalog, settings } = this.dependencies;
    return hosts && hostRules(hosts, { catalog, policies: settings.providerPolicies });
  }

  /** Undefined, at once, for a request that is decided on its own. */
  #turnOf(
    request: ConversationRequest,
    { context, promptTokens }: { readonly context: RequestContext; readonly promptTokens: number },
  ): Promise<Turn> | undefined {
    const { principal, createdAtMs, arrivedMs } = context;
    return this.#conversations.turnOf(request, {
      ...{ principal: principal.id, promptTokens },
      now: () => createdAtMs + this.dependencies.clock() - arrivedMs,
    });
  }

  #dispatch(
    { plan, turn }: AnsweringDeployment,
    { request, accepted, size, hosts }: DispatchOptions,
  ): Promise<DispatchResult> {
    const { body, choice, stream, native, idempotencyKey } = request;
    // The decision counted on it.
    const effort = request.effort ?? (choice.type === "routed" ? switchedOff(native) : undefined);
    const { context, accounting } = accepted;
    const deadlineMs = context.arrivedMs + this.dependencies.settings.upstreamTotalTimeoutMs;
    const { requestId, span } = context;
    // A run whose id is not known could not be billed: its client may leave, but is waited for with it.
    const signal = request.background === true ? new AbortController().signal : context.signal;
    const { catalog } = this.dependencies;
    const warm = warmAnswer(turn, { catalog, promptTokens: size.promptTokens });
    const limits = { requestId, size, deadlineMs, signal, span, record: accounting, hosts, warm };
    return dispatch(
      plan,
      { body, effort, stream, native, idempotencyKey, ...limits },
      this.#dispatchDependencies,
    );
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
      const run = this.#running(completion.runningId, deployment, accepted);
      this.#runs.watch(run.key);
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
      ...{ deployment, stream, admission, accounting, clock },
      maxTextCharacters: settings.traceMaxTextCharacters,
    });
    return { kind: "stream", batches, usage: () => batches.usage(), ...answered };
  }
}

interface AcceptOptions {
  readonly context: RequestContext;
  readonly estimate: UsageEstimate;
}

interface DispatchOptions extends Planning {
  readonly request: InferenceRequest;
  readonly accepted: Accepted;
}

interface Planning {
  readonly size: RequestSize;
  /** Undefined for a request that asks nothing of providers. */
  readonly hosts: HostRules | undefined;
}

type LimitHeaders = Pick<Answer, "limitHeaders">;

/** The attempts are a copy: the accounting replaces the last one when a stream ends. */
const answeredBy = (
  { model, provider }: Deployment,
  { accounting, reservation }: Accepted,
): Omit<Answer, "kind" | "completion" | "usage"> => ({
  ...{ model, provider, attempts: [...accounting.attempts], routing: accounting.routing },
  limitHeaders: reservation.headers,
});

/** A decision uses no tokens. */
const NO_TOKENS: UsageEstimate = { tokens: 0, costUsd: 0 };
