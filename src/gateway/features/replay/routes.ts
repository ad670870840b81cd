import type { FastifyInstance } from "fastify";
import { SerialQueue } from "../../../foundation/serial-queue.js";
import { snakeCased } from "../../../foundation/snake-case.js";
import type { ServerDependencies } from "../../dependencies.js";
import type { QueryOptions, TraceFilter } from "../../traces/store.js";
import type { Trace } from "../../traces/trace.js";
import { traceBody } from "../traces/schema/trace.js";
import { addTraceSearch } from "../traces/trace-search.js";
import type { WeightRecommender } from "./recommended-weight.js";
import { replayTraces } from "./replay-traces.js";
import { routedAnswers } from "./routed-answers.js";
import { replayBody, replayQuery, replaySchema } from "./schema.js";
import { billedBody, feedbackBody, savingsBody } from "./value-report.js";
import { valueQuery, valueSchema } from "./value-schema.js";

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

/**
 * `GET /admin/traces/value`: what routing saved, whether answers were good, and the cost weight that is recommended. Requests are decided
 * again as by the replay, for what each candidate is expected to cost and to be worth.
 */
export function addTraceValueRoute(
  app: FastifyInstance,
  dependencies: Dependencies &
    Pick<ServerDependencies, "limits"> & { readonly recommender: WeightRecommender },
): void {
  const { router, catalog, yieldThread: pause, traces: store, limits, recommender } = dependencies;
  const reports = new SerialQueue();
  /** As candidates are named. */
  const named = (model: string): string => catalog.deployments(model)[0]?.model ?? model;
  addTraceSearch(app, {
    url: "/admin/traces/value",
    operationId: "traceValue",
    summary: "Say what routing saved against fixed models of the same quality, and how answers were scored",
    query: valueQuery,
    answer: valueSchema,
    async search({ filter, sample }, options) {
      return reports.run(async () => {
        options.signal?.throwIfAborted();
        const traces = await sampled({ filter, most: sample }, { ...dependencies, options });
        const answers = await routedAnswers(traces.batches(withoutKeyName), {
          router,
          canRun: (model) => catalog.isRunnable(model),
          pause: async () => {
            await pause();
            options.signal?.throwIfAborted();
          },
        });
        const counts = traces.counts();
        const baselineModel = limits.baselineModel === undefined ? undefined : named(limits.baselineModel);
        const scores = await store.ask("feedback", { filter, by: ["model", "preset", "day"] }, options);
        return {
          object: "traces.value",
          ...counts,
          ...savingsBody(answers, { ...counts, baselineModel }),
          billed: billedBody(traces.days, (name) => named(name) === baselineModel),
          feedback: feedbackBody(scores),
          recommended: snakeCased(await recommender.fresh()),
        };
      });
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
  const days = await traces.ask("stats", { filter: selection.filter, by: ["day", "baseline"] }, options);
  const matching = days.reduce((sum, { requests }) => sum + requests, 0);
  let read = 0;
  return {
    days,
    async *batches<Shown>(show: (trace: Trace) => Shown) {
      for await (const batch of traces.export(selection, options)) {
        read += batch.length;
        yield batch.map(show);
        await yieldThread();
      }
    },
    /** Known when all batches were read. */
    counts: () => ({ matching: Math.max(matching, read), sampled: read }),
  };
}

const withoutKeyName = (trace: Trace) => traceBody(trace, () => undefined);
