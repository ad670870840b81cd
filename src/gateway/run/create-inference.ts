import { keysOf } from "../providers/keys/keyed-provider.js";
import type { Provider } from "../providers/provider.js";
import { BackgroundRuns } from "./background-runs.js";
import { HealthRegistry } from "./health.js";
import type { StoppableInference } from "./inference.js";
import { askForKept, followKept } from "./kept-responses.js";
import { ModelLimits } from "./model-limits.js";
import { type InferenceDependencies, RunningInference } from "./run.js";

export function createInference(dependencies: InferenceDependencies): StoppableInference {
  const { clock, settings, logger } = dependencies;
  const pools = new Map<string, ReturnType<typeof keysOf>>();
  const health = new HealthRegistry({ clock, settings, logger, keysOf: (provider) => pools.get(provider) });
  const limits = new ModelLimits(settings);
  const room = { freeBytes: settings.traceBufferBytes };
  // Runs in the background outlive a change of providers: they are followed at those of now.
  const providers = new Map<string, Provider>();
  const runs = new BackgroundRuns({
    providers,
    memory: dependencies.responses,
    timers: dependencies.timers,
    pollMs: settings.backgroundPollMs,
    maxTextCharacters: settings.traceMaxTextCharacters,
  });
  const start = (sources: InferenceDependencies): RunningInference => {
    providers.clear();
    pools.clear();
    for (const [id, provider] of sources.providers) {
      providers.set(id, provider);
      pools.set(id, keysOf(provider));
    }
    return new RunningInference(sources, { health, runs, limits, room });
  };
  let running = start(dependencies);
  /** Those that still have requests. */
  const replaced = new Set<RunningInference>();
  return {
    async replace({ catalog, providers: others, changed, ...changedSettings }) {
      const before = running;
      health.forget(changed);
      running = start({
        ...dependencies,
        catalog,
        providers: others,
        settings: { ...settings, ...changedSettings },
      });
      replaced.add(before);
      await before.settled();
      replaced.delete(before);
    },
    run: (request, context) => running.run(request, context),
    decide: (request, context) => running.decide(request, context),
    countTokens: (request, context) => running.countTokens(request, context),
    embed: (request, context) => running.embed(request, context),
    askForKept: (call, context) => running.askKeeper(askForKept, call, context),
    followKept: (call, context) => running.askKeeper(followKept, call, context),
    resumeRuns: () => running.resumeRuns(),
    stopRuns: () => runs.stop(),
    health: (provider, model) => health.health({ provider, model }),
    async settled() {
      await Promise.all([...replaced, running].map((one) => one.settled()));
    },
    healthOfAll: () => ({
      models: health.all(),
      keys: [...pools].flatMap(
        ([provider, pool]) => pool?.health().map((key) => ({ provider, ...key })) ?? [],
      ),
    }),
    circuits: () => health.circuits(),
  };
}
