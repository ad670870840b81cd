import { z } from "zod";
import { AUTHORIZATION, type Gateway } from "./gateway.js";

const PAGE = 1000;

const list = z.object({
  traces: z.array(z.object({ request_id: z.string() })),
  total: z.number(),
  has_more: z.boolean(),
});

/** What a gateway shows of its traces. */
export interface TracePage {
  readonly ids: readonly string[];
  readonly total: number;
  readonly hasMore: boolean;
}

interface Range {
  /** Milliseconds since the epoch. */
  readonly startMs?: number;
  readonly endMs?: number;
  readonly offset?: number;
}

/** The newest thousand within that time. @throws Error when the gateway answers with an error */
export async function tracePage(
  { address }: Pick<Gateway, "address">,
  { startMs, endMs, offset = 0 }: Range,
): Promise<TracePage> {
  const query = new URLSearchParams({ limit: String(PAGE), offset: String(offset) });
  if (startMs !== undefined) query.set("start_date", new Date(startMs).toISOString());
  if (endMs !== undefined) query.set("end_date", new Date(endMs).toISOString());
  const answer = await fetch(`${address}/v1/traces?${query}`, { headers: AUTHORIZATION });
  if (!answer.ok) throw new Error(`traces were answered with ${answer.status}: ${await answer.text()}`);
  const { traces, total, has_more } = list.parse(await answer.json());
  return { ids: traces.map(({ request_id }) => request_id), total, hasMore: has_more };
}

/** Ids of all traces from that time on, newest first. Nothing may be added meanwhile. */
export async function allTraces(gateway: Pick<Gateway, "address">, startMs: number): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await tracePage(gateway, { startMs, offset: ids.length });
    ids.push(...page.ids);
    if (!page.hasMore || page.ids.length === 0) return ids;
  }
}
