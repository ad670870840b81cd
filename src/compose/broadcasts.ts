/** What one process behind a port does, and the others then do too. */

import type { LoadedProfiles } from "../engine/router/router.js";
import type { KeyRing } from "../gateway/access/keys/key-ring.js";
import type { SupervisorConnection } from "../gateway/cluster/supervisor-connection.js";
import type { ServerDependencies } from "../gateway/server/dependencies.js";
import type { Metrics } from "../gateway/server/operations/metrics/metrics.js";

/** Changing keys resolves when every process has reloaded the key file. */
export function servedKeys(
  keys: KeyRing,
  supervisor: SupervisorConnection | undefined,
): ServerDependencies["keys"] {
  if (supervisor === undefined) return keys;
  const announced = async <Result>(change: Promise<Result>): Promise<Result> => {
    const result = await change;
    await supervisor.everywhere("refreshKeys");
    return result;
  };
  return {
    list: () => keys.list(),
    nameOf: (id) => keys.nameOf(id),
    limitsOf: (id) => keys.limitsOf(id),
    create: (newKey) => announced(keys.create(newKey)),
    update: (selector, change) => announced(keys.update(selector, change)),
    rotate: (selector, options) => announced(keys.rotate(selector, options)),
    revoke: (selector) => announced(keys.revoke(selector)),
  };
}

/** Metrics summed over all processes. */
export function servedMetrics(metrics: Metrics, supervisor: SupervisorConnection | undefined): Metrics {
  if (supervisor === undefined) return metrics;
  return {
    ...metrics,
    async text() {
      const own = await metrics.share();
      return metrics.textOf([own, ...(await supervisor.otherMetrics(own))]);
    },
  };
}

/** Loads profiles in this process first, so that a set that is rejected changes no other process. */
export function reloadEverywhere(
  reload: () => Promise<LoadedProfiles>,
  supervisor: SupervisorConnection | undefined,
): () => Promise<LoadedProfiles> {
  if (supervisor === undefined) return reload;
  return async () => {
    const loaded = await reload();
    await supervisor.everywhere("reloadProfiles");
    return loaded;
  };
}
