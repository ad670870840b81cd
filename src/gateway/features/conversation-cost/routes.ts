import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { SextantError } from "../../../foundation/errors.js";
import type { Principal } from "../../access/principal.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import type { QueryOptions, TraceFilter, TraceQueries, TraceStats } from "../../traces/store.js";
import { conversationSums } from "../traces/schema/conversation.js";
import { queryOptions } from "../traces/trace-search.js";
import { conversationCostSchema } from "./schema.js";

/** `GET /v1/conversations/{id}/cost`: what a conversation cost so far, for the agent or the program that has it. */
export function addConversationCostRoute(
  app: FastifyInstance,
  { traces, flushTraces, limits }: Pick<ServerDependencies, "traces" | "flushTraces" | "limits">,
): void {
  async function figuresOf(id: string, places: readonly Visible[]) {
    const metadata = [{ key: limits.stickyMetadataKey, value: id }];
    for (const { filter: visible, options } of places) {
      const filter = { ...visible, metadata };
      const [byModel, byBaseline, last] = await Promise.all([
        traces.ask("stats", { filter, by: ["model"] }, options),
        traces.ask("stats", { filter, by: ["baseline"] }, options),
        lastAnswer(traces, filter, options),
      ]);
      if (byModel.length > 0) return { byModel, byBaseline, last };
    }
    return undefined;
  }
  addRoute(app, {
    route: "GET /v1/conversations/:id/cost",
    operationId: "conversationCost",
    summary: "Sum up what a conversation cost, and what routing saved",
    tag: "traces",
    params: z.object({ id: z.string() }),
    answer: conversationCostSchema,
    errors: [503, 504],
    async handle({ params: { id }, principal, ...exchange }) {
      // An agent asks as soon as it has its answer.
      await flushTraces();
      const found = await figuresOf(id, visibleTo(principal, queryOptions(exchange)));
      if (found === undefined) throw unknownConversation(id);
      const { byModel, byBaseline, last } = found;
      const sums = conversationSums(byModel);
      return {
        object: "conversation.cost" as const,
        id,
        ...sums,
        cached_share: sums.tokens_in === 0 ? null : Math.min(1, sums.tokens_cached / sums.tokens_in),
        baseline_model: mostCompared(byBaseline),
        last: last && {
          request_id: last.requestId,
          model: last.model,
          effort: last.effort ?? null,
          reason: last.routing?.reason ?? null,
        },
      };
    },
  });
}

/** Null where nothing was compared. */
const mostCompared = (byBaseline: readonly TraceStats[]): string | null =>
  byBaseline
    .filter(({ group }) => group.baseline !== null)
    .sort((left, right) => right.requests - left.requests)[0]?.group.baseline ?? null;

interface Visible {
  readonly filter: TraceFilter;
  readonly options: QueryOptions;
}

/** What the caller asked for itself, and else what it may read; those who may read all see all at once. */
function visibleTo({ id, scopes }: Principal, options: QueryOptions): readonly Visible[] {
  const all = { filter: {}, options };
  const own = { filter: { principals: [id] }, options: { ...options, scope: "all" } } as const;
  if (options.scope === "all") return [all];
  return scopes.includes("traces:read") ? [own, all] : [own];
}

async function lastAnswer(traces: TraceQueries, filter: TraceFilter, options: QueryOptions) {
  const page = { limit: 1, offset: 0 };
  const { traces: found } = await traces.ask(
    "list",
    { filter: { ...filter, status: "success" }, page },
    options,
  );
  const [newest] = found;
  return (newest && (await traces.ask("find", newest.requestId, options))) ?? null;
}

const unknownConversation = (id: string): SextantError =>
  new SextantError(
    "trace_not_found",
    `There is no finished request of a conversation ${JSON.stringify(id.slice(0, 80))} that this key may see. One that has ` +
      "just ended can take a moment.",
  );
