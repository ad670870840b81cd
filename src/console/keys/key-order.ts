import type { ListedKeyBody as Key } from "../../gateway/api/keys.js";
import { highestUse } from "./uses.js";

/** A key with what its requests came to. */
export interface KeySummary {
  readonly key: Key;
  /** Known costs of this month; null while traces cannot be asked. */
  readonly spendUsd: number | null;
  /** Requests that its limits refused in the last 24 hours. */
  readonly refused: number;
}

export const KEY_ORDERS = ["use", "spend", "refused", "last error", "newest"] as const;
type KeyOrder = (typeof KEY_ORDERS)[number];

const FIGURES: Readonly<Record<Exclude<KeyOrder, "newest">, (summary: KeySummary) => number>> = {
  use: ({ key }) => highestUse(key),
  spend: ({ spendUsd }) => spendUsd ?? 0,
  refused: ({ refused }) => refused,
  "last error": ({ key }) => (key.last_error ? Date.parse(key.last_error.created_at) : 0),
};

interface KeyChoice {
  readonly order: KeyOrder;
  /** Part of the name, id, prefix or source, in any case. */
  readonly text: string;
}

/** Those that can be used come before revoked and expired ones; equal ones stay newest first. */
export function chosenKeys(keys: readonly KeySummary[], { order, text }: KeyChoice): readonly KeySummary[] {
  const wanted = text.trim().toLowerCase();
  const found = keys.filter(({ key: { id, name, prefix, source } }) =>
    [id, name, prefix, source ?? ""].some((field) => field.toLowerCase().includes(wanted)),
  );
  if (order === "newest") return found;
  const figure = FIGURES[order];
  return found.toSorted(
    (left, right) => Number(isUsable(right.key)) - Number(isUsable(left.key)) || figure(right) - figure(left),
  );
}

const isUsable = ({ revoked_at, expires_at }: Pick<Key, "revoked_at" | "expires_at">): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());
