import {
  checkProfile,
  covariatesOf,
  createExactIndex,
  decodeModelProfile,
  encodeModelProfile,
  modelFile,
  ProfileFault,
  shapeOf,
} from "../../engine/index.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import type { AnchorIndex } from "../../engine/search/anchor-index.js";
import { groupBy } from "../../foundation/group-by.js";
import type { NamedTest } from "../fitting/abilities-file.js";
import { logOddsOf } from "../fitting/joint-evidence.js";
import { profileOf } from "../fitting/model-profiles.js";
import { predecessorOf, type Raise, raiseOf } from "../fitting/succession.js";
import { WorkbenchError } from "../workbench-error.js";
import { describeNewModel, type GivenFacts, known } from "./describe-new-model.js";
import type { GivenAnswers, GivenScore } from "./given-evidence.js";
import {
  answersOfMean,
  answersOnAnchors,
  answersOnOwnPrompts,
  type OwnAnswer,
  type OwnPromptOptions,
} from "./own-prompts.js";
import {
  type GradedAnswers,
  joinAnswers,
  type Placement,
  placeByEvidence,
  type ScoreObservation,
} from "./place-by-evidence.js";
import { meanOverTypical, placeLengths } from "./place-lengths.js";
import type { PlaceableSet } from "./placeable-set.js";
import { didYouMean } from "./profile-files.js";

export interface GivenModel {
  readonly model: string;
  readonly scores: readonly GivenScore[];
  readonly outcomes: GivenAnswers["outcomes"];
  /** Embedded answers to prompts outside the set. */
  readonly own: readonly OwnAnswer[];
  readonly facts: GivenFacts;
}

export interface PlacedModel {
  readonly profile: ModelProfile;
  /** Content of the profile's file; deterministic. */
  readonly bytes: Uint8Array;
  /** Number of models of the set with a higher expected quality overall. */
  readonly betterModels: number;
  /** Answers to other prompts that were not used, because no anchor is similar. */
  readonly ownLeftOut: number;
}

/**
 * Places a model that was not part of the build among the models of a set.
 *
 * @throws WorkbenchError naming a benchmark or model that the set does not know, or a figure that no set can hold
 */
export function placeNewModel(set: PlaceableSet, given: GivenModel): PlacedModel {
  const like = likeOf(set, given.facts);
  const description = describeNewModel(given.model, { abilities: set.abilities, given: given.facts });
  const facts = {
    family: description.family,
    base: description.base,
    covariates: covariatesOf(given.model, description),
  };
  const published = splitScores(set, given.scores);
  const own = answersOnOwnPrompts(given.own, ownPromptOptions(set, createExactIndex(set.vectors)));
  const answers = joinAnswers([
    answersOnAnchors(given.outcomes, easeOf(set)),
    own.answers,
    ...published.means,
  ]);
  const placement = placeByEvidence(set.abilities, { scores: published.observations, answers, facts });
  const thinkingOfLike = like && describeNewModel(like.facts.model, { ...set, given: {} }).thinking;
  const lengths = placeLengths({
    set,
    outcomes: given.outcomes,
    description,
    like: like && { profile: like, thinking: thinkingOfLike ?? null },
  });
  const before = predecessorOf(description, (name) => known(name, set.abilities));
  const evidence = { given, placement, lengths, like, ownCount: own.answers.score.length };
  const at = (raised?: Raise) => profileFrom(set, { ...evidence, raised });
  const others = set.profiles
    .map(({ profile: { facts } }) => facts)
    .filter(({ model }) => model !== given.model);
  const predecessor = others.find(({ model }) => model === before);
  const profile = at(raiseOf((raised) => at(raised).facts, predecessor));
  const bytes = encodeModelProfile(profile);
  requireLoadable(bytes, { set, model: given.model });
  return {
    profile,
    bytes,
    ownLeftOut: own.leftOut,
    betterModels: others.filter(({ overall_quality: quality }) => quality > profile.facts.overall_quality)
      .length,
  };
}

/** What the loader would refuse is never written: it would stop every use of the set. */
function requireLoadable(
  bytes: Uint8Array,
  { set: { manifest }, model }: { readonly set: PlaceableSet; readonly model: string },
): void {
  const path = modelFile(model);
  try {
    checkProfile(decodeModelProfile(bytes, path), shapeOf(manifest), path);
  } catch (cause) {
    if (!(cause instanceof ProfileFault)) throw cause;
    throw new WorkbenchError(
      `"${model}" cannot be placed by what is given: ${cause.fault}. Check its scores, date and price.`,
      { cause },
    );
  }
}

const easeOf = ({ facts }: PlaceableSet) => ({ topicOf: facts.topic, ease: facts.level_quality });

function likeOf({ profiles, manifest }: PlaceableSet, { like }: GivenFacts): ModelProfile | undefined {
  if (like === undefined) return undefined;
  const found = profiles.find(({ profile }) => profile.facts.model === like);
  if (found !== undefined) return found.profile;
  const names = profiles.map(({ profile }) => profile.facts.model);
  throw new WorkbenchError(
    `\`like\` is "${like}", which is not a model of set "${manifest.name}"${didYouMean(like, names) || "; name one of `sextant profile inspect`"}.`,
  );
}

