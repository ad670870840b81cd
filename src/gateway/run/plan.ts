/** Which models are asked, in which order: those that a request names, or those that a decision ranks. */
import { routingBody } from "../../engine/index.js";
import type { Decision, RouteRequest } from "../../engine/router/decision.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import type { UsageEstimate } from "../access/limits/limits.js";
import { allowedPlan, type HostRules, hostRules } from "./allowed-hosts.js";
import { withoutChoice } from "./auto-effort.js";
import { switched } from "./budget-switch.js";
import type { EffortFields } from "./caller-effort.js";
import { type Caps, cappedPlan, capsOf, isAllowed, routeCaps } from "./caps.js";
import type { InferenceDependencies } from "./dependencies.js";
import { lowestCostUsd, orderDeployments } from "./deployment-order.js";
import type { HealthRegistry } from "./health.js";
import type { DecideRequest } from "./inference.js";
import { pausedModels, unpausedPlan } from "./paused.js";
import { type PlannedModel, planNamed, planRanked } from "./planned-models.js";
import type { InferenceRequest, NamedChoice, RequestContext, RoutedChoice } from "./request.js";
import { abilitiesFor, completionsPlan, nativePlan } from "./request-needs.js";
import { fittingPlan, type RequestSize, requestSize } from "./request-size.js";
import { explorationOf, routeRequestOf, shownOf } from "./route-request.js";
import { allowedOnly, runnable, runnableOnly } from "./runnable.js";
import type { Plan, RunningRequest } from "./settle.js";
import { type ConversationRequest, StickyConversations, type Turn } from "./sticky-conversations.js";
import { isFailing } from "./tool-loop.js";
import { factsAtWarm, hasChoiceOfHosts, type WarmAnswer, warmAnswer } from "./warm-host.js";

/** Of requests in a loop that fails: as good there as 0 in the simulation (docs/decisions/conversations.md), at which no cache counts. */
const HELPING_WEIGHT = 0.1;

export interface Planning {
  readonly size: RequestSize;
  /** Undefined for a request that asks nothing of providers. */
  readonly hosts: HostRules | undefined;
}

/** A request for a decision, with what only executed ones say. */
type Undecided = DecideRequest & EffortFields;

interface Deciding extends Planning, Pick<RouteRequest, "exploration"> {
  readonly context: RequestContext;
  readonly caps: Caps | undefined;
  /** Which models can be candidates. */
  readonly models: typeof runnable | typeof runnableOnly;
}

interface UsableOptions extends Planning {
  readonly running: RunningRequest;
  readonly caps: Caps | undefined;
}

interface Decided {
  readonly decision: Decision;
  readonly routing: RoutingBody;
  /** When, by the clock. */
  readonly startMs: number;
  readonly turn: Turn | undefined;
  readonly warm: WarmAnswer | undefined;
}

/** A plan, and the request that it is for. */
interface PlannedRequest {
  readonly plan: Plan;
  readonly request: InferenceRequest;
  readonly size: RequestSize;
}

export class RequestPlanner {
  readonly #conversations: StickyConversations;
  /** Of requests that name a model and no fallbacks. */
  readonly #usualFallbacks: ReadonlyMap<string, readonly string[]>;

  constructor(
    private readonly dependencies: InferenceDependencies,
    private readonly health: Pick<HealthRegistry, "of">,
  ) {
    const { conversations: memory, settings } = dependencies;
    this.#usualFallbacks = new Map(Object.entries(settings.fallbacks));
    this.#conversations = new StickyConversations({ memory, settings });
  }

  /** Estimates the usage. A routed request has no price yet; its cost is reserved once a model is chosen. */
  estimate({ choice }: Pick<InferenceRequest, "choice">, size: RequestSize): UsageEstimate {
    const tokens = size.promptTokens + size.answerTokens;
    if (choice.type === "routed") return { tokens, costUsd: null };
    // More expensive ones are reserved for before they are called.
    const deployments = this.dependencies.catalog
      .deployments(choice.model)
      .filter(({ enabled, provider }) => enabled && provider === (choice.provider ?? provider));
    return { tokens, costUsd: lowestCostUsd(size, deployments) };
  }

