import type { Key } from "../api/keys.js";
import { shortCount } from "../components/format.js";

/** The limits that a key has of its own. */
export function KeyLimits({ limits }: Pick<Key, "limits">) {
  const { requests_per_minute: requests, tokens_per_minute: tokens, usd_per_month: usd } = limits;
  if (requests === null && tokens === null && usd === null) return <span class="muted">default</span>;
  return (
    <span class="limits-cell">
      {requests !== null && <span>{shortCount(requests)} requests/min</span>}
      {tokens !== null && <span>{shortCount(tokens)} tokens/min</span>}
      {usd !== null && <span>${usd}/month</span>}
    </span>
  );
}
