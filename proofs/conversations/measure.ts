import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../src/engine/catalog/deployments/provider-entries.js";
import { openRouterFromSettings } from "../../src/engine/open-router.js";
import type { Router } from "../../src/engine/router/router.js";
import { seededRandom } from "../../src/foundation/random.js";
import { systemTimers } from "../../src/foundation/timers.js";
import { UNCOUNTED } from "../../src/gateway/access/limits/limiter.js";
import { UNLIMITED } from "../../src/gateway/access/principal.js";
import { openConversations } from "../../src/gateway/conversations/conversation-memory.js";
import type { InferenceDependencies } from "../../src/gateway/run/dependencies.js";
import { NO_PAUSES } from "../../src/gateway/run/pause.js";
import type { InferenceRequest, RequestContext } from "../../src/gateway/run/request.js";
import { requestSize } from "../../src/gateway/run/request-size.js";
import { createInference } from "../../src/gateway/run/run.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { noSink } from "../../src/gateway/traces/no-store.js";
import type { ScriptedRequest } from "./traffic.js";
import { SimulatedProvider, type UpstreamCircumstances } from "./upstream.js";

/**
 * `off`: every request on its own. `always`: the first model of a conversation answers all of it. `locked`: as `sticky`, but that a tool
 * loop keeps its model whatever the user writes on the way.
 */
export const POLICIES = ["off", "always", "locked", "sticky"] as const;
export type Policy = (typeof POLICIES)[number];

export interface Played {
  readonly request: ScriptedRequest;
  readonly model: string;
  readonly costUsd: number;
  /** Expected quality of that model for this prompt, in [0, 1]. */
  readonly quality: number;
}

/** What the shipped profiles expect of each model for one request, whatever came before it. */
interface Expected {
  readonly quality: ReadonlyMap<string, number>;
  readonly answerTokens: ReadonlyMap<string, number>;
}

const VARIABLES = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"];
const TOOLS = [{ type: "function", function: { name: "search", parameters: { type: "object" } } }];
/** Where no profile knows a length. */
const ANSWER_TOKENS = 300;
const START_MS = Date.parse("2026-11-22T09:00:00Z");

/** Plays conversations against simulated vendors, with the real router, catalog, accounting and prices. */
export class Stage {
  readonly #expected = new Map<ScriptedRequest, Expected>();

  /** Whose price is known, so that every answer has a cost. */
  #models: readonly string[] = [];

  private constructor(
    private readonly opened: Awaited<ReturnType<typeof openRouterFromSettings>>,
    private readonly catalog: ReturnType<typeof createCatalog>,
    private readonly settings: ReturnType<typeof loadSettings>,
  ) {}

