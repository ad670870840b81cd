import { type FinishedRequest, PastRequests } from "./past-requests.js";
import { type PastRequest, Replay, type ReplayOptions, type ReplayRouter } from "./replay.js";
import type { TracesReplay } from "./replay-report.js";

interface ReplayedTrace extends FinishedRequest {
  readonly routing: (NonNullable<FinishedRequest["routing"]> & { readonly cost_weight: number }) | null;
}

interface ReplayTracesOptions extends ReplayOptions {
  readonly router: ReplayRouter;
  /** To choose among; default: those that each request was routed among. */
  readonly models?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Decides the requests of traces again, in batches. @throws the signal's reason */
export async function replayTraces(
  batches: AsyncIterable<readonly ReplayedTrace[]>,
  { router, models, signal, ...options }: ReplayTracesOptions,
): Promise<TracesReplay> {
  const { pause = async () => {} } = options;
  const pauseUnlessAborted = async () => {
    await pause();
    signal?.throwIfAborted();
  };
  const replay = new Replay(router, { ...options, pause: pauseUnlessAborted });
  const past = new PastRequests(models);
  const weights = new Map<number, number>();
  for await (const batch of batches) {
    const requests: PastRequest[] = [];
    for (const trace of batch) {
      const { routing } = trace;
      const request = past.of(trace);
      if (request === undefined) continue;
      requests.push(request);
      if (routing !== null) weights.set(routing.cost_weight, (weights.get(routing.cost_weight) ?? 0) + 1);
    }
    await replay.add(requests);
  }
  return {
    ...(await replay.summary()),
    leftOut: past.leftOut,
    pastWeights: [...weights]
      .map(([costWeight, requests]) => ({ costWeight, requests }))
      .sort((left, right) => right.requests - left.requests || left.costWeight - right.costWeight),
  };
}
