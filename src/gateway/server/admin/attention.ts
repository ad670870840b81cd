/** What of a gateway needs an operator now, worked out of what keys and traces say. */
import { groupBy } from "../../../foundation/group-by.js";
import type { AttentionBody } from "../../api/attention.js";
import { NEAR_LIMIT } from "../../api/attention.js";
import type { ListedKeyBody } from "../../api/keys.js";
import type { ProcessHealth } from "../../run/inference.js";
import type { SeriesPoint } from "../../traces/series.js";
import type { TraceSummary } from "../../traces/store.js";

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** A model or provider is listed from so many failures on, at such a share, and when that is so many times what it was (guesses). */
const LEAST_FAILED = 3;
const LEAST_SHARE = 0.05;
const LEAST_RISE = 2;
/** At such a share it is listed, whatever it was before (a guess). */
const MOSTLY = 0.5;

interface KeyUse extends Pick<ListedKeyBody, "use"> {
  readonly id: string;
  readonly name: string;
}

export function nearKeys(keys: readonly KeyUse[]): AttentionBody["keys"] {
  return keys
    .flatMap(({ id, name, use }) =>
      Object.entries(use).flatMap(([limit, one]) =>
        one === null || one.used < NEAR_LIMIT * one.limit
          ? []
          : [{ id, name, limit: limit as keyof typeof use, used: one.used, most: one.limit }],
      ),
    )
    .sort((left, right) => right.used / right.most - left.used / left.most);
}

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

type Failing = NonNullable<AttentionBody["failing"]>;

/** @param points of the hour that ends with `endMs`, and of the time before it */
export function failingIn(
  points: readonly SeriesPoint[],
  { by, endMs }: { readonly by: Failing[number]["by"]; readonly endMs: number },
): Failing {
  const sums = new Map<
    string,
    { requests: number; failed: number; requestsBefore: number; failedBefore: number }
  >();
  for (const { group, startMs, requests, decisions, errors, timeouts } of points) {
    if (group === null) continue;
    const sum = sums.get(group) ?? { requests: 0, failed: 0, requestsBefore: 0, failedBefore: 0 };
    sums.set(group, sum);
    const isNow = startMs >= endMs - HOUR_MS;
    sum[isNow ? "requests" : "requestsBefore"] += requests - decisions;
    sum[isNow ? "failed" : "failedBefore"] += errors + timeouts;
  }
  return [...sums]
    .flatMap(([name, { requests, failed, requestsBefore, failedBefore }]) => {
      const before = requestsBefore === 0 ? null : failedBefore / requestsBefore;
      const share = failed / Math.max(1, requests);
      const hasRisen = share >= MOSTLY || share >= LEAST_RISE * (before ?? 0);
      return failed >= LEAST_FAILED && share >= LEAST_SHARE && hasRisen
        ? [{ by, name, requests, failed, share_before: before }]
        : [];
    })
    .sort((left, right) => right.failed - left.failed);
}

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

/** @param points of the last 14 days, in steps of an hour */
export function spendIn(points: readonly SeriesPoint[], nowMs: number): NonNullable<AttentionBody["spend"]> {
  const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const between = (fromMs: number, toMs: number): number =>
    points
      .filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
      .reduce((sum, { costUsd }) => sum + costUsd, 0);
  return {
    day_usd: between(dayMs, nowMs),
    day_before_usd: between(dayMs - WEEK_MS, nowMs - WEEK_MS),
    week_usd: between(nowMs - WEEK_MS, nowMs),
    week_before_usd: between(nowMs - 2 * WEEK_MS, nowMs - WEEK_MS),
  };
}

/** Of `spendIn` and `failingIn`: the time in which they look, in whole hours that end with the running one. */
export const hoursUntil = (nowMs: number, hours: number) => {
  const endMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS + HOUR_MS;
  return { startMs: endMs - hours * HOUR_MS, endMs };
};
