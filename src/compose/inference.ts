/** Running requests: the token counter, and what plans and accounts for attempts. */
import type { Logger } from "pino";
import type { SavedLengths } from "../engine/lengths/saved-lengths.js";
import type { OpenedRouter } from "../engine/open-router.js";
import type { Router } from "../engine/router/router.js";
import { systemClock, systemTimers, waitingTimers, within } from "../foundation/timers.js";
import type { Limiter } from "../gateway/access/limits/limits.js";
import type { ConversationMemory } from "../gateway/conversations/conversation-memory.js";
import { loadUpstreams } from "../gateway/providers/http/upstream.js";
import { connectionTests, type TestConnection } from "../gateway/run/connection-test.js";
import type { AnswerObserver, InferenceDependencies } from "../gateway/run/dependencies.js";
import type { StoppableInference } from "../gateway/run/inference.js";
import type { PausesInForce } from "../gateway/run/pause.js";
import { createInference } from "../gateway/run/run.js";
import { WorkerCounter } from "../gateway/token-counting/worker-counter.js";
import type { TraceSink } from "../gateway/traces/trace.js";
import type { Configuration } from "./configuration.js";

export interface ComposedInference {
  readonly inference: StoppableInference;
  readonly testConnection: TestConnection;
  /** Loads now what the first attempt would otherwise wait for. */
  warmUp(): void;
  /** No request is running any more. What clients left behind is counted within the grace. */
  close(graceMs: number): Promise<void>;
}

interface InferenceSources extends Pick<OpenedRouter, "embedder"> {
  readonly current: () => Pick<Configuration, "settings" | "catalog" | "providers">;
  readonly router: Pick<Router, "route" | "liveModels">;
  readonly limiter: Limiter;
  readonly pauses: PausesInForce;
  readonly traces: TraceSink;
  readonly lengths: SavedLengths | undefined;
  readonly observer?: AnswerObserver | undefined;
  readonly conversations: ConversationMemory;
  readonly responses: InferenceDependencies["responses"];
  readonly circuitProbes?: number | undefined;
  readonly logger?: Logger;
}

/** Operators wait for it before the page; a reasoning model answers one word in a few seconds. */
const CONNECTION_TEST_TIMEOUT_MS = 15_000;

export function composeInference({ current, ...sources }: InferenceSources): ComposedInference {
  const counter = new WorkerCounter({ timers: systemTimers });
  const { settings, catalog, providers } = current();
  const inference = createInference({
    ...sources,
    settings,
    catalog,
    providers,
    counter,
    clock: systemClock,
    random: Math.random,
    timers: systemTimers,
  });
  return {
    inference,
    testConnection: connectionTests({
      current,
      timers: systemTimers,
      clock: systemClock,
      timeoutMs: CONNECTION_TEST_TIMEOUT_MS,
    }),
    warmUp() {
      // A request that is faster loads it itself, and gets the error if there is one.
      if (current().providers.size > 0) loadUpstreams().catch(() => {});
    },
    async close(graceMs) {
      await Promise.all([...current().providers.values()].map((provider) => provider.close()));
      // What is not counted by then is recorded without.
      await within(graceMs, inference.settled(), waitingTimers);
      await counter.close(0);
      await within(graceMs, inference.settled(), waitingTimers);
    },
  };
}
