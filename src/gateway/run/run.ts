import { LOCAL_EMBEDDER } from "../../engine/index.js";
import type { TextRoom } from "../../foundation/bounded-text.js";
import { SextantError } from "../../foundation/errors.js";
import type { Limiter, Reservation, UsageEstimate } from "../access/limits/limits.js";
import { keysOf } from "../providers/keys/keyed-provider.js";
import type { KeptCall } from "../providers/provider.js";
import { backgroundCounter } from "../token-counting/token-counter.js";
import { AnswerText } from "./answer-text.js";
import type { ChatAnswer } from "./attempt.js";
import { withChosenEffort } from "./auto-effort.js";
import { isSwitchable } from "./budget-switch.js";
import { callModels, type Reached } from "./call.js";
import { ModelLimits } from "./call-limits.js";
import { callerEffort } from "./caller-effort.js";
import { cancellationOf } from "./cancellation.js";
import { cappedPlan, capsOf } from "./caps.js";
import { PromptTokens } from "./counted-tokens.js";
import type { InferenceDependencies } from "./dependencies.js";
import { countInputs, embeddingSize, inputMessage, localProvider, refuseForLocal } from "./embeddings.js";
import { HealthRegistry } from "./health.js";
import type {
  Answer,
  AnswerStream,
  CountRequest,
  DecideRequest,
  DecisionAnswer,
  EmbeddingAnswer,
  PromptCount,
  StoppableInference,
} from "./inference.js";
import { type Calling, chatOperation, embeddingOperation } from "./operations.js";
import { redirected, unpausedPlan } from "./paused.js";
import { RequestPlanner } from "./plan.js";
import { planNamed } from "./planned-models.js";
import { countPrompt } from "./prompt-count.js";
import { Repairs } from "./repairs/repairs.js";
import type { EmbeddingRequest, InferenceRequest, RequestContext } from "./request.js";
import { requestSize } from "./request-size.js";
import { baselineOf } from "./savings.js";
import { answeredBy, type RecordedRequest, RunningRequest, type SettlementDependencies } from "./settle.js";
import { askForKept, followKept, type KeptResponsesOptions } from "./stored-response-calls.js";
import { StreamedAnswer } from "./streamed-answer.js";
import { chatUsageBound, embeddingUsageBound, NO_BOUND } from "./usage.js";

/** What outlives a change of providers. */
interface LastingParts {
  readonly health: HealthRegistry;
  /** Their slots are shared by the requests of before and after. */
  readonly limits: ModelLimits;
  readonly room: TextRoom;
}

export function createInference(dependencies: InferenceDependencies): StoppableInference {
  const { clock, settings, logger } = dependencies;
  let { providers } = dependencies;
  const pools = new Map<string, ReturnType<typeof keysOf>>();
  const health = new HealthRegistry({
    clock,
    settings,
    logger,
    probes: dependencies.circuitProbes,
    keysOf: (provider) => pools.get(provider),
  });
  const limits = new ModelLimits(settings);
  const room = { freeBytes: settings.traceBufferBytes };
  const start = (sources: InferenceDependencies): RunningInference => {
    pools.clear();
    for (const [id, provider] of sources.providers) pools.set(id, keysOf(provider));
    return new RunningInference(sources, { health, limits, room });
  };
  let running = start(dependencies);
  /** Those that still have requests. */
  const replaced = new Set<RunningInference>();
  return {
    async replace(next) {
      const before = running;
      health.forget([...providers.keys()].filter((id) => providers.get(id) !== next.providers.get(id)));
      providers = next.providers;
      running = start({ ...dependencies, ...next });
      replaced.add(before);
      await before.settled();
      replaced.delete(before);
    },
    run: (request, context) => running.run(request, context),
    decide: (request, context) => running.decide(request, context),
    countTokens: (request, context) => running.countTokens(request, context),
    embed: (request, context) => running.embed(request, context),
    askForKept: (call, context) => running.askForKept(call, context),
    followKept: (call, context) => running.followKept(call, context),
    health: (provider, model) => health.health({ provider, model }),
    async settled() {
      await Promise.all([...replaced, running].map((one) => one.settled()));
    },
    healthOfAll: () => ({
      models: health.all(),
      keys: [...pools].flatMap(
        ([provider, pool]) => pool?.health().map((key) => ({ provider, ...key })) ?? [],
      ),
    }),
    circuits: () => health.circuits(),
  };
}

/** Of a request that no model answers, such as a decision alone. */
const NO_TOKENS: UsageEstimate = { tokens: 0, costUsd: 0 };

interface AcceptOptions {
  readonly estimate: UsageEstimate;
  /** Whether another model may answer; default: it may not. */
  readonly isSwitchable?: () => boolean;
}

