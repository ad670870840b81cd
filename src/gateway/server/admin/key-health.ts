import { groupBy } from "../../../foundation/group-by.js";
import type { AdminProviderBody } from "../../api/providers.js";
import type { ProcessHealth } from "../../inference/inference.js";
import type { KeyHealth } from "../../providers/keys/key-pool.js";
import type { KeyModelHealth } from "../../providers/keys/key-rest.js";

const ACCOUNT = new Set<string | null>(["credentials_refused", "quota_exhausted", "model_not_found"]);

/** Providers that refuse the operator's account now, for a key or a model there, with the code of that. */
export const refusedIn = (processes: readonly ProcessHealth[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    processes
      .flatMap(({ models, keys }) => [...keys, ...models.map((one) => ({ ...one, ...one.health }))])
      .flatMap(({ provider, reason }) => (ACCOUNT.has(reason) ? [[provider, String(reason)]] : [])),
  );

type KeyBody = AdminProviderBody["keys"][number];

/** The keys of a provider with what all processes have made of them: calls are added up, and the longest rest counts. */
export function keyBodies(provider: string, processes: readonly ProcessHealth[]): KeyBody[] {
  const byName = groupBy(
    processes.flatMap(({ keys }) => keys.filter((key) => key.provider === provider)),
    ({ name }) => name,
  );
  return [...byName].map(([name, all]) => ({ name, weight: all[0]?.weight ?? 1, ...together(all) }));
}

function together(all: readonly KeyHealth[]): Omit<KeyBody, "name" | "weight"> {
  const models = groupBy(
    all.flatMap(({ models }) => models),
    ({ upstream_model: model }) => model,
  );
  return {
    ...summed(all),
    in_flight: all.reduce((sum, key) => sum + key.in_flight, 0),
    models: [...models].map(([upstream_model, same]) => ({ upstream_model, ...summed(same) })),
  };
}

type Counted = Omit<KeyModelHealth, "upstream_model">;

function summed(all: readonly Counted[]): Counted {
  const longest = all.reduce((left, right) => (right.rests_for_ms > left.rests_for_ms ? right : left));
  const { state, reason, rests_for_ms } = longest;
  const [calls, failures] = all.reduce(
    ([calls, failures], one) => [calls + one.calls, failures + one.failures],
    [0, 0],
  );
  return { state, reason, rests_for_ms, calls, failures };
}