  static async open(at: Date): Promise<Stage> {
    const environment = Object.fromEntries(VARIABLES.map((name) => [name, "not-a-key"]));
    const settings = loadSettings(environment, { workingDirectory: process.cwd() });
    const catalog = createCatalog(settings, { at, providers: resolveProviders(settings, environment) });
    const stage = new Stage(await openRouterFromSettings(settings, { catalog }), catalog, settings);
    const { candidates } = await stage.#router.route({
      messages: [{ role: "user", content: "hello" }],
      canRun: stage.canRun,
    });
    stage.#models = candidates
      .map(({ model }) => model)
      .filter((model) =>
        catalog.deployments(model).every(({ price, enabled }) => !enabled || price !== null),
      );
    return stage;
  }

  get models(): readonly string[] {
    return this.#models;
  }

  get #router(): Router {
    return this.opened.router;
  }

  get canRun(): (model: string) => boolean {
    return this.catalog.isRunnable;
  }

  close(): Promise<void> {
    return this.#router.close();
  }

  async play(
    traffic: readonly ScriptedRequest[],
    {
      policy,
      costWeight,
      seed,
    }: { readonly policy: Policy; readonly costWeight: number; readonly seed: number },
  ): Promise<readonly Played[]> {
    let circumstances: UpstreamCircumstances = {
      nowMs: 0,
      marksCache: false,
      inToolLoop: false,
      answerTokens: () => ANSWER_TOKENS,
    };
    const random = seededRandom(seed);
    const vendors = new Map(
      ["openai", "anthropic", "google"].map((id) => [
        id,
        new SimulatedProvider(id, { circumstances: () => circumstances, random }),
      ]),
    );
    const inference = this.#inference(policy, () => circumstances, vendors);
    const firstModels = new Map<number, string>();
    const played: Played[] = [];
    for (const request of traffic) {
      const expected = await this.#expect(request);
      circumstances = {
        nowMs: request.atMs,
        marksCache: request.marksCache,
        inToolLoop: request.inToolLoop,
        answerTokens: (model) => (expected.answerTokens.get(model) ?? ANSWER_TOKENS) * request.lengthFactor,
      };
      const first = policy === "always" ? firstModels.get(request.conversation) : undefined;
      const answer = await inference.run(
        inferenceRequest(request, { first, costWeight, models: this.#models }),
        contextOf(request),
      );
      if (answer.kind !== "completion") throw new TypeError("no stream was asked for");
      if (!firstModels.has(request.conversation)) firstModels.set(request.conversation, answer.model);
      played.push({
        ...{ request, model: answer.model },
        costUsd: answer.usage.total_cost_usd ?? Number.NaN,
        quality: expected.quality.get(answer.model) ?? Number.NaN,
      });
    }
    return played;
  }

  #inference(
    policy: Policy,
    circumstances: () => UpstreamCircumstances,
    providers: InferenceDependencies["providers"],
  ) {
    const clock = () => circumstances().nowMs;
    const dependencies: InferenceDependencies = {
      ...{ router: policy === "locked" ? this.#lockedRouter(circumstances) : this.#router },
      ...{ catalog: this.catalog, embedder: this.opened.embedder, clock },
      providers,
      limiter: { reserve: () => UNCOUNTED },
      pauses: NO_PAUSES,
      traces: noSink,
      conversations: openConversations({ now: () => START_MS + clock(), timers: systemTimers }),
      responses: { find: async () => undefined, forget() {} },
      counter: { count: () => Promise.reject(new TypeError("the vendors count")) },
      random: () => 0,
      timers: systemTimers,
      settings: { ...this.settings, sticky: policy === "sticky" || policy === "locked" ? "on" : "off" },
    };
    return createInference(dependencies);
  }

  #lockedRouter(circumstances: () => UpstreamCircumstances): Pick<Router, "route" | "liveModels"> {
    return {
      liveModels: () => this.#router.liveModels(),
      route: ({ previous, ...asked }, options) => {
        const { inToolLoop } = circumstances();
        return this.#router.route(
          previous === undefined ? asked : { ...asked, previous: { ...previous, inToolLoop } },
          options,
        );
      },
    };
  }

  async #expect(request: ScriptedRequest): Promise<Expected> {
    const known = this.#expected.get(request);
    if (known !== undefined) return known;
    const { candidates } = await this.#router.route({
      messages: request.messages as never,
      ...{ models: this.#models, costWeight: 0, needsTools: request.hasTools, canRun: this.canRun },
      promptTokens: requestSize({ messages: request.messages }).promptTokens,
    });
    const expected: Expected = {
      quality: new Map(candidates.map(({ model, expectedQuality }) => [model, expectedQuality])),
      answerTokens: new Map(
        candidates.map(({ model, answerTokens }) => [model, answerTokens?.expected ?? ANSWER_TOKENS]),
      ),
    };
    this.#expected.set(request, expected);
    return expected;
  }
}

function inferenceRequest(
  { messages, hasTools }: ScriptedRequest,
  {
    first,
    costWeight,
    models,
  }: {
    readonly first: string | undefined;
    readonly costWeight: number;
    readonly models: readonly string[];
  },
): InferenceRequest {
  return {
    kind: "chat",
    choice:
      first === undefined
        ? { type: "routed", models, costWeight }
        : { type: "named", model: first, provider: undefined },
    body: { messages, ...(hasTools ? { tools: TOOLS } : {}) },
    ...{ stream: false, fallbacks: [], metadata: {} },
  };
}

const contextOf = ({ atMs }: ScriptedRequest): RequestContext => ({
  requestId: "req_01",
  principal: { id: "key_1", kind: "api_key", source: null, scopes: ["inference"], limits: UNLIMITED },
  source: "bench",
  arrivedMs: atMs,
  createdAtMs: START_MS + atMs,
  signal: new AbortController().signal,
});