/** Inference by one catalog and its providers. */
class RunningInference {
  readonly #calling: Calling;
  readonly #planner: RequestPlanner;
  readonly #settlement: SettlementDependencies;
  readonly #keeping: KeptResponsesOptions;
  /** Accepted requests that are not settled yet: those under way, and those whose tokens are still being counted. */
  #open = 0;
  #whenSettled: (() => void)[] = [];

  constructor(
    private readonly dependencies: InferenceDependencies,
    private readonly lasting: LastingParts,
  ) {
    const { catalog, settings, counter } = dependencies;
    const { health, limits } = lasting;
    this.#planner = new RequestPlanner(dependencies, health);
    this.#keeping = { ...dependencies, limits: limits.usual };
    this.#settlement = {
      ...dependencies,
      backgroundCounter: backgroundCounter(counter),
      baseline: () => baselineOf(settings.baselineModel, catalog),
      onSettled: () => this.#ended(),
    };
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
    this.#calling = { ...dependencies, providers, health, repairs, limits, remedyOf };
  }

  async run(asked: InferenceRequest, context: RequestContext): Promise<Answer | AnswerStream> {
    const { request: aimed, passed } = redirected(asked, this.dependencies);
    const { costWeight: keyWeight } = context.principal;
    const request = withChosenEffort(aimed, { sources: this.dependencies, keyWeight });
    const size = requestSize(request.body);
    const { kind, body, stream, metadata, native } = request;
    const prompt = new PromptTokens(body, this.dependencies.counter);
    const recorded: RecordedRequest = {
      kind,
      body,
      stream,
      metadata,
      requestedModel:
        asked.requestedModel ?? (asked.choice.type === "named" ? asked.choice.model : asked.choice.name),
      effort: callerEffort(request),
      conversation: request.choice.conversation,
      request,
      boundOf: (one) => chatUsageBound(one, { body, native: native?.request }),
      promptTokens: (model) => prompt.of(model),
    };
    const estimate = this.#planner.estimate(request, size);
    const running = await this.#accept(recorded, context, {
      estimate,
      isSwitchable: () => isSwitchable(request),
    });
    return this.#settledIfFailed(running, async () => {
      for (const attempt of passed) running.called(attempt);
      const hosts = this.#planner.hostRules(request);
      const { plan, ...planned } = await this.#planner.plan(request, running, { size, hosts });
      const called = { running, plan, size: planned.size, hosts, key: planned.request.key };
      const operation = chatOperation(called, planned.request, this.#calling);
      const reached = await callModels(operation, this.#calling);
      running.answering = { deployment: reached.deployment, plan };
      // What a run in the background will use is not known yet.
      if (native?.request.body.background === true) running.leastTokens = planned.size.answerTokens;
      return reached.kind === "completion"
        ? await this.#answerOf(reached, running)
        : this.#streamOf(reached, running);
    });
  }

  async decide(request: DecideRequest, context: RequestContext): Promise<DecisionAnswer> {
    const { body, metadata } = request;
    const recorded: RecordedRequest = {
      kind: "router",
      body,
      metadata,
      stream: false,
      effort: callerEffort({ body }),
      conversation: request.choice.conversation,
      ...UNBILLED,
    };
    const running = await this.#accept(recorded, context, { estimate: NO_TOKENS });
    return this.#settledIfFailed(running, async () => {
      const planning = { size: requestSize(body), hosts: this.#planner.hostRules(request) };
      const routing = await this.#planner.decide(request, running, planning);
      return { routing, limitHeaders: running.reservation.headers };
    });
  }

  countTokens(request: CountRequest, context: RequestContext): Promise<PromptCount> {
    return this.#untraced(context, () =>
      countPrompt(request, context, { ...this.dependencies, health: this.lasting.health }),
    );
  }

  async embed(request: EmbeddingRequest, context: RequestContext): Promise<EmbeddingAnswer> {
    const { choice, body, fallbacks, metadata } = request;
    const { catalog, embedder, pauses, counter } = this.dependencies;
    const size = embeddingSize(body);
    const recorded: RecordedRequest = {
      kind: "embeddings",
      body: { messages: [inputMessage(body)] },
      stream: false,
      metadata,
      requestedModel: choice.model,
      boundOf: (deployment) => embeddingUsageBound(deployment, body),
      promptTokens: (model) => countInputs(body, { model, counter }),
    };
    const estimate = this.#planner.estimate(request, size);
    const running = await this.#accept(recorded, context, { estimate });
    return this.#settledIfFailed(running, async () => {
      // Without redirects: vectors of different models cannot be compared.
      const caps = capsOf(context.principal.caps, undefined);
      let models = planNamed(choice, fallbacks, { catalog, purpose: "embeddings" });
      if (caps !== undefined)
        models = cappedPlan(models, { caps, size, named: [choice.model, ...fallbacks] });
      if (pauses.any) models = unpausedPlan(models, { pauses, record: running });
      if (models.some(({ name }) => name === LOCAL_EMBEDDER)) refuseForLocal(body, embedder);
      const plan = { models, candidates: [] };
      const operation = embeddingOperation({ running, plan, size }, body);
      const { deployment, vectors, usage: tokens } = await callModels(operation, this.#calling);
      running.answering = { deployment, plan };
      const usage = await running.answered({ tokens, text: null });
      const { model, provider } = deployment;
      return { vectors, usage, model, provider, limitHeaders: running.reservation.headers };
    });
  }

  askForKept(call: KeptCall, context: RequestContext) {
    return this.#untraced(context, () => askForKept(call, context, this.#keeping));
  }

  followKept(call: KeptCall, context: RequestContext) {
    return this.#untraced(context, () => followKept(call, context, this.#keeping));
  }

  /** Resolves once all requests are over: their reservations settled, their traces recorded. */
  settled(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenSettled.push(resolve));
  }

  #ended(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    for (const resolve of this.#whenSettled) resolve();
    this.#whenSettled = [];
  }

  /** @throws SextantError `rate_limit_exceeded`, `budget_exceeded`; such a request is not accepted and leaves no trace */
  async #accept(
    asked: RecordedRequest,
    context: RequestContext,
    { estimate, isSwitchable }: AcceptOptions,
  ): Promise<RunningRequest> {
    const { principal, source, requestId } = context;
    const { team } = principal;
    const startMs = this.dependencies.clock();
    const { name = asked.conversation?.session } = asked.conversation ?? {};
    // So that the requests of an agent's session are found together; what the key says of its holder's team, too.
    const metadata = {
      ...(name && { [this.dependencies.settings.stickyMetadataKey]: name }),
      ...asked.metadata,
      ...(team && { team }),
    };
    const recorded = { ...asked, metadata };
    const tags = { requestId, source, metadata, isSwitchable };
    const reservation = await this.#reserve(principal, estimate, tags);
    context.span?.part("reserve limits", startMs);
    return new RunningRequest(recorded, context, reservation, this.#settlement);
  }

  /** The request counts as open until it is settled. */
  async #reserve(...asked: Parameters<Limiter["reserve"]>): Promise<Reservation> {
    this.#open += 1;
    try {
      return await this.dependencies.limiter.reserve(...asked);
    } catch (refusal) {
      this.#ended();
      throw refusal;
    }
  }

  /** Records a failure of the work, which gets the headers of the limits; work that succeeds does both itself. */
  async #settledIfFailed<Result>(running: RunningRequest, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const { signal } = running.context;
      const reason = signal.aborted && !(error instanceof SextantError) ? cancellationOf(signal) : error;
      running.failed(reason);
      throw reason instanceof SextantError ? reason.withHeaders(running.reservation.headers) : reason;
    }
  }

  /** Work that uses no tokens and leaves no trace. @throws as `#accept`, and as the work */
  async #untraced<Result>(
    { principal, source, requestId }: RequestContext,
    work: () => Promise<Result>,
  ): Promise<Result & Pick<Answer, "limitHeaders">> {
    const reservation = await this.#reserve(principal, NO_TOKENS, { requestId, source });
    try {
      return { ...(await work()), limitHeaders: reservation.headers };
    } catch (error) {
      throw error instanceof SextantError ? error.withHeaders(reservation.headers) : error;
    } finally {
      reservation.settle(NO_TOKENS);
      this.#ended();
    }
  }

  async #answerOf(
    { deployment, completion, tokens }: Extract<Reached<ChatAnswer>, { kind: "completion" }>,
    running: RunningRequest,
  ): Promise<Answer> {
    const text = new AnswerText(this.dependencies.settings.traceMaxTextCharacters);
    text.addCompletion(completion);
    const usage = await running.answered({ tokens, text });
    return { kind: "completion", completion, usage, ...answeredBy(deployment, running) };
  }

  #streamOf(
    { deployment, stream, admission }: Extract<Reached<ChatAnswer>, { kind: "stream" }>,
    running: RunningRequest,
  ): AnswerStream {
    const { clock, settings } = this.dependencies;
    const answered = answeredBy(deployment, running);
    const batches = new StreamedAnswer({
      deployment,
      stream,
      admission,
      running,
      clock,
      maxTextCharacters: settings.traceMaxTextCharacters,
      room: this.lasting.room,
    });
    return { kind: "stream", batches, usage: () => batches.usage(), ...answered };
  }
}

/** Of a decision, which nothing is billed for. */
const UNBILLED = { boundOf: () => NO_BOUND, promptTokens: () => Promise.resolve(0) };
