/** Every metric of the gateway, once: docs/metrics.md is generated from this table. */
import type { ErrorCode } from "../../../../foundation/errors.js";
import type { ProviderFaultCode } from "../../../providers/provider.js";

interface MetricDefinition {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly help: string;
}

/** Counted and measured as requests end. */
export const RECORDED = {
  httpRequests: {
    name: "sextant_http_requests_total",
    type: "counter",
    labels: ["method", "route", "status", "code"],
    help: "HTTP requests, refused ones included, by route, status and error code. Status 499: the client went away before the end of the reply.",
  },
  httpDuration: {
    name: "sextant_http_request_duration_seconds",
    type: "histogram",
    labels: ["route"],
    help: "From the arrival of a request to the end of its reply.",
  },
  requests: {
    name: "sextant_requests_total",
    type: "counter",
    labels: ["kind", "status", "code", "model", "provider"],
    help: "Accepted inference and routing requests, by outcome: one for each trace.",
  },
  latency: {
    name: "sextant_request_latency_seconds",
    type: "histogram",
    labels: ["kind", "provider"],
    help: "From the arrival of an accepted request to the end of its answer.",
  },
  ttft: {
    name: "sextant_ttft_seconds",
    type: "histogram",
    labels: ["kind", "provider"],
    help: "From the arrival of an accepted request to its first content.",
  },
  attempts: {
    name: "sextant_attempts_total",
    type: "counter",
    labels: ["provider", "code"],
    help: "Upstream calls by provider and outcome: ok, or what went wrong. circuit_open, keys_resting, concurrency_limit, over_budget, paused: the call was not made.",
  },
  keyCalls: {
    name: "sextant_key_calls_total",
    type: "counter",
    labels: ["provider", "key", "code"],
    help: "Upstream calls of providers that have several keys, by the name of the key and outcome.",
  },
  servedModelMismatches: {
    name: "sextant_served_model_mismatches_total",
    type: "counter",
    labels: ["provider", "model"],
    help: "Replies that name another model than the one that was asked for.",
  },
  tokens: {
    name: "sextant_tokens_total",
    type: "counter",
    labels: ["model", "provider", "direction"],
    help: "Tokens of requests, by direction: prompt or completion. Failed attempts that used something count too.",
  },
  cost: {
    name: "sextant_cost_usd_total",
    type: "counter",
    labels: ["model", "provider"],
    help: "Cost of requests in US dollars, where prices are known. Failed attempts that used something count too.",
  },
  unpriced: {
    name: "sextant_unpriced_calls_total",
    type: "counter",
    labels: ["model", "provider"],
    help: "Upstream calls without a known price: neither the cost nor any budget counts them.",
  },
  stuckToolLoops: {
    name: "sextant_stuck_tool_loop_requests_total",
    type: "counter",
    labels: ["model"],
    help: "Requests of agents whose last five turns or more made the same calls.",
  },
  decisions: {
    name: "sextant_decisions_total",
    type: "counter",
    labels: ["kind", "out_of_distribution"],
    help: "Routing decisions of accepted requests, and whether profiled prompts near the prompt were missing.",
  },
  baselineCost: {
    name: "sextant_baseline_cost_usd_total",
    type: "counter",
    labels: ["kind", "model"],
    help: "What baseline_model would have cost for routed answers, in US dollars, by the model that answered. Absent without a baseline.",
  },
  comparedCost: {
    name: "sextant_baseline_compared_cost_usd_total",
    type: "counter",
    labels: ["kind", "model"],
    help: "What the same answers were billed. sextant_baseline_cost_usd_total less this is saved, and negative where routing cost more.",
  },
  refusals: {
    name: "sextant_limit_refusals_total",
    type: "counter",
    labels: ["key_id", "limit"],
    help: "Requests that a limit refused with 429, by the id of the API key and the limit: requests, tokens or budget. The first 100 keys; others are other, tokens jwt.",
  },
  budgetRequests: {
    name: "sextant_budget_requests_total",
    type: "counter",
    labels: ["budget", "outcome"],
    help: "Requests to which a budget of the settings said no: refused, or switched to the preset of its at_limit.",
  },
  profileReloads: {
    name: "sextant_profile_reloads_total",
    type: "counter",
    labels: ["outcome"],
    help: "Profile sets that were loaded again, by outcome: loaded, or refused because they cannot be used; those in use then stay.",
  },
} as const satisfies Record<string, MetricDefinition>;

