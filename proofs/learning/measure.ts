import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import type { Estimate } from "../../src/foundation/bootstrap.js";
import { buildSet, distinctAnswers, learnSet, openSet } from "./arms.js";
import {
  answeredMeans,
  type Choices,
  choicesOf,
  errorOf,
  expectedMeans,
  gainAtEqualCost,
  trueMeans,
} from "./measures.js";
import { measureReplay, type ReplayFinding } from "./replay-error.js";
import { type Served, serveTraffic } from "./traffic.js";
import type { World } from "./world.js";

/** Ways to learn from traffic, and not to. */
export const ARMS = {
  profiled: "the set as it was",
  means: "mean score of the requests that a model answered",
  learned: "from-traces",
} as const;
export type Arm = keyof typeof ARMS;

export interface ArmFinding {
  readonly arm: Arm;
  /** Share of the requests that explored. */
  readonly share: number;
  /** Error of models with at least 30 answers, and of all of them. */
  readonly answered: number;
  readonly all: number | null;
  /** Quality at equal cost against the set as it was; null for what decides nothing. */
  readonly gain: Estimate | null;
}

export interface LearningFinding {
  readonly arms: readonly ArmFinding[];
  readonly replay: readonly ReplayFinding[];
  /** Models that answered at least 30 requests. */
  readonly answeredModels: number;
}

export interface LearningPlan {
  readonly embedder: Embedder;
  readonly requests: number;
  readonly shares: readonly number[];
  readonly seed: number;
  readonly onStep: (what: string) => void;
}

const COST_WEIGHTS = [0.1, 0.3, 0.5];
const ENOUGH_ANSWERS = 30;

export async function measureLearning(world: World, plan: LearningPlan): Promise<LearningFinding> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-learning-"));
  try {
    return await new Measurement(world, { ...plan, folder }).run();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Measurement {
  readonly #truth: Float64Array;

  constructor(
    private readonly world: World,
    private readonly plan: LearningPlan & { readonly folder: string },
  ) {
    this.#truth = trueMeans(world.asked, world.models);
  }

  async run(): Promise<LearningFinding> {
    const { world, plan } = this;
    const { embedder, folder, shares, requests, seed, onStep } = plan;
    onStep("building the set");
    const profiled = join(folder, "profiled");
    await buildSet(world, { embedder, folder: profiled });
    const { set, router } = await openSet(profiled, world, embedder);
    const before = await choicesOf(router, world.heldOut, world.models);
    const unchanged = await expectedMeans(set, world.asked, { models: world.models, embedder });
    const arms: ArmFinding[] = [];
    let replay: readonly ReplayFinding[] = [];
    let answeredModels = 0;
    for (const share of shares) {
      onStep(`serving ${requests} requests, ${100 * share} % explored`);
      const served = await serveTraffic(router, world, { requests, costWeights: COST_WEIGHTS, share, seed });
      const answered = answeredColumns(served, world);
      arms.push(
        this.#finding("profiled", { share, answered, means: unchanged }),
        this.#finding("means", { share, answered, means: answeredMeans(served, world.models) }),
      );
      onStep("learning");
      arms.push(await this.#learn({ served, share, answered, before, profiled }));
      if (share === 0) {
        answeredModels = answered.size;
        onStep("replaying");
        replay = await measureReplay(router, world, served);
      }
    }
    return { arms, replay, answeredModels };
  }

  async #learn({ served, share, answered, before, profiled }: LearnInput): Promise<ArmFinding> {
    const { world, plan } = this;
    const { embedder } = plan;
    const folder = join(plan.folder, `learned-${share}`);
    await learnSet(world, { from: profiled, answers: distinctAnswers(served) }, { embedder, folder });
    const { set, router } = await openSet(folder, world, embedder);
    const means = await expectedMeans(set, world.asked, { models: world.models, embedder });
    const after = await choicesOf(router, world.heldOut, world.models);
    const gain = gainAtEqualCost(world.heldOut, { before, after });
    return { ...this.#finding("learned", { share, answered, means }), gain };
  }

  #finding(
    arm: Arm,
    { share, answered, means }: { share: number; answered: ReadonlySet<number>; means: Float64Array },
  ): ArmFinding {
    const errors = means.map((mean, model) => mean - (this.#truth[model] as number));
    return {
      ...{ arm, share, gain: null },
      answered: errorOf(errors.filter((_, model) => answered.has(model))),
      all: arm === "means" ? null : errorOf(errors),
    };
  }
}

interface LearnInput {
  readonly served: readonly Served[];
  readonly share: number;
  readonly answered: ReadonlySet<number>;
  readonly before: Choices;
  readonly profiled: string;
}

function answeredColumns(served: readonly Served[], { models }: World): ReadonlySet<number> {
  const counts = new Uint32Array(models.length);
  for (const { model } of served) counts[model] = (counts[model] as number) + 1;
  return new Set(models.flatMap((_, model) => ((counts[model] as number) >= ENOUGH_ANSWERS ? [model] : [])));
}
