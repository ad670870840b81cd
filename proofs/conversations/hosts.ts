import { figureOf } from "../../bench/evidence/figure.js";
import type { Figure } from "../../bench/report/result.js";
import { systemTimers } from "../../src/foundation/timers.js";
import { UNLIMITED } from "../../src/gateway/access/principal.js";
import { LocalConversations } from "../../src/gateway/conversations/local-conversations.js";
import { NO_RESPONSES } from "../../src/gateway/conversations/response-memory.js";
import { createInference } from "../../src/gateway/inference/create-inference.js";
import type { InferenceDependencies } from "../../src/gateway/inference/running-inference.js";
import { NO_PAUSES } from "../../src/gateway/pauses/pause.js";
import { type Provider, ProviderFault } from "../../src/gateway/providers/provider.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { costUsdOf } from "../../src/gateway/traces/billed-usage.js";
import type { Trace } from "../../src/gateway/traces/trace.js";
import { CachingHost, type CachingHostOptions, cachedShareOf } from "../../test/fakes/caching-host.js";
import { deploymentOf, ListedDeployments, priceOf } from "../../test/fakes/deployments.js";
import type { ScriptedRequest } from "./traffic.js";

/** What is switched on of the choice among the providers of a named model. */
export const HOST_POLICIES = ["nothing", "affinity", "marks", "affinity_and_marks", "all"] as const;
export type HostPolicy = (typeof HOST_POLICIES)[number];

const LABELS: Readonly<Record<HostPolicy, string>> = {
  nothing: "every request on its own",
  affinity: "the host of the conversation",
  marks: "prompts marked for the cache",
  affinity_and_marks: "the host of the conversation, and prompts marked",
  all: "these, and another model's reply as a failure",
};

const SETTINGS: Readonly<Record<HostPolicy, Partial<InferenceDependencies["settings"]>>> = {
  nothing: { sticky: "off", cacheBreakpoints: "off" },
  affinity: { sticky: "on", cacheBreakpoints: "off" },
  marks: { sticky: "off", cacheBreakpoints: "on" },
  affinity_and_marks: { sticky: "on", cacheBreakpoints: "on" },
  all: { sticky: "on", cacheBreakpoints: "on", servedModel: "fail" },
};

const MODEL = "claude-sonnet-4-5";
const OTHER_MODEL = "claude-haiku-4-5";
/** Anthropic's list price of that model in US dollars per million tokens, which all of the hosts bill. */
const PRICE = priceOf(3, 15, { cachedInputUsdPerMtok: 0.3, cacheWriteUsdPerMtok: 3.75 });
const START_MS = Date.parse("2026-11-26T09:00:00Z");
const TOOLS = ["read", "write"].map((name) => ({ type: "function", function: { name, parameters: {} } }));

interface HostTraits {
  readonly latencyMs: number;
  /** Share of calls that fail with 500, and with 429. */
  readonly failShare: number;
  /** Share of calls that another model answers. */
  readonly wrongShare: number;
  readonly upstreams?: readonly string[];
}

/**
 * In the order of the settings (guesses): one that swaps models, one that is slow, one that fails often, two good ones.
 */
const HOSTS: Readonly<Record<string, HostTraits>> = {
  swaps: { latencyMs: 1200, failShare: 0.01, wrongShare: 0.1 },
  slow: { latencyMs: 12_000, failShare: 0.01, wrongShare: 0 },
  flaky: { latencyMs: 1500, failShare: 0.15, wrongShare: 0 },
  openrouter: {
    ...{ latencyMs: 1800, failShare: 0.02, wrongShare: 0 },
    upstreams: ["Anthropic", "Amazon Bedrock", "Google"],
  },
  anthropic: { latencyMs: 1500, failShare: 0.02, wrongShare: 0 },
};

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

/**
 * Plays the tool loops among the requests against hosts with caches, with the real inference and a clock of their own.
 */
