import type { TraceStatsBody } from "../../gateway/api/traces/stats.js";
import { call } from "./call.js";

/** Known costs of the running month (UTC) by the id of the key, as its traces have them. */
export async function spendByKey(nowMs: number, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const month = new Date(nowMs).toISOString().slice(0, 7);
  const query = new URLSearchParams({ by: "key", start_date: `${month}-01` });
  const { data } = await call<{ readonly data: readonly TraceStatsBody[] }>(`/admin/traces/stats?${query}`, {
    signal,
  });
  return new Map(data.map(({ group, cost_usd }) => [group.key ?? "", cost_usd]));
}
