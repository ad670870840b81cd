import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { shownMs } from "../../foundation/timers.js";
import type { HostChoice, HostReason } from "../traces/trace.js";
import type { HostRules } from "./allowed-hosts.js";
import type { HostFigures } from "./call-statistics.js";
import type { HostSort } from "./host-preferences.js";
import { expectedCostUsd, type RequestSize } from "./request-size.js";

/** The provider that answered before in a conversation, while it may have the prompt in its cache. */
export interface WarmHost {
  readonly provider: string;
  /** Tokens of this request that it is expected to read from its cache. */
  readonly cachedTokens: number;
}

export interface OrderOptions {
  /** Health rank of the deployment's provider; lower is better. */
  readonly rank: (deployment: Deployment) => number;
  readonly figures: (deployment: Deployment) => HostFigures;
  readonly size: RequestSize;
  /** What decides where the request does not say. */
  readonly sort: HostSort;
  readonly rules?: HostRules | undefined;
  readonly warm?: WarmHost | undefined;
}

export interface OrderedDeployments {
  /** In the order of calls. */
  readonly deployments: readonly Deployment[];
  /** Undefined where there is nothing to choose from. */
  readonly choice?: HostChoice | undefined;
}

/** Generated locally, free and never failing; used when no other deployment answers. */
export const LAST_RESORT = "sandbox";

/** Lowest cost among the deployments with a known price, the sandbox aside; null when there is none. */
export function lowestCostUsd(size: RequestSize, deployments: readonly Deployment[]): number | null {
  let lowest: number | null = null;
  for (const { provider, price } of deployments) {
    const costUsd = provider === LAST_RESORT ? null : expectedCostUsd(size, price);
    if (costUsd !== null && (lowest === null || costUsd < lowest)) lowest = costUsd;
  }
  return lowest;
}

interface Host {
  readonly deployment: Deployment;
  readonly figures: HostFigures;
  readonly costUsd: number | null;
  /** What is compared, most important first; smaller is better. */
  readonly keys: readonly number[];
}

/** What a host is better by, in the order of `Host.keys`. */
const REASONS: readonly HostReason[] = ["health", "health", "order", "health", "conversation"];
const MEASURES: Readonly<Record<HostSort, readonly [HostSort, HostSort]>> = {
  price: ["price", "latency"],
  latency: ["latency", "price"],
  throughput: ["throughput", "price"],
};

/**
 * Shares of failures are compared in steps, below the first of which they are noise: they would decide between equal
 * prices (guess).
 */
const ERROR_STEP = 0.05;

/**
 * Deployments of one model in the order of calls: by health rank, by the caller's order, those last that served another
 * model of late, the one first whose cache is warm, then by the cost of this request (or by latency or speed), each as
 * far as its calls succeed. Unknown prices come last, the sandbox always.
 */
export function orderDeployments(
  deployments: readonly Deployment[],
  options: OrderOptions,
): OrderedDeployments {
  if (deployments.length < 2) return { deployments };
  const { rules, sort } = options;
  const measures = MEASURES[rules?.sort ?? sort];
  const hosts = deployments
    .map((deployment) => hostOf(deployment, measures, options))
    .sort((left, right) => compare(left.keys, right.keys));
  const choice = choiceOf(hosts, measures, options);
  const ordered = hosts.map(({ deployment }) => deployment);
  if (rules?.onlyFirst !== true) return { deployments: ordered, choice };
  const named = ordered.filter((one) => Number.isFinite(rules.place(one)));
  return { deployments: named.length > 0 ? named : ordered.slice(0, 1), choice };
}

function hostOf(
  deployment: Deployment,
  measures: readonly HostSort[],
  { rank, figures: figuresOf, size, rules, warm }: OrderOptions,
): Host {
  const figures = figuresOf(deployment);
  const isWarm = deployment.provider === warm?.provider;
  const costUsd = expectedCostUsd(
    isWarm ? { ...size, cachedTokens: warm.cachedTokens } : size,
    deployment.price,
  );
  const success = 1 - Math.floor(figures.errorRate / ERROR_STEP) * ERROR_STEP;
  const measured: Readonly<Record<HostSort, number>> = {
    price: costUsd === null ? Number.MAX_VALUE : costUsd / success,
    latency: figures.firstContentMs / success,
    throughput: -figures.tokensPerSecond * success,
  };
  const keys = [
    deployment.provider === LAST_RESORT ? 1 : 0,
    rank(deployment),
    rules?.place(deployment) ?? 0,
    Math.floor(figures.otherModelRate / ERROR_STEP),
    isWarm ? 0 : 1,
    ...measures.map((measure) => measured[measure]),
  ];
  return { deployment, figures, costUsd, keys };
}

/** Infinities are equal. */
function compare(left: readonly number[], right: readonly number[]): number {
  const at = differsAt(left, right);
  return at < 0 ? 0 : (left[at] as number) < (right[at] as number) ? -1 : 1;
}

const differsAt = (left: readonly number[], right: readonly number[]): number =>
  left.findIndex((key, index) => key !== right[index]);

function choiceOf(
  hosts: readonly Host[],
  measures: readonly HostSort[],
  options: OrderOptions,
): HostChoice | undefined {
  const [first, second] = hosts;
  if (first === undefined || second === undefined) return undefined;
  const at = differsAt(first.keys, second.keys);
  return {
    reason: at < 0 ? "configured" : ([...REASONS, ...measures][at] ?? "configured"),
    saved_usd: savedUsd(hosts, measures, options),
    hosts: hosts.map(({ deployment, figures, costUsd }) => ({
      provider: deployment.provider,
      cost_usd: costUsd,
      error_rate: Math.round(figures.errorRate * 1e4) / 1e4,
      ttft_ms: shownMs(figures.firstContentMs),
      tokens_per_second: Math.round(figures.tokensPerSecond * 10) / 10,
    })),
  };
}

/**
 * What the choice saves against the other way: staying with the warm host against leaving it, or the reverse. Null
 * without a warm host or a price.
 */
function savedUsd(
  hosts: readonly Host[],
  measures: readonly HostSort[],
  options: OrderOptions,
): number | null {
  const [first] = hosts;
  const held = hosts.find(({ deployment }) => deployment.provider === options.warm?.provider);
  if (first === undefined || held === undefined) return null;
  const other = first === held ? bestAlone(hosts, measures, options) : held;
  if (other?.deployment === first.deployment) return 0;
  return other?.costUsd == null || first.costUsd === null ? null : other.costUsd - first.costUsd;
}

/** The host that would be first if no cache were warm. */
const bestAlone = (
  hosts: readonly Host[],
  measures: readonly HostSort[],
  options: OrderOptions,
): Host | undefined =>
  hosts
    .map(({ deployment }) => hostOf(deployment, measures, { ...options, warm: undefined }))
    .sort((left, right) => compare(left.keys, right.keys))[0];
