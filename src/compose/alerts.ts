/** What sends alerts: in each instance, of which one looks at the rules at a time. */
import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Catalog } from "../engine/catalog/catalog.js";
import { createUlidGenerator } from "../foundation/request-id.js";
import { systemTimers } from "../foundation/timers.js";
import { alertFacts } from "../gateway/features/alerts/alert-facts.js";
import {
  type AlertSetup,
  AlertWatch,
  type AlertWatchOptions,
  type ProviderHealth,
} from "../gateway/features/alerts/alert-watch.js";
import type { ProcessHealth } from "../gateway/run/inference.js";
import type { Settings } from "../gateway/settings.js";
import type { Store } from "../gateway/storage/store.js";
import type { Traces } from "../gateway/traces/open-traces.js";
import type { ComposedAccess } from "./access.js";

type Environment = Readonly<Record<string, string | undefined>>;

interface AlertSources extends Pick<AlertWatchOptions, "everyMs"> {
  readonly store: Store;
  readonly access: Pick<ComposedAccess, "keys" | "limiter" | "pauses">;
  readonly catalog: Pick<Catalog, "deployments">;
  readonly traces: Pick<Traces, "store">;
  readonly health: () => ProcessHealth;
  readonly log: Logger;
}

export function openAlerts(
  setup: AlertSetup,
  { everyMs, store, access: { keys, limiter, pauses }, catalog, traces, health, log }: AlertSources,
): AlertWatch {
  return new AlertWatch(setup, {
    timers: systemTimers,
    now: Date.now,
    fetch,
    log,
    everyMs,
    store,
    facts: alertFacts({ keys, limiter, traces: traces.store, now: Date.now }),
    health: () => healthOf(health()),
    isPaused({ type, id }) {
      if (type === "provider")
        return pauses.list().some(({ kind, target }) => kind === type && target === id);
      const served = type === "model" ? catalog.deployments(id).filter(({ enabled }) => enabled) : [];
      return served.length > 0 && served.every((one) => pauses.ofDeployment(one) !== undefined);
    },
    newId: createUlidGenerator({ now: Date.now, randomBytes }),
  });
}

/** Webhooks with their addresses and secrets, which the settings may name variables for. */
export const alertSetup = ({ alerts }: Pick<Settings, "alerts">, environment: Environment): AlertSetup => ({
  rules: alerts.rules,
  webhooks: alerts.webhooks.map(({ name, form, url, url_env: variable = "", secret_env: secret }) => ({
    name,
    form,
    url: url ?? environment[variable] ?? "",
    secret: secret === undefined ? undefined : environment[secret],
  })),
});

function healthOf({ models }: ProcessHealth): ProviderHealth {
  const sums: Record<string, { called: number; out: number }> = {};
  for (const { provider, health } of models) {
    const { called = 0, out = 0 } = sums[provider] ?? {};
    sums[provider] = { called: called + 1, out: out + (health.state === "closed" ? 0 : 1) };
  }
  return sums;
}
