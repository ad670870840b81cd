import { askedLength } from "./asked-length.js";
import { createLinearModel, type LinearWeights } from "./linear-model.js";
import { askedPartOf, createPromptFeatures, SURFACE_FEATURES } from "./prompt-features.js";
import type { WordStems } from "./word-stems.js";

/**
 * Weights of a linear model of the log length of visible answers, of the features `answerLengthFeatures(stems)`. The stems say what kind
 * of answer is asked for; `closed` is also looked for outside the asked part. Training and accuracy: docs/decisions/answer-lengths.md.
 */
export type AnswerLengthWeights = LinearWeights;

export interface AnswerLengthModel {
  /**
   * Mean length in `tokens`, > 0, of the visible answers of today's models to a prompt, from its text, its vector and its difficulty in
   * tiers (`DifficultyModel.estimate`), and whether the text asks for a length in so many words; some 10 µs for 50 tokens.
   */
  estimate(
    text: string,
    prompt: { readonly vector: Float32Array; readonly difficulty: number },
  ): { readonly tokens: number; readonly isAsked: boolean };
  /** What the estimate reads of a text, for a person: the kinds of request that it is taken for, and the length that it asks for. */
  read(text: string): AnswerLengthReading;
}

interface AnswerLengthReading {
  /** Groups of word stems, such as `code` or `summary`; none where nothing known is asked for. */
  readonly kinds: readonly string[];
  /** Tokens; null where the text says nothing of its answer's length. */
  readonly askedTokens: number | null;
}

/** Surface features of `createPromptFeatures` that the model does not use. */
const UNUSED: ReadonlySet<string> = new Set(["word_length", "uppercase", "is_cut", "asked_length"]);
const SURFACE = SURFACE_FEATURES.filter((name) => !UNUSED.has(name));

/** exp(s²/2) for the deviation s of logarithms of the lengths of answers to one prompt, .67 (everyday instructions, eleven models). */
const MEAN_OVER_MEDIAN = 1.25;
/** Medians are between these lengths, in tokens. */
const SHORTEST = 2;
const LONGEST = 8000;
/** Of a longer text, its two ends are searched for stems of the group `closed` and for an asked length. */
const HEAD_UNITS = 3000;
const TAIL_UNITS = 1500;
/** Where a prompt says how long the answer is to be, the logarithm of the length is this share of what it says (R² .75 there, slope .62). */
const SHARE_OF_ASKED = 0.75;
const LEAST_ASKED = 8;
/** Log of the length in characters at which products of features are 0. */
const MIDDLE_LOG = 5;

/** Names and values of the features of a text. */
export interface AnswerLengthFeatures {
  readonly names: readonly string[];
  of(text: string, difficulty: number): Float64Array;
}

/** Words up to which a prompt that only chats is small talk, and one that asks for a fact or has a number a small one, as log(1 + n). */
const MOST_SMALL_TALK = Math.log1p(8);