/** Read when they are asked for. */
export const WATCHED = {
  build: {
    name: "sextant_build_info",
    type: "gauge",
    labels: ["version"],
    help: "1, with the version of Sextant.",
  },
  ready: {
    name: "sextant_component_ready",
    type: "gauge",
    labels: ["component"],
    help: "1 when the component is ready, as GET /readyz reports it, 0 when it is not.",
  },
  inFlight: {
    name: "sextant_requests_in_flight",
    type: "gauge",
    labels: [],
    help: "Requests under /v1 that are being answered.",
  },
  inFlightLimit: {
    name: "sextant_requests_in_flight_limit",
    type: "gauge",
    labels: [],
    help: "Requests that providers answer, and as many of the others, from which on further ones are answered with 503 overloaded.",
  },
  circuits: {
    name: "sextant_circuits",
    type: "gauge",
    labels: ["provider", "state", "reason"],
    help: "Models of a provider that were called, by the state of their circuit breaker: closed, open or half_open, and the code of the failure that they are not called for, such as quota_exhausted or credentials_refused while the account rests.",
  },
  keysUsable: {
    name: "sextant_key_usable",
    type: "gauge",
    labels: ["provider", "key"],
    help: "Of providers that have several keys: 1 when the key may be used for every model that was called with it, 0 when it rests for one, or is not set.",
  },
  comparisonsPassedOver: {
    name: "sextant_comparisons_passed_over_total",
    type: "counter",
    labels: ["comparison", "reason"],
    help: "Answers that were drawn for a comparison and not compared: dropped (too many waited), over_budget, unsupported, restricted, repeated, no_judge. Absent without comparisons.",
  },
  pauses: {
    name: "sextant_active_pauses",
    type: "gauge",
    labels: ["kind"],
    help: "What operators have paused now, by kind: model, provider or key.",
  },
  limitUse: {
    name: "sextant_key_limit_used_ratio",
    type: "gauge",
    labels: ["key_id", "key", "limit"],
    help: "Used part of an API key's limit, from 0 to 1: requests or tokens of the running minute, budget of the month. Of the 100 keys nearest to a limit, by id; the label key is the key's name with SEXTANT_METRICS_KEY_NAMES, and empty without.",
  },
  conditions: {
    name: "sextant_conditions",
    type: "gauge",
    labels: ["rule"],
    help: "What the rules of alerts find now, with their thresholds: budget, budget_forecast, provider_down, key_near_limit. Absent for rules that are off.",
  },
  budgetUse: {
    name: "sextant_budget_used_ratio",
    type: "gauge",
    labels: ["budget", "value"],
    help: "Used part of a budget of the settings, 1 when all of it is used, by whose it is: a team, a source, a tag. The 100 fullest.",
  },
  limitsShared: {
    name: "sextant_limits_shared",
    type: "gauge",
    labels: [],
    help: "1 when Redis counts limits for all instances, 0 while it cannot be reached and each instance counts for itself. Absent without Redis.",
  },
  profiles: {
    name: "sextant_profiled_models",
    type: "gauge",
    labels: ["version"],
    help: "Models with a profile, and the version of the loaded profiles.",
  },
  answerLength: {
    name: "sextant_answer_length_ratio",
    type: "gauge",
    labels: ["model"],
    help: "Tokens of answers to routed requests against those that the profiles expect; models of the catalog alone, from their first answer on.",
  },
  traces: {
    name: "sextant_traces_total",
    type: "counter",
    labels: ["state"],
    help: "Traces by what became of them: recorded, written, spilled to disk first, dropped; withheld are those stored without texts because redaction took too long.",
  },
  tracesWaiting: {
    name: "sextant_traces_waiting",
    type: "gauge",
    labels: [],
    help: "Traces in memory that are neither in the store nor on disk yet.",
  },
  spill: {
    name: "sextant_trace_spill_bytes",
    type: "gauge",
    labels: [],
    help: "Size of the traces on disk that wait for the trace store.",
  },
} as const satisfies Record<string, MetricDefinition>;

/**
 * What deploy/alerts.yml counts one by one. Prometheus sees no increase in a series that begins with its first event, so these
 * begin at 0.
 */
export const ALERTED = {
  /** Error codes of any route. */
  codes: ["internal_error"],
  /** Error codes of routes under `/v1`. */
  inferenceCodes: ["overloaded", "budget_exceeded", "rate_limit_exceeded"],
  /** Outcomes of upstream calls. */
  attemptCodes: [
    "connection_error",
    "cut_off",
    "timeout",
    "overloaded",
    "server_error",
    "invalid_reply",
    "credentials_refused",
    "quota_exhausted",
  ],
} as const satisfies {
  readonly codes: readonly ErrorCode[];
  readonly inferenceCodes: readonly ErrorCode[];
  readonly attemptCodes: readonly ProviderFaultCode[];
};

export type WatchedMetric = keyof typeof WATCHED;

/** One value of a metric that is read when it is asked for. */
export interface Reading {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}
