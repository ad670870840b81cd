import type { Limiter, Reservation, UsageEstimate } from "../access/limits/limits.js";
import { SextantError } from "../foundation/errors.js";
import type { Clock, Timers } from "../foundation/timers.js";
import type { LengthCorrections } from "../lengths/length-corrections.js";
import type { ChatBody } from "../providers/chat.js";
import type { Provider } from "../providers/provider.js";
import type { Router } from "../router/router.js";
import { routingBody } from "../router/routing-body.js";
import type { Settings } from "../settings/settings.js";
import type { TraceSink } from "../traces/trace.js";
import { measuredUsage } from "./accounting/measured-usage.js";
import { type ExpectationSources, expectedLength } from "./accounting/observed-length.js";
import { type AccountedRequest, RequestAccounting } from "./accounting/request-accounting.js";
import type { Answer, AnswerStream } from "./answers/answer.js";
import { StreamedAnswer } from "./answers/streamed-answer.js";
import { ClientDisconnected } from "./attempts/client-disconnected.js";
import { type DispatchDependencies, dispatch, type Reached } from "./attempts/dispatch.js";
import { type CircuitLog, HealthRegistry } from "./attempts/health-registry.js";
import type { DecideRequest, DecisionAnswer, Inference } from "./inference.js";
import type { ModelCatalog } from "./model-catalog.js";
import { type PlannedModel, planNamed, planRanked } from "./planning/plan.js";
import { fittingPlan, mayNotFit } from "./planning/prompt-fit.js";
import { highestCostUsd, type RequestSize, requestSize, usageEstimate } from "./planning/request-size.js";
import { routeRequestOf } from "./planning/route-request.js";
import type { InferenceRequest, RequestContext } from "./request.js";
import { runnable, runnableOnly } from "./runnable.js";
import { AnswerText } from "./text/answer-text.js";
import type { TokenCounter } from "./token-counting/token-counter.js";

export interface InferenceDependencies {
  readonly router: Pick<Router, "route">;
  readonly catalog: ModelCatalog;
  /** By id: every provider that the catalog enables. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly limiter: Pick<Limiter, "reserve">;
  readonly traces: TraceSink;
  /** Learns from the answers of routed requests; undefined when lengths are not corrected. */
  readonly lengths?: Pick<LengthCorrections, "observe"> | undefined;
  /** Asked only where a provider sends no count, and where a prompt may be too long. */
  readonly counter: TokenCounter;
  /** The clock of `RequestContext.arrivedMs`. */
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly timers: Timers;
  readonly settings: Pick<
    Settings,
    | "maxAttempts"
    | "retries"
    | "retryMaxWaitMs"
    | "circuitFailures"
    | "circuitCooldownMs"
    | "upstreamHeadersTimeoutMs"
    | "upstreamFirstContentTimeoutMs"
    | "upstreamIdleTimeoutMs"
    | "upstreamTotalTimeoutMs"
  >;
  /** Receives a line when a circuit opens or closes. */
  readonly logger?: CircuitLog;
}

export function createInference(dependencies: InferenceDependencies): Inference {
  const { clock, settings, logger } = dependencies;
  const health = new HealthRegistry({ clock, settings, logger });
  const running = new RunningInference(dependencies, health);
  return {
    run: (request, context) => running.run(request, context),
    decide: (request, context) => running.decide(request, context),
    health: (provider, model) => health.health({ provider, model }),
  };
}

/** An accepted request under way. */
interface Accepted {
  readonly context: RequestContext;
  readonly reservation: Reservation;
  readonly accounting: RequestAccounting;
}

class RunningInference {
  readonly #dispatchDependencies: DispatchDependencies;

  constructor(
    private readonly dependencies: InferenceDependencies,
    health: HealthRegistry,
  ) {
    const { catalog } = dependencies;
    const remedyOf = (provider: string) => catalog.providers().find(({ id }) => id === provider)?.remedy;
    this.#dispatchDependencies = { ...dependencies, health, remedyOf };
  }

