import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { BoundedNames } from "../../../../foundation/bounded-names.js";
import { ERROR_CODES } from "../../../../foundation/errors.js";
import type { Trace } from "../../../traces/trace.js";
import { ALERTED, RECORDED, type Reading, WATCHED, type WatchedMetric } from "./definitions.js";

/** Distinct models that get a label of their own; further ones count as `other`. */
const MOST_MODELS = 500;
/** Distinct keys that get a label of their own; further ones count as `other`. */
const MOST_KEYS = 100;

/** Seconds. A decision takes under a millisecond, a long answer minutes. */
const BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
];

/** How often the delay of the event loop is sampled: a compromise between wake-ups and resolution (guess). */
const LAG_RESOLUTION_MS = 20;

/** One HTTP request, however it ended. */
interface EndedRequest {
  readonly method: string;
  /** The route's pattern; `unmatched` where there is none. */
  readonly route: string;
  /** HTTP status, or 499 when the client went away before the answer was complete. */
  readonly status: number;
  /** Code of the error that the client was told; empty without one. */
  readonly code: string;
  readonly seconds: number;
}

const RELOAD_OUTCOMES = ["loaded", "refused"] as const;
type ReloadOutcome = (typeof RELOAD_OUTCOMES)[number];

/** What the server counts, in the form Prometheus reads. One registry for each server: nothing is global. */
export interface Metrics {
  requestEnded(request: EndedRequest): void;
  /** Begins the series of a route that alert rules watch. */
  routeAdded(route: Pick<EndedRequest, "method" | "route">): void;
  /** Counts a request that a limit of its principal refused, or a budget. */
  refused(principal: string, limit: string, by: { readonly budget: string | null }): void;
  /** Counts a request that a used-up budget has another model answer. */
  switched(budget: string): void;
  /** Counts a finished request that was accepted. Fits a `TraceSink`. */
  record(trace: Trace): void;
  /** Counts an attempt to load the profile sets again. */
  profilesReloaded(outcome: ReloadOutcome): void;
  /** Shows from then on what `read` returns when the metrics are asked for. */
  watch(metric: WatchedMetric, read: () => readonly Reading[] | Promise<readonly Reading[]>): void;
  /** Adds processor time, memory, event loop lag and garbage collection of the process, which it watches from then on. */
  watchProcess(): void;
  readonly contentType: string;
  /** All figures of now, in the text format of Prometheus. */
  text(): Promise<string>;
}

export interface MetricsOptions {
  /** Whether a model gets a label of its own: true for those of the catalog, so that clients cannot invent labels. */
  readonly isKnownModel: (model: string) => boolean;
  /** Ids of the providers that may be called; default none. */
  readonly providers?: readonly string[];
}

