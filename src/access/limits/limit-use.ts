import type { UsableKey } from "../keys/key-ring.js";
import type { Refusal, Used } from "./counters.js";

const NANO = 1_000_000_000;

/** How much of one limit of a key is used. */
export interface LimitUse {
  /** Name of the key. */
  readonly key: string;
  readonly limit: Refusal;
  /** 1 when all of it is used; more when requests took more than was reserved for them. */
  readonly ratio: number;
}

/** The use of every limit that the keys have, their own or a default; none of keys that are counted elsewhere. */
export function limitUses(
  keys: readonly UsableKey[],
  usedBy: (principal: string) => Used | null,
): readonly LimitUse[] {
  return keys.flatMap(({ id, name, limits }) => {
    const used = usedBy(id);
    if (used === null) return [];
    const amounts: readonly (readonly [Refusal, number, number | null])[] = [
      ["requests", used.requests, limits.requestsPerMinute],
      ["tokens", used.tokens, limits.tokensPerMinute],
      ["budget", used.nanoUsd / NANO, limits.usdPerMonth],
    ];
    return amounts.flatMap(([limit, amount, most]) =>
      most === null ? [] : [{ key: name, limit, ratio: amount / most }],
    );
  });
}
