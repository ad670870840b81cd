import type { Router } from "../../src/engine/router/router.js";
import { seededRandom } from "../../src/foundation/random.js";
import type { World, WorldPrompt } from "./world.js";

/** A request that was routed and graded: what a trace with feedback holds. */
export interface Served {
  readonly prompt: WorldPrompt;
  readonly costWeight: number;
  /** Column of the model that answered. */
  readonly model: number;
  /** Of its choice. */
  readonly probability: number;
}

export interface TrafficOptions {
  readonly requests: number;
  /** Each request has one of them, with equal chances. */
  readonly costWeights: readonly number[];
  /** Share that explores. */
  readonly share: number;
  readonly seed: number;
}

const AT_ONCE = 256;
const MAX_COST_RATIO = 5;

/** Routes requests for prompts that are drawn with repetition. */
export async function serveTraffic(
  router: Router,
  { asked, models }: World,
  { requests, costWeights, share, seed }: TrafficOptions,
): Promise<Served[]> {
  const random = seededRandom(seed);
  const drawn = Array.from({ length: requests }, () => ({
    prompt: asked[Math.floor(random() * asked.length)] as WorldPrompt,
    costWeight: costWeights[Math.floor(random() * costWeights.length)] as number,
    draw: random(),
  }));
  const served: Served[] = [];
  for (let start = 0; start < drawn.length; start += AT_ONCE) {
    const batch = drawn.slice(start, start + AT_ONCE);
    const decisions = await router.routeMany(
      batch.map(({ prompt, costWeight, draw }) => ({
        ...{ messages: [{ role: "user" as const, content: prompt.text }], costWeight },
        ...(share > 0 ? { exploration: { share, maxCostRatio: MAX_COST_RATIO, draw } } : {}),
      })),
    );
    decisions.forEach(({ selectedModel, exploration }, index) => {
      const { prompt, costWeight } = batch[index] as (typeof drawn)[number];
      const model = models.indexOf(selectedModel);
      served.push({ prompt, costWeight, model, probability: exploration?.probability ?? 1 });
    });
  }
  return served;
}
