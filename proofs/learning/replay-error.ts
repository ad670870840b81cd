import type { Router } from "../../src/engine/router/router.js";
import { Replay } from "../../src/gateway/features/replay/replay.js";
import type { Served } from "./traffic.js";
import type { World } from "./world.js";

/** What replay predicts of a cost weight, and what it is by the outcomes of every model. */
export interface ReplayFinding {
  readonly costWeight: number;
  /** Predicted over true spend, less 1. */
  readonly spendError: number;
  readonly spendInside: boolean;
  /** Predicted less true change of quality. */
  readonly qualityError: number;
  readonly qualityInside: boolean;
  /** The true change, which the error is to be compared with. */
  readonly qualityChange: number;
}

const REPLAYED_WEIGHTS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const MOST_REPLAYED = 2000;

export async function measureReplay(
  router: Router,
  { models }: World,
  served: readonly Served[],
): Promise<ReplayFinding[]> {
  const past = served.slice(0, MOST_REPLAYED);
  const messages = ({ prompt }: Served) => [{ role: "user" as const, content: prompt.text }];
  const replay = new Replay(router, { costWeights: REPLAYED_WEIGHTS });
  await replay.add(
    past.map((request) => ({
      messages: messages(request),
      model: models[request.model] as string,
      costUsd: request.prompt.costUsd[request.model] as number,
      promptTokens: null,
      candidates: models,
      feedback: null,
    })),
  );
  const { reports } = await replay.summary();
  const findings: ReplayFinding[] = [];
  for (const [at, costWeight] of REPLAYED_WEIGHTS.entries()) {
    const decisions = await router.routeMany(
      past.map((request) => ({ messages: messages(request), models, costWeight })),
    );
    let [spend, change] = [0, 0];
    decisions.forEach(({ selectedModel }, index) => {
      const { prompt, model } = past[index] as Served;
      const chosen = models.indexOf(selectedModel);
      spend += prompt.costUsd[chosen] as number;
      change += ((prompt.quality[chosen] as number) - (prompt.quality[model] as number)) / past.length;
    });
    const { spend: predicted, quality } = reports[at] as (typeof reports)[number];
    findings.push({
      costWeight,
      spendError: predicted.predictedUsd.value / spend - 1,
      spendInside: isInside(spend, predicted.predictedUsd),
      qualityError: quality.change.value - change,
      qualityInside: isInside(change, quality.change),
      qualityChange: change,
    });
  }
  return findings;
}

const isInside = (value: number, { low, high }: { readonly low: number; readonly high: number }): boolean =>
  value >= low && value <= high;