export async function playHosts(
  traffic: readonly ScriptedRequest[],
  { policy, random }: { readonly policy: HostPolicy; readonly random: () => number },
): Promise<HostOutcome> {
  let nowMs = 0;
  const answeredBy = { model: MODEL };
  const providers = Object.entries(HOSTS).map(([id, traits]) => {
    const options: CachingHostOptions = {
      ...{ now: () => nowMs, onRequest: true },
      ...(traits.upstreams && { upstreams: traits.upstreams }),
      get serves() {
        return answeredBy.model;
      },
      before() {
        nowMs += traits.latencyMs;
        answeredBy.model = random() < traits.wrongShare ? OTHER_MODEL : MODEL;
        if (random() >= traits.failShare) return;
        const code = random() < 0.5 ? "server_error" : "rate_limited";
        throw new ProviderFault(code, `${id} fails`, { status: code === "server_error" ? 500 : 429 });
      },
    };
    return new CachingHost(id, options);
  });
  const traces: Trace[] = [];
  const inference = inferenceOver(providers, {
    policy,
    now: () => nowMs,
    record: (trace) => traces.push(trace),
  });
  const unsolved = new Set<number>();
  const conversations = new Set<number>();
  const [answers, failures] = [{ ms: 0, count: 0 }, { count: 0 }];
  for (const request of traffic) {
    nowMs = Math.max(nowMs, request.atMs);
    conversations.add(request.conversation);
    const beganMs = nowMs;
    try {
      await inference.run(inferenceRequest(request), contextAt(nowMs));
      answers.count += 1;
      answers.ms += nowMs - beganMs;
      // The host that answered last says which model that was.
      if (answeredBy.model !== MODEL) unsolved.add(request.conversation);
    } catch {
      failures.count += 1;
      unsolved.add(request.conversation);
    }
  }
  return {
    ...{
      requests: traffic.length,
      conversations: conversations.size,
      solved: conversations.size - unsolved.size,
    },
    costUsd: traces.reduce((sum, trace) => sum + (costUsdOf(callsOf(trace)) ?? 0), 0),
    cachedShare: cachedShareOf(providers),
    failed: failures.count,
    secondsPerAnswer: answers.ms / answers.count / 1000,
  };
}

const callsOf = ({ attempts }: Trace) =>
  attempts.flatMap(({ model, provider, usage }) =>
    usage === undefined ? [] : [{ ...usage, model, provider }],
  );

function inferenceOver(
  providers: readonly Provider[],
  {
    policy,
    now,
    record,
  }: { readonly policy: HostPolicy; readonly now: () => number; readonly record: (trace: Trace) => void },
) {
  const deployments = providers.map(({ id }) => deploymentOf(id, MODEL, { price: PRICE }));
  const settings = loadSettings({}, { workingDirectory: process.cwd() });
  return createInference({
    ...{ catalog: new ListedDeployments(deployments), clock: now, now: () => START_MS + now() },
    router: { route: () => Promise.reject(new TypeError("the model is named")) },
    embedder: { dimensions: 1, embed: () => Promise.reject(new TypeError("nothing is embedded")) },
    providers: new Map(providers.map((provider) => [provider.id, provider])),
    limiter: { reserve: () => ({ headers: {}, reserveCost() {}, settle() {} }) },
    traces: { wantsContent: false, record },
    conversations: new LocalConversations({ ttlMs: 3_600_000, now: () => START_MS + now() }),
    ...{ pauses: NO_PAUSES, responses: NO_RESPONSES, timers: systemTimers, random: () => 0 },
    pdfs: { read: () => Promise.reject(new TypeError("there are no files")) },
    counter: { count: () => Promise.reject(new TypeError("the hosts count")) },
    // No waits: they would be real ones.
    settings: { ...settings, retries: 0, ...SETTINGS[policy] },
  });
}

const inferenceRequest = ({ messages, marksCache, conversation }: ScriptedRequest) => ({
  ...({
    kind: "chat",
    stream: false,
    fallbacks: [],
    metadata: { conversation_id: `c${conversation}` },
  } as const),
  choice: { type: "named", model: MODEL, provider: undefined } as const,
  body: { messages, tools: TOOLS, ...(marksCache && { cache_control: { type: "ephemeral" } }) },
});

const contextAt = (nowMs: number) => ({
  requestId: "req_01",
  principal: {
    id: "key_1",
    kind: "api_key",
    source: null,
    scopes: ["inference"],
    limits: UNLIMITED,
  } as const,
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

/** Figures of one policy. */
export const hostFigures = (policy: HostPolicy, outcome: HostOutcome): Figure[] =>
  SHOWN.map(({ name, what, ...shown }) =>
    figureOf({
      ...shown,
      id: `conversations/hosts/${policy}/${name}`,
      label: `one model at ${Object.keys(HOSTS).length} hosts, ${LABELS[policy]}: ${what}`,
      missing: "no answers",
      value: outcome[name],
    }),
  );
