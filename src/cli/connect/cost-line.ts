import type { ConversationCostBody } from "../../gateway/features/conversation-cost/schema.js";
import { dollars } from "../traces/text.js";

/** `gpt-6-luna (low) · saved $0.42 of $1.10 · 62% cached · why: …` */
export function costLine(cost: ConversationCostBody): string {
  const { model = null, effort = null, reason = null } = cost.last ?? {};
  return [
    ...(model === null ? [] : [effort === null ? model : `${model} (${effort})`]),
    spendText(cost),
    ...(cost.cached_share === null ? [] : [`${Math.round(cost.cached_share * 100)}% cached`]),
    ...(reason === null ? [] : [`why: ${reason}`]),
  ].join(" · ");
}

function spendText(cost: ConversationCostBody): string {
  const { baseline_cost_usd: baseline, saved_usd: saved, cost_usd: spent } = cost;
  if (cost.baseline_model === null || baseline === 0)
    return `${cost.requests_without_cost > 0 ? "at least " : ""}$${dollars(spent)}`;
  return saved < 0
    ? `$${dollars(-saved)} more than $${dollars(baseline)}`
    : `saved $${dollars(saved)} of $${dollars(baseline)}`;
}

interface LineOptions {
  /** Address of the server, without `/v1`. */
  readonly root: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  /** Aborts after that many milliseconds; by a timer by default. */
  readonly deadline?: (milliseconds: number) => AbortSignal;
}

/** Some agents wait for the line after each turn. */
const LONGEST_WAIT_MS = 3_000;

/**
 * What an agent shows of its session, from what it says on standard input: a line for a status line, JSON for a hook, of which
 * Codex shows `systemMessage`. Nothing before the first answer.
 *
 * https://code.claude.com/docs/en/statusline and https://developers.openai.com/codex/hooks, read 2026-11-29.
 *
 * @throws what keeps the server from answering within LONGEST_WAIT_MS
 */
export async function shownByAgent(
  said: string,
  { root, key, fetch, deadline = (milliseconds) => AbortSignal.timeout(milliseconds) }: LineOptions,
): Promise<string> {
  const { session_id: session, hook_event_name: hook } = JSON.parse(said) as {
    readonly session_id: string;
    readonly hook_event_name?: string;
  };
  const url = `${root}/v1/conversations/${encodeURIComponent(session)}/cost`;
  const headers = { authorization: `Bearer ${key}` };
  const reply = await fetch(url, { headers, signal: deadline(LONGEST_WAIT_MS) });
  if (reply.status === 404) return "";
  if (!reply.ok) throw new Error(`${root} answered ${reply.status}`);
  const line = costLine((await reply.json()) as ConversationCostBody);
  return hook === undefined ? line : JSON.stringify({ systemMessage: line });
}
