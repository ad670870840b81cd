import { setImmediate as nextTurn } from "node:timers/promises";
import { figureOf } from "../../bench/evidence/figure.js";
import type { Figure } from "../../bench/report/result.js";
import { mean } from "../../bench/report/statistics.js";
import { UNCOUNTED } from "../../src/gateway/access/limits/limiter.js";
import { type Principal, UNLIMITED } from "../../src/gateway/access/principal.js";
import { openConversations } from "../../src/gateway/conversations/conversation-memory.js";
import type { ChatBody } from "../../src/gateway/providers/chat.js";
import { ProviderFault } from "../../src/gateway/providers/provider.js";
import { costsOf } from "../../src/gateway/run/cost.js";
import type { InferenceDependencies } from "../../src/gateway/run/dependencies.js";
import { NO_PAUSES } from "../../src/gateway/run/pause.js";
import { createInference } from "../../src/gateway/run/run.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { cachedShareOf } from "../../test/fakes/caching-host.js";
import { FakeClock } from "../../test/fakes/clock.js";
import { deploymentOf, ListedDeployments } from "../../test/fakes/deployments.js";
import { HOST_COUNT, MODEL, type SimulatedHost, simulatedHosts } from "./host-fakes.js";
import { chooserOf, type HostChooser, RIVALS, type Rival } from "./rivals.js";
import type { ScriptedRequest } from "./traffic.js";

/** What is switched on of the choice among the providers of a named model. */
export const OWN_POLICIES = ["before", "nothing", "affinity_and_marks", "all"] as const;
type OwnPolicy = (typeof OWN_POLICIES)[number];
export const HOST_POLICIES = [...OWN_POLICIES, ...RIVALS] as const;
export type HostPolicy = OwnPolicy | Rival;

const LABELS: Readonly<Record<HostPolicy, string>> = {
  before: "hosts in the order of the settings, every request on its own",
  nothing: "hosts ordered as measured, every request on its own",
  affinity_and_marks: "the host of the conversation, and prompts marked (the default)",
  all: "these, and another model's reply as a failure",
  litellm: "model of LiteLLM's documented defaults",
  litellm_caching: "model of LiteLLM's documented cache affinity and marks",
  openrouter: "model of OpenRouter's documented defaults",
  openrouter_marked: "the same, and its client marks every prompt",
};

const SETTINGS: Readonly<Record<OwnPolicy, Partial<InferenceDependencies["settings"]>>> = {
  before: { sticky: "off", cacheBreakpoints: "off" },
  nothing: { sticky: "off", cacheBreakpoints: "off" },
  affinity_and_marks: { sticky: "on", cacheBreakpoints: "on" },
  all: { sticky: "on", cacheBreakpoints: "on", servedModel: "fail" },
};

const START_MS = Date.parse("2026-11-26T09:00:00Z");
const TOOLS = ["read", "write"].map((name) => ({ type: "function", function: { name, parameters: {} } }));

export interface HostOutcome {
  readonly requests: number;
  readonly conversations: number;
  /** Conversations of which every request was answered, by the model that was asked for. */
  readonly solved: number;
  readonly costUsd: number;
  readonly cachedShare: number;
  readonly failed: number;
  readonly secondsPerAnswer: number;
}

/** Resolves when the request is answered. @throws when it fails */
type Client = (request: ScriptedRequest) => Promise<unknown>;

/**
 * Plays the requests one after the other against hosts with caches and limits, by the clock of the hosts: the own
 * policies with the real inference, the others' with models of their documentation.
 */
export async function playHosts(
  traffic: readonly ScriptedRequest[],
  { policy, random }: { readonly policy: HostPolicy; readonly random: () => number },
): Promise<HostOutcome> {
  const clock = new FakeClock(0);
  const { hosts, answeredBy } = simulatedHosts(clock, random);
  const isOwn = (one: HostPolicy): one is OwnPolicy => one in SETTINGS;
  const run = isOwn(policy)
    ? ownClient(hosts, { clock, policy, random })
    : rivalClient(chooserOf(policy, { hosts, now: clock.now, random }));
  const unsolved = new Set<number>();
  const conversations = new Set<number>();
  const [answers, failures] = [{ ms: 0, count: 0 }, { count: 0 }];
  for (const request of traffic) {
    clock.advance(Math.max(0, request.atMs - clock.now()));
    conversations.add(request.conversation);
    const beganMs = clock.now();
    try {
      await run(request);
      answers.count += 1;
      answers.ms += clock.now() - beganMs;
      if (answeredBy() !== MODEL) unsolved.add(request.conversation);
    } catch {
      failures.count += 1;
      unsolved.add(request.conversation);
    }
  }
  return {
    ...{ requests: traffic.length, conversations: conversations.size },
    solved: conversations.size - unsolved.size,
    costUsd: hosts
      .flatMap(({ provider, price }) => provider.usages.map((usage) => costsOf(usage, price).total_cost_usd))
      .reduce<number>((sum, costUsd) => sum + (costUsd ?? 0), 0),
    cachedShare: cachedShareOf(hosts.map(({ provider }) => provider)),
    failed: failures.count,
    secondsPerAnswer: answers.ms / answers.count / 1000,
  };
}

