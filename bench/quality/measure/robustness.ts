import type { Router } from "../../../src/engine/router/router.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { addPoliteness, changeCase, mistypeLetters, mistypeWords } from "../perturb/rewordings.js";
import { OWN_REQUESTS, TRANSLATIONS } from "../perturb/translations.js";
import { routeTexts } from "../shipped/route-texts.js";
import { type Findings, type SeedContext, textsOf } from "./context.js";

/** Letters, or words, that are mistyped. */
const TYPO_SHARE = 0.05;

/** Changes of a prompt that keep its question; `number` counts the prompts. */
const CHANGES: Readonly<Record<string, (text: string, number: number, random: () => number) => string>> = {
  typos_letters: (text, _, random) => mistypeLetters(text, { share: TYPO_SHARE, random }),
  typos_words: (text, _, random) => mistypeWords(text, { share: TYPO_SHARE, random }),
  case: (text, number) => changeCase(text, number),
  politeness: (text, number) => addPoliteness(text, number),
};

export const CHANGE_NAMES: readonly string[] = Object.keys(CHANGES);

/** Choices at cost weight 0 for the test prompts changed in each way, and for requests of our own in other languages. */
export async function measureRobustness(router: Router, context: SeedContext): Promise<Findings> {
  const { test, seed, signal } = context;
  const options = { models: test.models, costWeight: 0, signal };
  const texts = textsOf(test);
  const choices: Record<string, Int16Array> = {};
  for (const [name, change] of Object.entries(CHANGES)) {
    const random = seededRandom(seed);
    const changed = texts.map((text, number) => change(text, number, random));
    choices[`changed/${name}`] = (await routeTexts(router, changed, options)).selected;
  }
  const english = (await routeTexts(router, OWN_REQUESTS, options)).selected;
  const numbers: Record<string, number> = {};
  for (const [language, translated] of Object.entries(TRANSLATIONS)) {
    const { selected } = await routeTexts(router, translated, options);
    const kept = selected.filter((model, index) => model === english[index]).length;
    numbers[`language/${language}`] = kept / selected.length;
  }
  return { choices, numbers };
}
