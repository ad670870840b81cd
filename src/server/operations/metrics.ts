import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { CorrectionTable } from "../../lengths/length-corrections.js";
import { billedCalls } from "../../traces/billed-usage.js";
import type { Trace } from "../../traces/trace.js";
import { boundedLabel } from "./bounded-label.js";

/** Distinct models that get a label of their own; further ones count as `other`. */
const MOST_MODELS = 500;

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

/** What the server counts, in the form Prometheus reads. One registry for each server: nothing is global. */
export interface Metrics {
  requestEnded(request: EndedRequest): void;
  /** Counts a finished request that was accepted. Fits a `TraceSink`. */
  record(trace: Trace): void;
  /** Shows from then on how many inference requests are being answered. */
  watchInFlight(count: () => number): void;
  /** Shows from then on what becomes of traces; undefined while none are kept. */
  watchTraces(count: () => TraceCounts | undefined): void;
  /** Shows from then on by which factors the expected lengths of answers are corrected. */
  watchLengths(corrections: () => CorrectionTable): void;
  /** Adds processor time, memory, event loop lag and garbage collection of the process, which it watches from then on. */
  watchProcess(): void;
  readonly contentType: string;
  /** All figures of now, in the text format of Prometheus. */
  text(): Promise<string>;
  /** All figures of now, to be summed up with those of other processes. */
  share(): Promise<readonly object[]>;
  /** As `text`, summed up with the figures of other processes; what has no sum, such as a delay, is averaged. */
  textWith(others: readonly (readonly object[])[]): Promise<string>;
}

/** What became of the traces recorded so far: each was written, dropped, or waits. */
interface TraceCounts {
  readonly recorded: number;
  readonly written: number;
  readonly spilled: number;
  readonly dropped: number;
  readonly buffered: number;
}

export interface MetricsOptions {
  /** Whether a model gets a label of its own: true for those of the catalog, so that nobody can invent labels. */
  readonly isKnownModel: (model: string) => boolean;
}

export function createMetrics({ isKnownModel }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const modelLabel = boundedLabel(isKnownModel, MOST_MODELS);
  const http = httpFigures(registers);
  const figures = inferenceFigures(registers);

  function record(trace: Trace): void {
    const { kind, status, attempts } = trace;
    const provider = trace.provider ?? "none";
    const model = trace.model === null ? "none" : modelLabel(trace.model);
    figures.requests.inc({ kind, status, code: trace.error?.code ?? "", model, provider });
    figures.latency.observe({ kind, provider }, trace.latencyMs / 1000);
    if (trace.ttftMs !== null) figures.ttft.observe({ kind, provider }, trace.ttftMs / 1000);
    for (const { provider, code } of attempts) figures.attempts.inc({ provider, code });
    for (const call of billedCalls(trace)) {
      const labels = {
        model: call.model === null ? "none" : modelLabel(call.model),
        provider: call.provider ?? "none",
      };
      figures.tokens.inc({ ...labels, direction: "prompt" }, call.prompt_tokens);
      figures.tokens.inc({ ...labels, direction: "completion" }, call.completion_tokens);
      if (call.total_cost_usd !== null) figures.cost.inc(labels, call.total_cost_usd);
    }
  }

  return {
    requestEnded({ method, route, status, code, seconds }) {
      http.requests.inc({ method, route, status, code });
      http.duration.observe({ route }, seconds);
    },
    record,
    watchInFlight: (count) => addInFlightGauge(registers, count),
    watchTraces: (count) => addTraceGauges(registers, count),
    watchLengths: (corrections) => addLengthGauge(registers, { corrections, isKnownModel }),
    watchProcess: () =>
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
    share: () => registry.getMetricsAsJSON(),
    async textWith(others) {
      const shares = [await registry.getMetricsAsJSON(), ...others];
      return AggregatorRegistry.aggregate(shares.map((share) => [...share])).metrics();
    },
  };
}

function addInFlightGauge(registers: Registry[], count: () => number): void {
  new Gauge({
    name: "sextant_requests_in_flight",
    help: "Requests under /v1 that are being answered.",
    registers,
    collect() {
      this.set(count());
    },
  });
}

function addTraceGauges(registers: Registry[], count: () => TraceCounts | undefined): void {
  new Gauge({
    name: "sextant_traces",
    help: "Traces by what became of them: recorded, written, spilled to disk, dropped; buffered are those that wait now.",
    labelNames: ["state"],
    registers,
    collect() {
      const counts = count();
      if (counts === undefined) return;
      const { recorded, written, spilled, dropped, buffered } = counts;
      for (const [state, value] of Object.entries({ recorded, written, spilled, dropped, buffered })) {
        this.set({ state }, value);
      }
    },
  });
}

interface LengthGauge extends MetricsOptions {
  readonly corrections: () => CorrectionTable;
}

/** Unknown models are left out: a ratio of several models together would say nothing. */
function addLengthGauge(registers: Registry[], { corrections, isKnownModel }: LengthGauge): void {
  const modelLabel = boundedLabel(isKnownModel, MOST_MODELS);
  new Gauge({
    name: "sextant_answer_length_ratio",
    help: "Tokens of answers in use against those that the profiles expect, by model.",
    labelNames: ["model"],
    // All processes show the same.
    aggregator: "first",
    registers,
    collect() {
      this.reset();
      for (const [model, { ratio }] of corrections()) {
        if (modelLabel(model) === model) this.set({ model }, ratio);
      }
    },
  });
}

function httpFigures(registers: Registry[]) {
  return {
    requests: new Counter({
      name: "sextant_http_requests_total",
      help: "HTTP requests, refused ones included, by route, status and error code.",
      labelNames: ["method", "route", "status", "code"],
      registers,
    }),
    duration: new Histogram({
      name: "sextant_http_request_duration_seconds",
      help: "From the arrival of a request to the end of its reply.",
      labelNames: ["route"],
      buckets: BUCKETS,
      registers,
    }),
  };
}

function inferenceFigures(registers: Registry[]) {
  return {
    requests: new Counter({
      name: "sextant_requests_total",
      help: "Accepted inference and routing requests, by outcome.",
      labelNames: ["kind", "status", "code", "model", "provider"],
      registers,
    }),
    latency: new Histogram({
      name: "sextant_request_latency_seconds",
      help: "From the arrival of an accepted request to the end of its answer.",
      labelNames: ["kind", "provider"],
      buckets: BUCKETS,
      registers,
    }),
    ttft: new Histogram({
      name: "sextant_ttft_seconds",
      help: "From the arrival of an accepted request to its first content.",
      labelNames: ["kind", "provider"],
      buckets: BUCKETS,
      registers,
    }),
    attempts: new Counter({
      name: "sextant_attempts_total",
      help: "Upstream calls by provider and outcome: ok, or what went wrong.",
      labelNames: ["provider", "code"],
      registers,
    }),
    tokens: new Counter({
      name: "sextant_tokens_total",
      help: "Tokens of answered requests.",
      labelNames: ["model", "provider", "direction"],
      registers,
    }),
    cost: new Counter({
      name: "sextant_cost_usd_total",
      help: "Cost of answered requests in US dollars, where prices are known.",
      labelNames: ["model", "provider"],
      registers,
    }),
  };
}