  /** Undefined without any cap. */
  #capsOf(choice: NamedChoice | RoutedChoice, { principal }: RequestContext): Caps | undefined {
    const name = choice.type === "routed" ? choice.preset : undefined;
    const { presets } = this.dependencies.settings;
    return capsOf(principal.caps, name === undefined ? undefined : presets.find((one) => one.name === name));
  }

  hostRules({ choice: { hosts } }: Pick<InferenceRequest, "choice">): HostRules | undefined {
    const { catalog, settings } = this.dependencies;
    return hosts && hostRules(hosts, { catalog, policies: settings.providerPolicies });
  }

  /** The decision alone, with the provider that would be asked at first. */
  async decide(request: DecideRequest, running: RunningRequest, planning: Planning): Promise<RoutingBody> {
    const { context } = running;
    const caps = this.#capsOf(request.choice, context);
    const decided = await this.#decided(request, { context, ...planning, caps, models: runnableOnly });
    const { startMs, turn, warm } = decided;
    const routing = this.#withHost(decided.routing, { ...planning, caps, warm });
    context.span?.decided(routing, startMs);
    running.decided(routing, turn);
    return routing;
  }

  /**
   * The plan of an executed request, and the request that it is for: another one where a budget is used up, which may only show once
   * there is a price. The cost of a routed one is reserved.
   */
  async plan(asked: InferenceRequest, running: RunningRequest, planning: Planning): Promise<PlannedRequest> {
    const { reservation, context } = running;
    const { settings } = this.dependencies;
    const { costWeight: keyWeight } = context.principal;
    for (let request = asked; ; ) {
      const { instead } = reservation;
      if (instead !== undefined) request = switched(asked, instead, { settings, keyWeight });
      const size = request === asked ? planning.size : requestSize(request.body);
      const sized = { ...planning, size };
      const { choice } = request;
      const plan =
        choice.type === "named"
          ? await this.#planNamed({ ...request, choice }, running, sized)
          : await this.#planRouted({ ...request, choice }, running, sized).catch((fault: unknown) =>
              this.#planNamed({ ...request, choice: withoutChoice(fault, request) }, running, sized),
            );
      if (reservation.instead === instead) return { plan, request, size };
    }
  }

  async #planNamed(
    request: InferenceRequest & { readonly choice: NamedChoice },
    running: RunningRequest,
    planning: Planning,
  ): Promise<Plan> {
    const { context } = running;
    const { promptTokens } = planning.size;
    const { catalog, providers } = this.dependencies;
    const { choice, body, fallbacks, native } = request;
    const tried = this.#fallbacksOf(choice, fallbacks);
    const caps = this.#capsOf(choice, context);
    const models = await this.#usable(planNamed(choice, tried, { catalog, purpose: "answers" }), request, {
      ...planning,
      running,
      caps,
    });
    const turn = hasChoiceOfHosts(models, providers)
      ? await this.#turnOf(request, { context, promptTokens })
      : undefined;
    return {
      models,
      candidates: [],
      maxUsd: caps?.maxUsd,
      turn,
      warm: turn && warmAnswer(turn, { catalog, promptTokens, body: native?.request.body ?? body }),
    };
  }

  #fallbacksOf({ model }: NamedChoice, asked: readonly string[]): readonly string[] {
    return asked.length > 0 ? asked : (this.#usualFallbacks.get(model) ?? []);
  }

  async #planRouted(
    request: InferenceRequest & { readonly choice: RoutedChoice },
    running: RunningRequest,
    planning: Planning,
  ): Promise<Plan> {
    const { context, reservation } = running;
    const { choice, fallbacks } = request;
    const caps = this.#capsOf(choice, context);
    const deciding = { context, ...planning, caps, models: runnable, ...explorationOf(this.dependencies) };
    const { decision, routing, startMs, turn, warm } = await this.#decided(request, deciding);
    running.routing = routing;
    context.span?.decided(routing, startMs);
    const { effortOf } = choice;
    const ranked =
      effortOf === undefined ? decision.candidates.map(({ model }) => model) : [decision.selectedModel];
    const { catalog } = this.dependencies;
    const tried = effortOf === undefined ? fallbacks : this.#fallbacksOf(effortOf, fallbacks);
    const asked = { fallbacks: tried, provider: choice.provider };
    const planned = planRanked(ranked, asked, { catalog, purpose: "answers" });
    const models = await this.#usable(planned, request, { ...planning, running, caps });
    const costUsd = lowestCostUsd(planning.size, models[0]?.deployments ?? []);
    const refusal = await reservation.reserveCost(costUsd, "switch");
    if (refusal !== null) throw refusal;
    return { models, candidates: decision.candidates, maxUsd: caps?.maxUsd, turn, warm };
  }

  /** What of a plan may answer the request, is able to, and has room for its prompt. At least one model. */
  async #usable(
    planned: readonly PlannedModel[],
    { choice, body, fallbacks, native, needsCompletions }: InferenceRequest,
    { running, size, hosts, caps }: UsableOptions,
  ): Promise<readonly PlannedModel[]> {
    const { counter, pauses, providers } = this.dependencies;
    const isNamed = choice.type === "named";
    let models = planned;
    if (caps !== undefined) {
      const named = [isNamed ? choice.model : "", ...fallbacks];
      models = cappedPlan(models, { caps, size, named });
    }
    if (hosts !== undefined) models = allowedPlan(models, hosts);
    if (pauses.any) models = unpausedPlan(models, { pauses, record: running });
    if (needsCompletions !== undefined) models = completionsPlan(models, needsCompletions);
    if (native?.use === "required") models = nativePlan(models, native, providers);
    const required = isNamed ? models[0] : undefined;
    return fittingPlan(models, { promptTokens: size.promptTokens, body, counter, required });
  }

  async #decided(
    request: Undecided,
    { context, size, hosts, caps, models, ...exploration }: Deciding,
  ): Promise<Decided> {
    const { router, catalog, clock, pauses } = this.dependencies;
    const { promptTokens } = size;
    const { choice, body } = request;
    const finding = this.#turnOf(request, { context, promptTokens });
    const turn = finding && (await finding);
    const sent = request.native?.request.body ?? body;
    const warm = turn && warmAnswer(turn, { catalog, promptTokens, body: sent });
    const startMs = clock();
    const failing = isFailing(body.messages, this.dependencies.settings.helpAfterToolErrors);
    const costWeight = failing ? Math.min(choice.costWeight, HELPING_WEIGHT) : choice.costWeight;
    const asked = {
      ...routeRequestOf(choice, request),
      costWeight: Math.max(costWeight, caps?.minCostWeight ?? 0),
      ...(warm && factsAtWarm(warm, catalog)),
      promptTokens,
      ...(turn?.previous && {
        previous: failing ? { ...turn.previous, inToolLoop: false } : turn.previous,
      }),
      ...(pauses.any && pausedModels(this.dependencies, choice.provider)),
      ...models(catalog, choice.provider),
      ...(hosts && allowedOnly(catalog, hosts)),
      ...(caps && routeCaps(caps, { catalog, size })),
      ...abilitiesFor(request, this.dependencies),
      ...exploration,
    };
    // Whole: its signal is made when it is first asked for.
    const decision = await router.route(asked, context);
    const routing = routingBody(decision, {
      ...shownOf(choice, failing ? ["the calls of tools go on failing"] : []),
      maxTokens: asked.maxTokens,
    });
    return { decision, routing, startMs, turn, warm };
  }

  /** The decision with the provider that the model would be asked at first, where several serve it. */
  #withHost(
    routing: RoutingBody,
    { size, hosts, caps, warm }: Planning & Pick<Decided, "warm"> & Pick<Deciding, "caps">,
  ): RoutingBody {
    const { catalog, pauses, settings } = this.dependencies;
    const { deployments, choice } = orderDeployments(
      catalog
        .deployments(routing.selected_model)
        .filter((one) => one.enabled && !hosts?.refusal(one) && !pauses.ofDeployment(one))
        .filter((one) => caps === undefined || isAllowed(one, caps)),
      {
        size,
        rules: hosts,
        sort: settings.hostSort,
        warm: warm?.model === routing.selected_model ? warm : undefined,
        rank: (one) => this.health.of(one).rank({ tokens: 0, model: one.upstreamModel }),
        figures: (one) => this.health.of(one).figures(),
      },
    );
    const [first] = deployments;
    if (first === undefined || (choice === undefined && hosts === undefined)) return routing;
    return { ...routing, selected_provider: first.provider, ...(choice && { host: choice }) };
  }

  /** Undefined, at once, for a request that is decided on its own. */
  #turnOf(
    request: ConversationRequest,
    { context, promptTokens }: { readonly context: RequestContext; readonly promptTokens: number },
  ): Promise<Turn> | undefined {
    const { principal, createdAtMs, arrivedMs } = context;
    return this.#conversations.turnOf(request, {
      principal: principal.id,
      promptTokens,
      now: () => createdAtMs + this.dependencies.clock() - arrivedMs,
    });
  }
}
