import { listKeys } from "../api/keys.js";
import { listRefusals } from "../api/refusals.js";
import { spendByKey } from "../api/spend.js";
import type { KeySummary } from "./key-order.js";

const DAY_MS = 86_400_000;

/** All keys, newest first. Without traces there is no spend, but all the rest. */
export async function loadKeys(signal: AbortSignal): Promise<readonly KeySummary[]> {
  const [keys, refusals, spend] = await Promise.all([
    listKeys(signal),
    listRefusals({ stepMs: DAY_MS }, signal),
    spendByKey(Date.now(), signal).catch(() => undefined),
  ]);
  return keys.map((key) => ({
    key,
    spendUsd: spend === undefined ? null : (spend.get(key.id) ?? 0),
    refused: refusals
      .filter((refusal) => refusal.key === key.id)
      .reduce((sum, { requests }) => sum + requests, 0),
  }));
}
