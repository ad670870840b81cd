/** What of a gateway needs an operator now, worked out of what keys and traces say. */
import { groupBy } from "../../../foundation/group-by.js";
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
