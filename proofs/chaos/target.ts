import type { Connection } from "./http-client.js";
import type { MadeKeys } from "./keys.js";

export const MODEL = "chaos-model";

/** Gateways under test, one of which can be killed at a time. */
export interface Target {
  readonly keys: MadeKeys;
  /** Where requests can be sent now. */
  addresses(): readonly string[];
  /** Whether all gateways run, none being started again. */
  isWhole(): Promise<boolean>;
  /**
   * Kills one of the gateways (SIGKILL), which is then started again.
   *
   * @param connections of clients
   * @param beforeKill called with those of them that it serves
   */
  kill(connections: Iterable<Connection>, beforeKill: (served: readonly Connection[]) => void): Promise<void>;
  /** Whether all gateways count limits together. */
  sharesLimits(): Promise<boolean>;
  /** All traces as JSON lines. */
  traces(): AsyncIterable<string>;
  /** How many traces there are. */
  traceCount(): Promise<number>;
  stop(): Promise<void>;
  /** Nano-dollars that a key spent, after `stop`. */
  spent(principal: string): Promise<number>;
  /** Removes its files. */
  remove(): Promise<void>;
}

export interface TargetOptions {
  readonly upstreamUrl: string;
  readonly requests: number;
  /** In [0, 1), seeded. */
  readonly random: () => number;
}
