/** What of a gateway needs an operator now, worked out of what keys and traces say. */
import { groupBy } from "../../../foundation/group-by.js";
import type { RefusalCount } from "../../access/limits/counters.js";
import type { ProcessHealth } from "../../run/inference.js";
import type { TraceSummary } from "../../traces/store.js";
import type { ListedKeyBody } from "../keys/schema.js";
import type { AttentionBody } from "./attention-schema.js";

/** Keys whose replaced secret came after that time, the last used first. */
export const replacedSecrets = (
  keys: readonly Pick<ListedKeyBody, "id" | "name" | "previous">[],
  sinceMs: number,
): AttentionBody["replaced_secrets"] =>
  keys
    .flatMap(({ id, name, previous }) => {
      const refused = previous?.refused ?? null;
      return refused === null || Date.parse(refused.last_at) < sinceMs ? [] : [{ id, name, ...refused }];
    })
    .sort((left, right) => Date.parse(right.last_at) - Date.parse(left.last_at));

/** By limit and budget, those that refused most first. */
export const refusalSums = (counts: readonly RefusalCount[]): NonNullable<AttentionBody["refusals"]> =>
  [...groupBy(counts, ({ refusedBy, budget }) => JSON.stringify([refusedBy, budget])).values()]
    .flatMap((group) => {
      const [first] = group;
      const requests = group.reduce((sum, one) => sum + one.requests, 0);
      return first === undefined ? [] : { limit: first.refusedBy, budget: first.budget, requests };
    })
    .sort((left, right) => right.requests - left.requests);

const ACCOUNT = new Set<string | null>(["credentials_refused", "quota_exhausted", "model_not_found"]);

/** Providers that refuse the operator's account now, for a key or a model there, with the code of that. */
export const refusedIn = ({ models, keys }: ProcessHealth): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...keys, ...models.map((one) => ({ ...one, ...one.health }))].flatMap(({ provider, reason }) =>
      ACCOUNT.has(reason) ? [[provider, String(reason)]] : [],
    ),
  );

/** @param traces the newest first */
export function stuckIn(traces: readonly TraceSummary[]): NonNullable<AttentionBody["stuck"]> {
  const groups = groupBy(traces, ({ model, source }) => `${model} ${source}`);
  return [...groups.values()].flatMap(([newest, ...others]) =>
    newest === undefined
      ? []
      : {
          model: newest.model,
          source: newest.source,
          requests: others.length + 1,
          request_id: newest.requestId,
          at: new Date(newest.createdAtMs).toISOString(),
        },
  );
}