/** Surface features, difficulty, flags for each group of stems, small talk, and how editing and summarising scale with the material. */
export function answerLengthFeatures(stems: WordStems): AnswerLengthFeatures {
  const surface = createPromptFeatures(stems);
  const groups = Object.keys(stems);
  const firstGroup = surface.names.length - groups.length;
  const places = SURFACE.map((name) => surface.names.indexOf(name));
  const [edit, summary, chat, datum, length, material, words, numbers] = [
    firstGroup + groups.indexOf("edit"),
    firstGroup + groups.indexOf("summary"),
    firstGroup + groups.indexOf("chat"),
    firstGroup + groups.indexOf("datum"),
    surface.names.indexOf("length"),
    surface.names.indexOf("material"),
    surface.names.indexOf("words"),
    surface.names.indexOf("numbers"),
  ];
  const closed = patternOf(stems.closed ?? []);
  return {
    names: [
      ...SURFACE,
      "difficulty",
      ...groups.map((group) => `asks_${group}`),
      "edit_size",
      "summary_size",
      "closed_anywhere",
      "asks_nothing_known",
      "small_talk",
      "small_question",
      "small_sum",
    ],
    of(text, difficulty) {
      const found = surface.of(text);
      const values = new Float64Array(places.length + groups.length + 8);
      let at = 0;
      for (const place of places) values[at++] = found[place] as number;
      values[at++] = difficulty;
      let asks = 0;
      for (let group = firstGroup; group < found.length; group++) {
        const isAsked = (found[group] as number) > 0;
        if (isAsked) asks++;
        values[at++] = isAsked ? 1 : 0;
      }
      const size = Math.max(found[material] as number, found[length] as number) - MIDDLE_LOG;
      values[at++] = (found[edit] as number) > 0 ? size : 0;
      values[at++] = (found[summary] as number) > 0 ? size : 0;
      values[at++] = closed.test(bothEnds(text)) ? 1 : 0;
      values[at++] = asks === 0 ? 1 : 0;
      const chats = asks === 0 ? !text.includes("?") : asks === 1 && (found[chat] as number) > 0;
      const isSmall = (found[words] as number) <= MOST_SMALL_TALK;
      values[at++] = chats && isSmall ? 1 : 0;
      values[at++] = isSmall && (found[datum] as number) > 0 ? 1 : 0;
      values[at] = isSmall && (found[numbers] as number) > 0 ? 1 : 0;
      return values;
    },
  };
}

/** @throws RangeError when the weights are of other features than this version computes, or of another number of dimensions */
export function createAnswerLengthModel(weights: AnswerLengthWeights): AnswerLengthModel {
  const features = answerLengthFeatures(weights.stems);
  const model = createLinearModel(weights, features.names);
  const groups = Object.keys(weights.stems);
  const firstGroup = features.names.indexOf(`asks_${groups[0]}`);
  return {
    read(text) {
      const values = features.of(text, 0);
      const asked = askedTokens(text);
      return {
        kinds: groups.filter((_, group) => values[firstGroup + group] === 1),
        askedTokens: asked === 0 ? null : asked,
      };
    },
    estimate(text, { vector, difficulty }) {
      const log = model.ofFeatures(features.of(text, difficulty)) + model.ofVector(vector);
      const asked = withAskedLength(log, text);
      const tokens = MEAN_OVER_MEDIAN * Math.min(LONGEST, Math.max(SHORTEST, Math.exp(asked)));
      return { tokens, isAsked: asked !== log };
    },
  };
}

/** The logarithm of a length, moved to what the text asks for in so many words. */
export function withAskedLength(log: number, text: string): number {
  const asked = askedTokens(text);
  return asked === 0 ? log : log + SHARE_OF_ASKED * (Math.log(Math.max(asked, LEAST_ASKED)) - log);
}

const askedTokens = (text: string): number => askedLength(bothEnds(askedPartOf(text)));

const bothEnds = (text: string): string =>
  text.length <= HEAD_UNITS + TAIL_UNITS ? text : `${text.slice(0, HEAD_UNITS)} ${text.slice(-TAIL_UNITS)}`;

/** Finds any of the stems, in lower or upper case. */
const patternOf = (stems: readonly string[]): RegExp =>
  stems.length === 0
    ? /$^/
    : new RegExp(
        stems.map((stem) => stem.replace(/\$$/, "").replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"),
        "i",
      );

/** Lines that begin with the letter of an option: `A) …`, `(B) …`, `c. …`. */
const OPTION = /(?:^|\n)[^\S\n]*\(?[A-Ja-j][).:]\s*\S/g;
const FEWEST_OPTIONS = 3;

/** Whether a prompt offers options to choose from; the length of such answers is that of a letter, or of the harness that asked. */
export const isMultipleChoice = (text: string): boolean =>
  (bothEnds(text).match(OPTION)?.length ?? 0) >= FEWEST_OPTIONS;
