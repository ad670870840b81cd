import { searchWords, vocabularyOf } from "../../bench/quality/perturb/attacks.js";
import type { Decision, RouteRequest } from "../../src/engine/router/decision.js";
import type { Router } from "../../src/engine/router/router.js";
import type { ConversationMessage } from "../../src/engine/router/routing-text.js";
import { seededRandom } from "../../src/foundation/random.js";
import {
  type Attack,
  POSITIONS,
  type Position,
  searchedAttack,
  TOWARD,
  type Toward,
  WRITTEN,
} from "./attacks.js";
import { COMPETITION_MATHS, HARD_CODE, SMALL_TALK } from "./texts.js";

/** The router that is attacked, at one cost weight. */
export interface Target {
  readonly router: Router;
  readonly canRun: (model: string) => boolean;
  readonly costWeight: number;
}

/** What an attack changed for one prompt. */
export interface AttackedDecision {
  readonly prompt: string;
  /** Model without and with the attack. */
  readonly before: string;
  readonly after: string;
  /** Expected cost of both for the prompt without the attack, in dollars. */
  readonly usdBefore: number;
  readonly usdAfter: number;
  /** Expected cost of the request with the attack, its own tokens included. */
  readonly usdWithText: number;
  /** Expected quality of both models for the prompt without the attack. */
  readonly qualityBefore: number;
  readonly qualityAfter: number;
}

export interface AttackFinding {
  readonly attack: Attack;
  readonly costWeight: number;
  /** The text that was searched for. */
  readonly found: string | undefined;
  readonly decisions: readonly AttackedDecision[];
}

export interface SearchEffort {
  /** Words of a searched text, and changes tried. */
  readonly words: number;
  readonly rounds: number;
  /** Prompts on which each is tried. */
  readonly prompts: number;
}

const VOCABULARY = 3000;

/** All attacks on the held-out prompts at the target's cost weight, searched ones last. */
export async function measureAttacks(
  target: Target,
  {
    train,
    heldOut,
    effort,
    seed,
  }: {
    readonly train: readonly string[];
    readonly heldOut: readonly string[];
    readonly effort: SearchEffort;
    readonly seed: number;
  },
): Promise<AttackFinding[]> {
  const { costWeight } = target;
  const plain = await decideAll(target, heldOut.map(asked));
  const findings: AttackFinding[] = [];
  const measure = async (attack: Attack, found?: string): Promise<void> => {
    const random = seededRandom(seed);
    const attacked = await decideAll(
      target,
      heldOut.map((text) => attack.apply(text, random)),
    );
    const decisions = heldOut.map((prompt, index) =>
      compareDecisions(prompt, plain[index] as Decision, attacked[index] as Decision),
    );
    findings.push({ attack, costWeight, found, decisions });
  };
  for (const attack of WRITTEN) await measure(attack);
  for (const toward of TOWARD)
    for (const position of POSITIONS) {
      const found = await searchText(target, { train, effort, seed, toward, position });
      await measure(searchedAttack(found, { toward, position }), found);
    }
  return findings;
}

const asked = (content: string): readonly ConversationMessage[] => [{ role: "user", content }];

function decideAll(
  { router, canRun, costWeight }: Target,
  conversations: readonly (readonly ConversationMessage[])[],
): Promise<Decision[]> {
  return router.routeMany(conversations.map((messages): RouteRequest => ({ messages, costWeight, canRun })));
}

/** Cost and quality of the chosen models as expected for the prompt itself, so that what the attack adds is not counted. */
export function compareDecisions(prompt: string, plain: Decision, attacked: Decision): AttackedDecision {
  const expected = (model: string) => {
    const candidate = plain.candidates.find((known) => known.model === model);
    if (candidate === undefined)
      throw new Error(`${model} is chosen under attack but was no candidate before.`);
    return candidate;
  };
  const [before, after] = [expected(plain.selectedModel), expected(attacked.selectedModel)];
  return {
    prompt,
    ...{ before: before.model, after: after.model },
    ...{ usdBefore: before.expectedCostUsd ?? 0, usdAfter: after.expectedCostUsd ?? 0 },
    usdWithText: attacked.expectedCostUsd ?? 0,
    ...{ qualityBefore: before.expectedQuality, qualityAfter: after.expectedQuality },
  };
}

interface SearchGoal {
  readonly train: readonly string[];
  readonly effort: SearchEffort;
  readonly seed: number;
  readonly toward: Toward;
  readonly position: Position;
}

/** Words that make the training prompts most expensive, or cheapest, by the expected cost of the chosen models. */
async function searchText(
  target: Target,
  { train, effort, seed, toward, position }: SearchGoal,
): Promise<string> {
  const tried = train.slice(0, effort.prompts);
  const plain = await decideAll(target, tried.map(asked));
  const sign = toward === "expensive" ? 1 : -1;
  const scoreOf = async (words: string): Promise<number> => {
    const { apply } = searchedAttack(words, { toward, position });
    const attacked = await decideAll(
      target,
      tried.map((text) => apply(text, () => 0)),
    );
    const spent = tried.map(
      (text, index) => compareDecisions(text, plain[index] as Decision, attacked[index] as Decision).usdAfter,
    );
    return sign * spent.reduce((sum, usd) => sum + usd, 0);
  };
  return searchWords(scoreOf, {
    vocabulary: vocabularyOf([COMPETITION_MATHS, HARD_CODE, SMALL_TALK, ...train], VOCABULARY),
    random: seededRandom(seed),
    words: effort.words,
    rounds: effort.rounds,
  });
}