  async run(request: InferenceRequest, context: RequestContext): Promise<Answer | AnswerStream> {
    const size = requestSize(request.body);
    const accepted = await this.#accept(request, { context, estimate: this.#estimate(request, size) });
    return this.#accounted(accepted, async () => {
      const { plan, candidates } = await this.#plan(request, accepted, size);
      const reached = await this.#dispatch(plan, { request, accepted, size });
      accepted.accounting.expectedLength = expectedLength(reached.deployment, { plan, candidates });
      return reached.kind === "stream"
        ? this.#streamOf(reached, request.body, accepted)
        : await this.#answerOf(reached, request.body, accepted);
    });
  }

  async decide({ body, metadata, choice }: DecideRequest, context: RequestContext): Promise<DecisionAnswer> {
    const entry: AccountedRequest = { kind: "router", body, metadata, stream: false };
    const accepted = await this.#accept(entry, { context, estimate: NO_TOKENS });
    return this.#accounted(accepted, async () => {
      const decision = await this.dependencies.router.route(
        { ...routeRequestOf(choice, body), ...runnableOnly(this.dependencies.catalog) },
        { signal: context.signal },
      );
      const routing = routingBody(decision);
      accepted.accounting.decided(routing);
      return { routing, limitHeaders: accepted.reservation.headers };
    });
  }

  /** @throws SextantError `rate_limit_exceeded`, `budget_exceeded`; such a request is not accepted and leaves no trace */
  async #accept(entry: AccountedRequest, { context, estimate }: AcceptOptions): Promise<Accepted> {
    const { limiter, traces, lengths, clock } = this.dependencies;
    const reservation = await limiter.reserve(context.principal, estimate);
    return {
      context,
      reservation,
      accounting: new RequestAccounting(entry, { context, reservation, traces, lengths, clock }),
    };
  }

  /** Accounts for a failure of the work; work that succeeds accounts for itself. */
  async #accounted<Result>({ context, accounting }: Accepted, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const left = context.signal.aborted && !(error instanceof SextantError);
      const reason = left ? new ClientDisconnected() : error;
      accounting.failed(reason);
      throw reason;
    }
  }

  /** A routed request has no model yet whose price could be reserved: that is done once it has. */
  #estimate({ choice }: InferenceRequest, size: RequestSize): UsageEstimate {
    if (choice.type === "routed") return usageEstimate(size, null);
    const deployments = this.dependencies.catalog.deployments(choice.model);
    const deployment = deployments.find(({ provider }) => provider === (choice.provider ?? provider));
    return usageEstimate(size, deployment?.price ?? null);
  }

  async #plan(
    { choice, body, fallbacks }: InferenceRequest,
    { context, reservation, accounting }: Accepted,
    size: RequestSize,
  ): Promise<ExpectationSources> {
    const { router, catalog, counter } = this.dependencies;
    const { promptTokens } = size;
    if (choice.type === "named") {
      const plan = planNamed(choice, fallbacks, catalog);
      const fitting = mayNotFit(plan, promptTokens)
        ? await fittingPlan(plan, { body, counter, required: plan[0] })
        : plan;
      return { plan: fitting, candidates: [] };
    }
    const decision = await router.route(
      { ...routeRequestOf(choice, body), ...runnable(catalog) },
      { signal: context.signal },
    );
    accounting.routing = routingBody(decision);
    const ranked = decision.candidates.map(({ model }) => model);
    const ways = planRanked(ranked, fallbacks, catalog);
    const plan = mayNotFit(ways, promptTokens) ? await fittingPlan(ways, { body, counter }) : ways;
    await reservation.reserveCost(highestCostUsd(size, plan[0]?.deployments ?? []));
    return { plan, candidates: decision.candidates };
  }

  #dispatch(plan: readonly PlannedModel[], { request, accepted, size }: DispatchOptions): Promise<Reached> {
    const { body, stream } = request;
    const { context, accounting } = accepted;
    const deadlineMs = context.arrivedMs + this.dependencies.settings.upstreamTotalTimeoutMs;
    const attempts = accounting.attempts;
    return dispatch(
      plan,
      { body, stream, size, deadlineMs, signal: context.signal, attempts },
      this.#dispatchDependencies,
    );
  }

  async #answerOf(
    { deployment, completion, tokens }: Extract<Reached, { kind: "completion" }>,
    body: ChatBody,
    { context, reservation, accounting }: Accepted,
  ): Promise<Answer> {
    const latencyMs = this.dependencies.clock() - context.arrivedMs;
    const text = new AnswerText();
    text.addCompletion(completion);
    const usage = await measuredUsage(
      { tokens, model: deployment.upstreamModel, body, text },
      { price: deployment.price, latencyMs, ttftMs: latencyMs },
      this.dependencies,
    );
    accounting.answered(deployment, { usage, text });
    return {
      kind: "completion",
      completion,
      usage,
      model: deployment.model,
      provider: deployment.provider,
      attempts: accounting.attempts,
      routing: accounting.routing,
      limitHeaders: reservation.headers,
    };
  }

  #streamOf(
    { deployment, stream, admission }: Extract<Reached, { kind: "stream" }>,
    body: ChatBody,
    { context, reservation, accounting }: Accepted,
  ): AnswerStream {
    const { clock, counter, settings } = this.dependencies;
    // A copy for the response: the accounting replaces the last attempt when the stream ends.
    const attempts = [...accounting.attempts];
    const { arrivedMs } = context;
    const idleTimeoutMs = settings.upstreamIdleTimeoutMs;
    const batches = new StreamedAnswer({
      deployment,
      stream,
      admission,
      accounting,
      body,
      counter,
      arrivedMs,
      idleTimeoutMs,
      clock,
    });
    return {
      kind: "stream",
      batches,
      usage: () => batches.usage(),
      model: deployment.model,
      provider: deployment.provider,
      attempts,
      routing: accounting.routing,
      limitHeaders: reservation.headers,
    };
  }
}

interface AcceptOptions {
  readonly context: RequestContext;
  readonly estimate: UsageEstimate;
}

interface DispatchOptions {
  readonly request: InferenceRequest;
  readonly accepted: Accepted;
  readonly size: RequestSize;
}

/** A decision runs no model. */
const NO_TOKENS: UsageEstimate = { tokens: 0, costUsd: 0 };
