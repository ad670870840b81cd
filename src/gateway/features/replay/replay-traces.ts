import { type FinishedRequest, PastRequests } from "./past-requests.js";
import { Replay, type ReplayOptions, type ReplayRouter } from "./replay.js";
import type { TracesReplay } from "./replay-report.js";

interface ReplayTracesOptions extends ReplayOptions {
  readonly router: ReplayRouter;
  /** To choose among; default: those that each request was routed among. */
  readonly models?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Decides the requests of traces again, in batches. @throws the signal's reason */
export async function replayTraces(
  batches: AsyncIterable<readonly FinishedRequest[]>,
  { router, models, signal, ...options }: ReplayTracesOptions,
): Promise<TracesReplay> {
  const { pause = async () => {} } = options;
  const pauseUnlessAborted = async () => {
    await pause();
    signal?.throwIfAborted();
  };
  const replay = new Replay(router, { ...options, pause: pauseUnlessAborted });
  const past = new PastRequests(models);
  for await (const batch of batches) await replay.add(batch.flatMap((trace) => past.of(trace) ?? []));
  return { ...(await replay.summary()), leftOut: past.leftOut };
}
