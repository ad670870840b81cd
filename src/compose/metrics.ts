/** What the metrics show of the parts of a server. */
import type { CorrectionTable } from "../engine/lengths/length-corrections.js";
import type { Router } from "../engine/router/router.js";
import { packageVersion } from "../foundation/package.js";
import type { KeyRing } from "../gateway/access/keys/key-ring.js";
import type { Used } from "../gateway/access/limits/counters.js";
import { limitUses } from "../gateway/access/limits/limit-use.js";
import type { Metrics } from "../gateway/features/operations/metrics/metrics.js";
import {
  circuitReadings,
  keyReadings,
  lengthReadings,
  limitUseReadings,
  reading,
  traceReadings,
} from "../gateway/features/operations/metrics/readings.js";
import type { StoppableInference } from "../gateway/run/inference.js";
import type { Settings } from "../gateway/settings.js";
import type { RecorderStats } from "../gateway/traces/recorder.js";

/** The process itself, and the traces that it keeps. */
export function watchProcess(metrics: Metrics, traceStats: () => RecorderStats | undefined): void {
  metrics.watchProcess();
  metrics.watch("build", () => [{ labels: { version: packageVersion() }, value: 1 }]);
  metrics.watch("traces", () => traceReadings(traceStats()));
  metrics.watch("tracesWaiting", () => reading(traceStats()?.buffered ?? 0));
  metrics.watch("spill", () => reading(traceStats()?.spillBytes ?? 0));
}

interface LimitSources {
  readonly keys: Pick<KeyRing, "usable">;
  readonly usedBy: (principal: string) => Used | null;
}

/** How much of their limits keys have used. */
export function watchLimits(
  metrics: Metrics,
  { keys, usedBy }: LimitSources,
  { metricsKeyNames }: Pick<Settings, "metricsKeyNames">,
): void {
  const names = metricsKeyNames ? "shown" : "hidden";
  metrics.watch("limitUse", () => limitUseReadings(limitUses(keys.usable(), usedBy), { names }));
}

interface DecisionSources {
  readonly router: Pick<Router, "profiles" | "profileVersion">;
  readonly lengthCorrections: () => CorrectionTable;
  readonly isKnownModel: (model: string) => boolean;
  readonly inference: Pick<StoppableInference, "circuits" | "healthOfAll">;
}

/** What decisions and calls rest on: the profiles in use, the lengths observed, and the circuits of providers. */
export function watchDecisions(
  metrics: Metrics,
  { router, lengthCorrections, isKnownModel, inference }: DecisionSources,
): void {
  metrics.watch("answerLength", () => lengthReadings(lengthCorrections(), isKnownModel));
  metrics.watch("profiles", () => [
    { labels: { version: router.profileVersion }, value: router.profiles().length },
  ]);
  metrics.watch("circuits", () => circuitReadings(inference.circuits()));
  metrics.watch("keysUsable", () => keyReadings(inference.healthOfAll().keys));
}
