import type { Logger } from "pino";
import type { DiscoveredModels } from "../engine/catalog/deployments/discovered-models.js";
import type { ProviderEntry } from "../engine/catalog/deployments/provider-entries.js";
import { publicProvider } from "../engine/catalog/providers/public-providers.js";
import type { Timers } from "../foundation/timers.js";
import { askForModels } from "../gateway/providers/openai-compatible/list-models.js";
import type { Settings } from "../gateway/settings.js";

/** Longest wait for a list, and so the longest that a start waits: these servers are on this machine or beside it. */
const ANSWER_TIMEOUT_MS = 2000;

export interface DiscoveryDependencies {
  readonly entries: readonly ProviderEntry[];
  /** Receives what the servers say. */
  readonly discovered: DiscoveredModels;
  readonly timers: Timers;
  readonly log: Pick<Logger, "info" | "debug">;
}

export interface Discovery {
  /** Resolves when every server has answered once, or not in time. Never rejects. */
  readonly first: Promise<void>;
  stop(): void;
}

/**
 * Asks Ollama, vLLM and llama.cpp for their models, now and again and again. A server that does not answer keeps the models that it had: it
 * may be starting anew, and a request to it says what is wrong.
 */
export function startDiscovery(
  { discoveryIntervalMs }: Pick<Settings, "discoveryIntervalMs">,
  { entries, discovered, timers, log }: DiscoveryDependencies,
): Discovery {
  const servers = discoveryIntervalMs === 0 ? [] : entries.filter(isOwnServer);
  const stopped = new AbortController();
  const ask = async ({ id, baseUrl, apiKey }: ProviderEntry): Promise<void> => {
    try {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
      const models = await askForModels({ baseUrl: baseUrl ?? "", apiKey }, signal);
      if (discovered.set(id, models)) log.info({ provider: id, models: models.length }, "models discovered");
    } catch (reason) {
      log.debug(
        { provider: id, fault: reason instanceof Error ? reason.name : "unknown" },
        "no models discovered",
      );
    }
  };
  const askAll = async (): Promise<void> => {
    await Promise.all(servers.map(ask));
  };
  const cancel = servers.length === 0 ? () => {} : timers.every(discoveryIntervalMs, () => void askAll());
  return {
    first: askAll(),
    stop() {
      cancel();
      stopped.abort();
    },
  };
}

/** Of the kinds that run whatever their owner puts there, with an address. Settings that list models say which are meant. */
const isOwnServer = ({ id, like, enabled, baseUrl, models }: ProviderEntry): boolean =>
  enabled && baseUrl !== null && models.length === 0 && publicProvider(like ?? id)?.needsKey === false;
