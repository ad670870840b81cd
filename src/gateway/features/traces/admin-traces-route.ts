import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ServerDependencies } from "../../dependencies.js";
import { noteError } from "../../http/plugins/errors.js";
import { addRoute } from "../../http/route.js";
import { lengthOf, type Trace } from "../../traces/trace.js";
import { addedMessages } from "../../traces/trace-messages.js";
import { EXPORT_FORMATS, exportStream } from "./export/formats.js";
import { causeListBody, causeListSchema, causesQuery } from "./schema/causes.js";
import {
  conversationQuery,
  conversationSchema,
  conversationSums,
  type TurnBody,
  turnBody,
} from "./schema/conversation.js";
import { seriesPointBody, seriesQuery, seriesSchema } from "./schema/series.js";
import { statsBody, statsQuery, statsQuestion, traceStatsSchema } from "./schema/stats.js";
import { adminTraceListBody, adminTraceListSchema, INPUT_CHARACTERS } from "./schema/trace.js";
import { exportQuery, operatorQuery } from "./schema/trace-query.js";
import { traceValuesBody, traceValuesQuerySchema, traceValuesSchema } from "./schema/trace-values.js";
import { addTraceSearch, queryOptions } from "./trace-search.js";

/** `GET /admin/traces` and what sums it up: what operators look for among finished requests. */
export function addAdminTraceRoutes(
  app: FastifyInstance,
  { traces, keys, now }: Pick<ServerDependencies, "traces" | "keys" | "now">,
): void {
  const keyNames = (id: string) => keys.nameOf(id);
  addTraceSearch(app, {
    url: "/admin/traces",
    operationId: "listTracesForOperators",
    summary: "Search the finished requests, with key, source, error and the beginning of the prompt",
    query: operatorQuery,
    answer: adminTraceListSchema,
    async search({ filter, page }, options) {
      const asked = { filter, page: { ...page, inputCharacters: INPUT_CHARACTERS } };
      return adminTraceListBody(await traces.ask("list", asked, options), keyNames);
    },
  });
  addTraceSearch(app, {
    url: "/admin/traces/causes",
    operationId: "traceCauses",
    summary: "Group what went wrong by cause, call by call, against the time before",
    query: causesQuery(now),
    answer: causeListSchema,
    async search(asked, options) {
      const [causes, sums] = await Promise.all([
        traces.ask("causes", asked.causes, options),
        traces.ask("series", asked.sums, options),
      ]);
      return causeListBody(asked, { causes, sums });
    },
  });
  addTraceSearch(app, {
    url: "/admin/traces/stats",
    operationId: "traceStatistics",
    summary: "Sum up the finished requests",
    query: statsQuery,
    answer: traceStatsSchema,
    search: async (asked, options) => ({
      object: "list",
      data: (await traces.ask("stats", statsQuestion(asked, now()), options)).map(statsBody),
    }),
  });
  addTraceSearch(app, {
    url: "/admin/traces/series",
    operationId: "traceSeries",
    summary: "Sum up the finished requests over time",
    query: seriesQuery(now),
    answer: seriesSchema,
    async search(asked, options, { request, reply }) {
      const data = (await traces.ask("series", asked, options)).map(seriesPointBody);
      // Who asks again with the tag of the last answer gets none while nothing changed.
      const tag = tagOf(data);
      reply.header("etag", tag);
      if (request.headers["if-none-match"] === tag) {
        reply.code(304);
        return Buffer.alloc(0);
      }
      return {
        object: "list",
        step: asked.steps.stepMs / 1000,
        start_date: new Date(asked.filter.startMs).toISOString(),
        end_date: new Date(asked.filter.endMs).toISOString(),
        data,
      };
    },
  });
  addRoute(app, {
    route: "GET /admin/traces/values",
    operationId: "traceValues",
    summary:
      "List the models, providers, sources, keys, error codes and metadata keys of the newest requests",
    query: traceValuesQuerySchema,
    answer: traceValuesSchema,
    errors: [503, 504],
    handle: async ({ query: { q: containing }, ...exchange }) =>
      traceValuesBody(await traces.ask("values", { containing }, queryOptions(exchange)), keyNames),
  });
}

const tagOf = (data: object): string =>
  `"${createHash("sha256").update(JSON.stringify(data)).digest("base64url").slice(0, 22)}"`;

/** `GET /admin/traces/export`: all that match, whole, as a file. */
export function addTraceExportRoute(
  app: FastifyInstance,
  { traces, keys, ...dependencies }: Pick<ServerDependencies, "traces" | "keys" | "limits" | "logger">,
): void {
  addTraceSearch(app, {
    url: "/admin/traces/export",
    operationId: "exportTraces",
    summary: "Fetch the finished requests whole, as a file",
    query: exportQuery,
    answer: z
      .string()
      .describe("A line of JSON for each, as `GET /v1/traces/{request_id}` answers, or a table as CSV."),
    async search({ format, filter }, options, { request, reply }) {
      const { contentType, write } = EXPORT_FORMATS[format];
      const file = await exportStream(traces.export({ filter }, options), {
        write,
        onFault: (fault) => {
          if (options.signal?.aborted !== true) noteError(fault, { request, dependencies });
        },
        keyNames: (id) => keys.nameOf(id),
      });
      reply.header("content-type", contentType);
      reply.header("content-disposition", `attachment; filename="traces.${format}"`);
      return file;
    },
  });
}

/** Requests of a conversation that are shown one by one: its sums are of all. */
const MOST_TURNS = 200;

/** UTF-16 units of texts from which on no further request is read. */
const MOST_TEXT = 2_000_000;

/** `GET /admin/traces/conversation`: the requests that share a metadata value, each with what it added. */
export function addConversationRoute(
  app: FastifyInstance,
  { traces }: Pick<ServerDependencies, "traces">,
): void {
  addTraceSearch(app, {
    url: "/admin/traces/conversation",
    operationId: "retrieveConversation",
    summary: "Show the requests that share a metadata value as one conversation",
    query: conversationQuery,
    answer: conversationSchema,
    async search({ filter }, options) {
      const [turns, byModel] = await Promise.all([
        firstTurns(traces.export({ filter }, options), MOST_TURNS),
        traces.ask("stats", { filter, by: ["model"] }, options),
      ]);
      const sums = conversationSums(byModel);
      const hasMore = turns.length < sums.requests;
      const newest = hasMore
        ? (await traces.ask("list", { filter, page: { limit: 1, offset: 0 } }, options)).traces[0]
        : undefined;
      return {
        object: "conversation",
        turns,
        has_more: hasMore,
        most_turns: MOST_TURNS,
        ...sums,
        first_seen: turns[0]?.created_at ?? null,
        last_seen:
          newest === undefined
            ? (turns.at(-1)?.created_at ?? null)
            : new Date(newest.createdAtMs).toISOString(),
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
