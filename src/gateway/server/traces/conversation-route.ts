import type { FastifyInstance } from "fastify";
import {
  conversationQuery,
  conversationSchema,
  conversationSums,
  type TurnBody,
  turnBody,
} from "../../api/traces/conversation.js";
import { lengthOf, type Trace } from "../../traces/trace.js";
import { addedMessages } from "../../traces/trace-messages.js";
import type { ServerDependencies } from "../dependencies.js";
import { addTraceSearch } from "./trace-search.js";

/** UTF-16 units of texts from which on no further request is read. */
const MOST_TEXT = 2_000_000;

/** `GET /admin/traces/conversation`: the requests that share a metadata value, each with what it added. */
export function addConversationRoute(
  app: FastifyInstance,
  { traces, limits }: Pick<ServerDependencies, "traces" | "limits">,
): void {
  const mostTurns = limits.traceMaxConversationRequests;
  addTraceSearch(app, {
    url: "/admin/traces/conversation",
    operationId: "retrieveConversation",
    summary: "Show the requests that share a metadata value as one conversation",
    query: conversationQuery,
    answer: conversationSchema,
    async search({ filter }, options) {
      const [turns, byModel, newest] = await Promise.all([
        firstTurns(traces.export({ filter }, options), mostTurns),
        traces.ask("stats", { filter, by: ["model"] }, options),
        traces.ask("list", { filter, page: { limit: 1, offset: 0 } }, options),
      ]);
      const [last] = newest.traces;
      return {
        object: "conversation",
        turns,
        has_more: turns.length < newest.total,
        most_turns: mostTurns,
        ...conversationSums(byModel),
        first_seen: turns[0]?.created_at ?? null,
        last_seen: last === undefined ? null : new Date(last.createdAtMs).toISOString(),
      };
    },
  });
}

async function firstTurns(
  batches: AsyncIterable<readonly Trace[]>,
  mostTurns: number,
): Promise<readonly TurnBody[]> {
  const turns: TurnBody[] = [];
  let before: Trace["content"] = null;
  let text = 0;
  for await (const batch of batches) {
    for (const trace of batch) {
      const { content } = trace;
      const added = addedMessages(content?.input ?? [], before);
      turns.push(turnBody(trace, added));
      before = content ?? before;
      text += lengthOf(content);
      if (turns.length === mostTurns || text > MOST_TEXT) return turns;
    }
  }
  return turns;
}