export function createMetrics({ isKnownModel, providers = [] }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const modelLabel = boundedLabel(isKnownModel, MOST_MODELS);
  const keyLabel = boundedLabel(() => true, MOST_KEYS);
  const recorded = recordedMetrics(registers);
  // So that the first one is an increase.
  for (const outcome of RELOAD_OUTCOMES) recorded.profileReloads.inc({ outcome }, 0);
  for (const provider of providers)
    for (const code of ALERTED.attemptCodes) recorded.attempts.inc({ provider, code }, 0);

  function record(trace: Trace): void {
    const { kind, status, attempts, routing } = trace;
    const provider = trace.provider ?? "none";
    const model = trace.model === null ? "none" : modelLabel(trace.model);
    recorded.requests.inc({ kind, status, code: trace.error?.code ?? "", model, provider });
    recorded.latency.observe({ kind, provider }, trace.latencyMs / 1000);
    if (trace.ttftMs !== null) recorded.ttft.observe({ kind, provider }, trace.ttftMs / 1000);
    for (const { provider, model: asked, code, key, served_model: served, usage } of attempts) {
      recorded.attempts.inc({ provider, code });
      if (key !== undefined) recorded.keyCalls.inc({ provider, key, code });
      if (served !== undefined) recorded.servedModelMismatches.inc({ provider, model: modelLabel(asked) });
      if (usage === undefined) continue;
      const labels = { model: modelLabel(asked), provider };
      recorded.tokens.inc({ ...labels, direction: "prompt" }, usage.prompt_tokens);
      recorded.tokens.inc({ ...labels, direction: "completion" }, usage.completion_tokens);
      if (usage.total_cost_usd === null) recorded.unpriced.inc(labels);
      else recorded.cost.inc(labels, usage.total_cost_usd);
    }
    if (trace.toolLoop?.state === "stuck") recorded.stuckToolLoops.inc({ model });
    if (trace.savings !== undefined) {
      const { baseline_cost_usd: baseline, saved_usd: saved } = trace.savings;
      recorded.baselineCost.inc({ kind, model }, baseline);
      // The same to the picodollar, but for rounding, which must not make a counter go down.
      recorded.comparedCost.inc({ kind, model }, Math.max(0, baseline - saved));
    }
    if (routing !== null)
      recorded.decisions.inc({ kind, out_of_distribution: String(routing.out_of_distribution) });
  }

  return {
    requestEnded({ method, route, status, code, seconds }) {
      recorded.httpRequests.inc({ method, route, status, code });
      recorded.httpDuration.observe({ route }, seconds);
    },
    routeAdded({ method, route }) {
      const codes = route.startsWith("/v1/") ? [...ALERTED.codes, ...ALERTED.inferenceCodes] : ALERTED.codes;
      for (const code of codes)
        recorded.httpRequests.inc({ method, route, status: ERROR_CODES[code].status, code }, 0);
    },
    refused(principal, limit, { budget }) {
      recorded.refusals.inc({ key_id: keyLabel(publicId(principal)), limit });
      if (budget !== null) recorded.budgetRequests.inc({ budget, outcome: "refused" });
    },
    switched: (budget) => recorded.budgetRequests.inc({ budget, outcome: "switched" }),
    record,
    profilesReloaded: (outcome) => recorded.profileReloads.inc({ outcome }),
    watch: (metric, read) => addWatched(WATCHED[metric], { registers, read }),
    watchProcess: () =>
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** Subjects of tokens may name people, and are not shown. */
const publicId = (principal: string): string => (principal.startsWith("jwt:") ? "jwt" : principal);

interface Watching {
  readonly registers: Registry[];
  readonly read: () => readonly Reading[] | Promise<readonly Reading[]>;
}

function addWatched(
  { type, name, help, labels }: (typeof WATCHED)[WatchedMetric],
  { registers, read }: Watching,
): void {
  const common = { name, help, labelNames: [...labels], registers };
  if (type === "counter") {
    new Counter({
      ...common,
      async collect() {
        const readings = await read();
        this.reset();
        for (const { labels = {}, value } of readings) this.inc(labels, value);
      },
    });
    return;
  }
  new Gauge({
    ...common,
    async collect() {
      const readings = await read();
      this.reset();
      for (const { labels = {}, value } of readings) this.set(labels, value);
    },
  });
}

type Recorded = {
  readonly [Name in keyof typeof RECORDED]: (typeof RECORDED)[Name]["type"] extends "histogram"
    ? Histogram<(typeof RECORDED)[Name]["labels"][number]>
    : Counter<(typeof RECORDED)[Name]["labels"][number]>;
};

function recordedMetrics(registers: Registry[]): Recorded {
  const metrics = Object.entries(RECORDED).map(([key, { name, help, labels, type }]) => {
    const options = { name, help, labelNames: labels, registers };
    const isHistogram = type === "histogram";
    return [key, isHistogram ? new Histogram({ ...options, buckets: BUCKETS }) : new Counter(options)];
  });
  return Object.fromEntries(metrics) as Recorded;
}

const OTHER = "other";

/**
 * Names as labels of a metric, where a label costs memory for ever: a name that is not known, or comes when `limit`
 * different ones have come, is `other`.
 */
function boundedLabel(isKnown: (name: string) => boolean, limit: number): (name: string) => string {
  const labels = new BoundedNames(limit);
  return (name) => ((labels.names.has(name) || isKnown(name)) && labels.add(name) ? name : OTHER);
}
