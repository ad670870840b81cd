import type { Candidate } from "../../../engine/router/decision.js";
import type { RoutedAnswer } from "./fixed-models.js";
import { type FinishedRequest, PastRequests } from "./past-requests.js";
import { type PastRequest, Replay, type ReplayOptions, type ReplayRouter } from "./replay.js";

interface RoutedTrace extends FinishedRequest {
  readonly created_at: string;
  readonly routing:
    | (NonNullable<FinishedRequest["routing"]> & {
        readonly cost_weight: number;
        readonly preset?: string | undefined;
      })
    | null;
}

const expectationOf = ({ expectedQuality: quality, qualityStderr }: Candidate, costUsd: number) => ({
  costUsd,
  quality,
  qualityStderr,
});

/** What is expected now of the candidates for routed requests, in batches; without those whose cost is not known. */
export async function routedAnswers(
  batches: AsyncIterable<readonly RoutedTrace[]>,
  { router, ...options }: Pick<ReplayOptions, "canRun" | "pause"> & { readonly router: ReplayRouter },
): Promise<readonly RoutedAnswer[]> {
  const traces = new Map<PastRequest, RoutedTrace>();
  const answers: RoutedAnswer[] = [];
  const replay = new Replay(router, {
    ...options,
    // Above 0 all candidates have a price.
    costWeights: [1],
    requestsAtOnce: 1,
    onDecided(request, { candidates, own }) {
      const { created_at, routing } = traces.get(request) ?? {};
      const { model, costUsd: billedUsd } = request;
      if (created_at === undefined || routing == null || billedUsd === null || own.expectedCostUsd === null)
        return;
      answers.push({
        createdAtMs: Date.parse(created_at),
        preset: routing.preset ?? null,
        costWeight: routing.cost_weight,
        model,
        billedUsd,
        own: expectationOf(own, own.expectedCostUsd),
        candidates: new Map(
          candidates.flatMap((one) =>
            one.expectedCostUsd === null
              ? []
              : [[one.model, expectationOf(one, one.expectedCostUsd)] as const],
          ),
        ),
      });
    },
  });
  const past = new PastRequests();
  for await (const batch of batches) {
    traces.clear();
    for (const trace of batch) {
      const request = past.of(trace);
      if (request !== undefined) traces.set(request, trace);
    }
    await replay.add([...traces.keys()]);
  }
  return answers;
}
