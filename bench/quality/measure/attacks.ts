import type { Router } from "../../../src/engine/router/router.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { modelMeans } from "../outcomes/outcome-set.js";
import { sampleByHash } from "../outcomes/split.js";
import { type Attack, searchPrefix, vocabularyOf, WRITTEN_ATTACKS } from "../perturb/attacks.js";
import { routeTexts } from "../shipped/route-texts.js";
import { type Findings, type SeedContext, type SplitCosts, textsOf } from "./context.js";

/** Cost weight while it is attacked. */
export const ATTACKED_AT = 0.5;
/** Training prompts the attacker tries prefixes on, words of a prefix, and tries. */
const [TRIED_ON, WORDS, ROUNDS] = [64, 8, 200];
const VOCABULARY = 2000;

/** Choices at cost weight 0.5 with and without attacks; nothing where costs are not known. */
export async function measureAttacks(router: Router, context: SeedContext): Promise<Findings> {
  const { test, costs, signal } = context;
  if (costs === null) return {};
  const options = {
    models: test.models,
    candidates: costs.priced,
    costWeight: ATTACKED_AT,
    signal,
  };
  const searched = await search(router, { ...context, costs });
  const choices: Record<string, Int16Array> = {};
  const plain: Attack = { id: "none", before: "", after: "" };
  for (const { id, before, after } of [plain, ...WRITTEN_ATTACKS, searched]) {
    const texts = textsOf(test).map((text) => before + text + after);
    choices[`attack/${id}`] = (await routeTexts(router, texts, options)).selected;
  }
  return { choices };
}

/** The prefix that makes training prompts most expensive, by the mean cost of the models chosen. */
async function search(
  router: Router,
  { train, costs, seed, signal }: SeedContext & { readonly costs: SplitCosts },
): Promise<Attack> {
  const meanCosts = modelMeans({ ...train, quality: costs.train });
  const texts = textsOf(train);
  const tried = sampleByHash(train.prompts, TRIED_ON, "sextant-attack").map(
    (index) => texts[index] as string,
  );
  const options = { models: train.models, candidates: costs.priced, costWeight: ATTACKED_AT, signal };
  const spend = async (prefix: string): Promise<number> => {
    const { selected } = await routeTexts(
      router,
      tried.map((text) => prefix + text),
      options,
    );
    return selected.reduce((sum, model) => sum + (meanCosts[model] ?? 0), 0);
  };
  const sampled = sampleByHash(train.prompts, 500, "sextant-vocabulary").map(
    (index) => texts[index] as string,
  );
  return searchPrefix(spend, {
    vocabulary: vocabularyOf(sampled, VOCABULARY),
    random: seededRandom(seed),
    words: WORDS,
    rounds: ROUNDS,
  });
}
