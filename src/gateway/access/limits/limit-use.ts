import type { UsableKey } from "../keys/key-ring.js";
import { type Refusal, type Used, usdOf } from "./counters.js";

/** How much of one limit of a key, with that id and name, is used. */
export interface LimitUse {
  readonly id: string;
  readonly name: string;
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
      ["budget", usdOf(used.nanoUsd), limits.usdPerMonth],
    ];
    return amounts.flatMap(([limit, amount, most]) =>
      most === null ? [] : [{ id, name, limit, ratio: amount / most }],
    );
  });
}