interface OwnClientOptions {
  readonly clock: FakeClock;
  readonly policy: OwnPolicy;
  readonly random: () => number;
}

function ownClient(hosts: readonly SimulatedHost[], { clock, policy, random }: OwnClientOptions): Client {
  // Hosts without prices keep their order.
  const deployments = hosts.map(({ provider: { id }, price }) =>
    deploymentOf(id, MODEL, policy === "before" ? {} : { price }),
  );
  const now = () => START_MS + clock.now();
  const inference = createInference({
    ...{ catalog: new ListedDeployments(deployments), clock: clock.now, now },
    router: { route: () => Promise.reject(new TypeError("the model is named")), liveModels: () => [] },
    embedder: { dimensions: 1, embed: () => Promise.reject(new TypeError("nothing is embedded")) },
    providers: new Map(hosts.map(({ provider }) => [provider.id, provider])),
    limiter: { reserve: () => UNCOUNTED },
    traces: { wantsContent: false, record() {} },
    conversations: openConversations({ now, timers: clock }),
    ...{ pauses: NO_PAUSES, responses: { find: async () => undefined, forget() {} }, timers: clock, random },
    counter: { count: () => Promise.reject(new TypeError("the hosts count")) },
    settings: { ...loadSettings({}, { workingDirectory: process.cwd() }), ...SETTINGS[policy] },
  });
  return async (request) => {
    const running = inference.run(inferenceRequest(request), contextAt(clock.now()));
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    running.then(over, over);
    // Hosts answer within the turn of the event loop: what goes on longer waits for time to pass.
    for (await nextTurn(); !isOver; await nextTurn()) clock.advance(WAIT_MS);
    return running;
  };
}

const WAIT_MS = 25;

/** One request after the other, each at the hosts that the chooser names, until one answers. */
const rivalClient =
  (chooser: HostChooser): Client =>
  async (request) => {
    const failed: SimulatedHost[] = [];
    const body = bodyOf(request, chooser.marks);
    for (;;) {
      const host = chooser.next(request.conversation, failed);
      if (host === undefined) throw new Error("no host answered");
      try {
        await host.provider.send({ upstreamModel: MODEL, api: "chat", body, stream: false });
      } catch (fault) {
        if (!(fault instanceof ProviderFault)) throw fault;
        failed.push(host);
        chooser.failed(host, fault);
        continue;
      }
      const usage = host.provider.usages.at(-1);
      if (usage !== undefined) chooser.answered(host, request.conversation, usage);
      return;
    }
  };

const bodyOf = ({ messages, marksCache }: ScriptedRequest, marks = false): ChatBody => ({
  ...{ messages, tools: TOOLS },
  ...((marksCache || marks) && { cache_control: { type: "ephemeral" } }),
});

const inferenceRequest = (request: ScriptedRequest) => ({
  ...({ kind: "chat", stream: false, fallbacks: [] } as const),
  metadata: { conversation_id: `c${request.conversation}` },
  choice: { type: "named", model: MODEL, provider: undefined } as const,
  body: bodyOf(request),
});

const PRINCIPAL: Principal = {
  ...{ id: "key_1", source: null, limits: UNLIMITED },
  kind: "api_key",
  scopes: ["inference"],
};

const contextAt = (nowMs: number) => ({
  ...{ requestId: "req_01", principal: PRINCIPAL },
  ...{ source: "bench", arrivedMs: nowMs, createdAtMs: START_MS + nowMs },
  signal: new AbortController().signal,
});

const SHOWN: readonly (Pick<Figure, "unit" | "better"> & {
  readonly name: keyof HostOutcome;
  readonly what: string;
})[] = [
  { name: "solved", what: "conversations solved", unit: "count", better: "higher" },
  { name: "costUsd", what: "billed in all", unit: "usd", better: "lower" },
  { name: "cachedShare", what: "share of prompt tokens read from a cache", unit: "ratio", better: "higher" },
  { name: "failed", what: "requests that failed", unit: "count", better: "lower" },
  { name: "secondsPerAnswer", what: "seconds for an answer", unit: "s", better: "lower" },
];

/** Figures of one policy: means over seeds, with the interval of Student's t at 95 %. */
export const hostFigures = (policy: HostPolicy, outcomes: readonly HostOutcome[]): Figure[] =>
  SHOWN.map(({ name, what, ...shown }) => {
    const values = outcomes.map((outcome) => outcome[name]);
    return figureOf({
      ...shown,
      id: `conversations/hosts/${policy}/${name}`,
      label: `one model at ${HOST_COUNT} hosts, ${LABELS[policy]}: ${what}`,
      missing: "no answers",
      ...{ value: mean(values), interval: intervalOf(values) },
    });
  });

/** Student's t for a two-sided interval of 95 %, by degrees of freedom from 1 on. */
const STUDENT_T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

function intervalOf(values: readonly number[]) {
  const t = STUDENT_T[values.length - 2];
  if (t === undefined) return undefined;
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
  const half = t * Math.sqrt(variance / values.length);
  return { low: middle - half, high: middle + half };
}