/** Scores on benchmarks that the set knows by published scores, and means over topics and benchmarks of its own anchors. */
function splitScores(
  set: PlaceableSet,
  scores: readonly GivenScore[],
): { readonly observations: readonly ScoreObservation[]; readonly means: readonly GradedAnswers[] } {
  const observations: ScoreObservation[] = [];
  const means: GradedAnswers[] = [];
  const tests = new Map<string, NamedTest>(set.abilities.benchmarks.map((test) => [test.name, test]));
  for (const [benchmark, given] of groupBy(scores, (score) => score.benchmark)) {
    const mean = given.reduce((sum, { score }) => sum + score, 0) / given.length;
    const test = tests.get(benchmark);
    if (test === undefined) means.push(answersOfMean(anchorsOf(set, benchmark), { ...easeOf(set), mean }));
    else observations.push({ test, value: logOddsOf(mean) });
  }
  return { observations, means };
}

/** The anchors of a topic or benchmark of the set. */
function anchorsOf({ table, abilities, manifest }: PlaceableSet, name: string): Uint32Array {
  const topic = table.topics.indexOf(name);
  const benchmark = table.benchmarks.indexOf(name);
  if (topic < 0 && benchmark < 0) {
    throw new WorkbenchError(unknownBenchmark(name, { table, abilities, manifest }));
  }
  const [of, wanted] = topic >= 0 ? [table.topicOf, topic] : [table.benchmarkOf, benchmark];
  const found: number[] = [];
  of.forEach((group, anchor) => {
    if (group === wanted) found.push(anchor);
  });
  return Uint32Array.from(found);
}

const MOST_NAMES_SHOWN = 12;

function unknownBenchmark(
  name: string,
  { table, abilities, manifest }: Pick<PlaceableSet, "table" | "abilities" | "manifest">,
): string {
  const known = [...new Set([...abilities.benchmarks.map((test) => test.name), ...table.benchmarks])];
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const related = known.filter((candidate) => words.some((word) => candidate.toLowerCase().includes(word)));
  const shown = related.length > 0 ? related : known;
  const more = shown.length > MOST_NAMES_SHOWN ? ` and ${shown.length - MOST_NAMES_SHOWN} more` : "";
  const hint =
    didYouMean(name, [...known, ...table.topics]) ||
    `; leave it out, or name one such as ${shown.slice(0, MOST_NAMES_SHOWN).join(", ")}${more}`;
  return `"${name}" is no benchmark that set "${manifest.name}" knows${hint}.`;
}

/** How prompts outside the set are related to its anchors. @param index over the set's vectors */
export function ownPromptOptions(set: PlaceableSet, index: AnchorIndex): OwnPromptOptions {
  const { parameters } = set.manifest;
  return {
    ...easeOf(set),
    index,
    neighbours: parameters.neighbours,
    kernelWidth: parameters.kernel_width,
    leastSimilarity: parameters.out_of_distribution_similarity,
  };
}

interface NewProfile {
  readonly given: GivenModel;
  readonly placement: Placement;
  readonly lengths: ReturnType<typeof placeLengths>;
  readonly like: ModelProfile | undefined;
  readonly ownCount: number;
  readonly raised: Raise | undefined;
}

function profileFrom(
  set: PlaceableSet,
  { given, placement, lengths, like, ownCount, raised }: NewProfile,
): ModelProfile {
  const profile = profileOf(
    { ...given.outcomes, originalNames: [given.model] },
    {
      input: { table: set.table },
      joint: {
        ...placement,
        ease: set.facts.level_quality,
        averageSkill: set.abilities.averageSkill,
        factors: {
          tests: set.abilities.topics,
          prior: set.abilities.prior,
          posteriors: [placement.posterior],
        },
      },
      lengths,
      column: 0,
      published: given.scores.map((score) => ({
        ...score,
        model: given.model,
        released: null,
        outputUsdPerMtok: null,
      })),
      anchorsSha256: set.anchorsSha256,
      raised,
    },
  );
  const { bill } = profile.facts;
  // Without bills of its own, the factor from typical ones to their mean is that of others.
  const correction =
    profile.bill?.codes === undefined
      ? meanOverTypical(
          set.profiles.map((known) => known.profile),
          like,
        )
      : 1;
  return {
    ...profile,
    facts: {
      ...profile.facts,
      placed_variance: placedVariance(placement, profile),
      ...(ownCount === 0 ? {} : { own_answers: ownCount }),
      ...(bill === undefined ? {} : { bill: { ...bill, correction } }),
    },
  };
}

/** Mean variance of the skills on topics without scored anchors, which means and other answers may also inform. */
function placedVariance({ skillVariance }: Placement, { table, facts }: ModelProfile): number {
  const unseen = skillVariance.filter((_, topic) => table.coverage[topic] === 0);
  if (unseen.length === 0) return facts.placed_variance;
  return unseen.reduce((sum, value) => sum + value, 0) / unseen.length;
}
