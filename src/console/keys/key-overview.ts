import { listKeysWithErrors, spendByKey } from "../api/keys.js";
import { listRefusals } from "../api/refusals.js";
import { rangeNamed } from "../overview/ranges.js";
import type { KeySummary } from "./key-order.js";

const DAY_MS = 86_400_000;
/** How far back the last error of a key is looked for: as far as the page of failures goes. */
export const ERRORS_RANGE = "30d";

/** All keys, newest first. Without traces there is neither spend nor a last error, but all the rest. */
export async function loadKeys(signal: AbortSignal): Promise<readonly KeySummary[]> {
  const [keys, refusals, spend] = await Promise.all([
    listKeysWithErrors(Date.now() - rangeNamed(ERRORS_RANGE).lengthMs, signal),
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
