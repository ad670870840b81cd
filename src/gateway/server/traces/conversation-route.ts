import type { FastifyInstance } from "fastify";
import { errorResponses } from "../../api/error.js";
import {
  conversationQuerySchema,
  conversationSchema,
  conversationSums,
  parseConversationQuery,
  type TurnBody,
  turnBody,
} from "../../api/traces/conversation.js";
import { TRACE_QUERY_DESCRIPTION } from "../../api/traces/trace-query.js";
import { lengthOf, type Trace } from "../../traces/trace.js";
import { addedMessages } from "../../traces/trace-messages.js";
import type { ServerDependencies } from "../dependencies.js";
import { replyWithQuery, uncheckedQuery, type WithQuery } from "./trace-reply.js";

/** UTF-16 units of texts from which on no further request is read. */
const MOST_TEXT = 2_000_000;

/** `GET /admin/traces/conversation`: the requests that share a metadata value, each with what it added. */
export function addConversationRoute(
  app: FastifyInstance,
  { traces, limits }: Pick<ServerDependencies, "traces" | "limits">,
): void {
  const mostTurns = limits.traceMaxConversationRequests;
  app.route<WithQuery>({
    method: "GET",
    url: "/admin/traces/conversation",
    config: { scope: "admin" },
    validatorCompiler: uncheckedQuery,
    schema: {
      operationId: "retrieveConversation",
      summary: "Show the requests that share a metadata value as one conversation",
      description: TRACE_QUERY_DESCRIPTION,
      tags: ["administration"],
      querystring: conversationQuerySchema,
      response: { 200: conversationSchema, ...errorResponses(400, 401, 403, 500, 503, 504) },
    },
    handler: (request, reply) => {
      const filter = parseConversationQuery(request.query);
      return replyWithQuery({ request, reply }, async (options) => {
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
          request_id: request.id,
        };
      });
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
