import type { ListedKeyBody as Key } from "../../gateway/api/keys.js";

export interface Use {
  readonly name: string;
  readonly unit: "count" | "usd";
  readonly used: number;
  readonly limit: number;
  /** 1 when all of it is used. */
  readonly ratio: number;
}

const LIMITS = [
  ["requests_per_minute", "requests/min", "count"],
  ["tokens_per_minute", "tokens/min", "count"],
  ["usd_per_month", "a month", "usd"],
] as const;

/** The limits that a key has, and their use. */
export const usesOf = ({ use }: Pick<Key, "use">): readonly Use[] =>
  LIMITS.flatMap(([field, name, unit]) => {
    const one = use[field];
    return one === null ? [] : [{ name, unit, ...one, ratio: one.used / one.limit }];
  });

/** The highest use of any limit; 0 without limits. */
export const highestUse = (key: Pick<Key, "use">): number =>
  Math.max(0, ...usesOf(key).map(({ ratio }) => ratio));
