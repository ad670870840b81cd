import type { FastifyInstance } from "fastify";
import { SerialQueue } from "../../../foundation/serial-queue.js";
import type { ServerDependencies } from "../../dependencies.js";
import type { QueryOptions, TraceFilter } from "../../traces/store.js";
import type { Trace } from "../../traces/trace.js";
import { DEFAULT_SAMPLE } from "../traces/schema/sample.js";
import { traceBody } from "../traces/schema/trace.js";
import { addTraceSearch } from "../traces/trace-search.js";
import { ExpectedSavings } from "./expected-savings.js";
import { replayTraces } from "./replay-traces.js";
import { savingsQuery, savingsSchema } from "./savings-schema.js";
import { replayBody, replayQuery, replaySchema } from "./schema.js";

type Dependencies = Pick<ServerDependencies, "traces" | "router" | "catalog" | "yieldThread">;

/**
 * `GET /admin/traces/replay`: what other cost weights would have chosen for past requests. One at a time, one
 * decision at a time between other work of the thread, and no further once the caller has gone.
 */
export function addTraceReplayRoute(app: FastifyInstance, dependencies: Dependencies): void {
  const replays = new SerialQueue();
  addTraceSearch(app, {
    url: "/admin/traces/replay",
    operationId: "replayTraces",
    summary: "Decide a sample of the finished requests again, with other cost weights",
    query: replayQuery,
    answer: replaySchema,
    async search({ filter, cost_weight: costWeights, sample, models }, options) {
      return replays.run(async () => {
        options.signal?.throwIfAborted();
        const traces = await sampled({ filter, most: sample }, { ...dependencies, options });
        const replayed = await replayTraces(traces.batches(withoutKeyName), {
          router: dependencies.router,
          costWeights,
          models,
          requestsAtOnce: 1,
          pause: dependencies.yieldThread,
          canRun: (model) => dependencies.catalog.isRunnable(model),
          signal: options.signal,
        });
        return {
          object: "traces.replay",
          ...traces.counts(),
          ...replayBody(replayed),
        };
      });
    },
  });
}

/** `GET /admin/traces/savings`: what the decisions of finished requests were expected to save, from a sample. */
export function addTraceSavingsRoute(
  app: FastifyInstance,
  dependencies: Pick<ServerDependencies, "traces" | "yieldThread">,
): void {
  addTraceSearch(app, {
    url: "/admin/traces/savings",
    operationId: "traceSavings",
    summary: "Compare what decisions were expected to cost with fixed models of the same expected quality",
    query: savingsQuery,
    answer: savingsSchema,
    async search({ filter }, options) {
      const traces = await sampled({ filter, most: DEFAULT_SAMPLE }, { ...dependencies, options });
      const savings = new ExpectedSavings();
      for await (const batch of traces.batches((trace) => trace)) {
        for (const trace of batch) savings.add(trace);
      }
      const counts = traces.counts();
      return {
        object: "traces.savings",
        ...counts,
        ...savings.report(counts.matching),
      };
    },
  });
}

interface SampleSources extends Pick<ServerDependencies, "traces" | "yieldThread"> {
  readonly options: QueryOptions;
}

/** At most so many of the traces that match, in batches, between which other work of the thread runs. */
async function sampled(
  selection: { readonly filter: TraceFilter; readonly most: number },
  { traces, yieldThread, options }: SampleSources,
) {
  const [stats] = await traces.ask("stats", { filter: selection.filter, by: [] }, options);
  let read = 0;
  return {
    async *batches<Shown>(show: (trace: Trace) => Shown) {
      for await (const batch of traces.export(selection, options)) {
        read += batch.length;
        yield batch.map(show);
        await yieldThread();
      }
    },
    /** Known when all batches were read. */
    counts: () => ({ matching: Math.max(stats?.requests ?? 0, read), sampled: read }),
  };
}

const withoutKeyName = (trace: Trace) => traceBody(trace, () => undefined);
