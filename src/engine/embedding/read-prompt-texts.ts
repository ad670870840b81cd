import type { CancelSignal } from "../../foundation/cancel-signal.js";
import { isAgentWork } from "../estimation/agent-work.js";
import { canonicalText } from "../estimation/canonical-text.js";
import { withoutCourtesy, withoutShortForm } from "../estimation/courtesy.js";
import { DIFFICULTY_TIERS } from "../estimation/difficulty-model.js";
import type { PromptFacts } from "../estimation/evidence.js";
import { askedPartOf } from "../estimation/prompt-features.js";
import type { Embedder } from "./embedder.js";

/** What is read of a prompt. Builders of profiles and the router read prompts alike. */
export interface ReadPromptText {
  /** In canonical characters, without courtesy. */
  readonly text: string;
  /**
   * Unit length, or all zeros: of the text and of what it asks, in equal parts. What two prompts ask then counts beside the
   * material that they share, such as an issue that one asks to fix and the other to test (docs/decisions/reading-prompts.md).
   */
  readonly vector: Float32Array;
  /** As far as the embedder has models for them. */
  readonly facts: PromptFacts;
}

/** Reads prompts, in order, each distinct one once. Rejects with the signal's reason when it is aborted before all is done. */
export async function readPromptTexts(
  embedder: Pick<Embedder, "embed" | "difficulty" | "answerLength">,
  texts: readonly string[],
  options?: { readonly signal?: CancelSignal | undefined },
): Promise<ReadPromptText[]> {
  const distinct = texts.length === 1 ? texts : [...new Set(texts)];
  if (distinct.length < texts.length) {
    const read = await readPromptTexts(embedder, distinct, options);
    const byText = new Map(distinct.map((text, at) => [text, read[at] as ReadPromptText]));
    return texts.map((text) => byText.get(text) as ReadPromptText);
  }
  const prompts = texts.map((raw) => {
    const sent = canonicalText(raw);
    const text = withoutCourtesy(sent);
    const plain = withoutShortForm(text);
    return { text, plain, asked: askedPartOf(plain), isTask: isAgentWork(sent) };
  });
  const apart = prompts.filter(({ plain, asked }) => asked !== plain);
  const vectors = await embedder.embed(
    [...prompts.map(({ plain }) => plain), ...apart.map(({ asked }) => asked)],
    options,
  );
  let nextAsked = prompts.length;
  return prompts.map(({ asked, ...prompt }, at) => {
    const whole = vectors[at] as Float32Array;
    const vector = asked === prompt.plain ? whole : unitSum(whole, vectors[nextAsked++] as Float32Array);
    return { text: prompt.text, vector, facts: factsOf(embedder, { ...prompt, vector: whole }) };
  });
}

function unitSum(a: Float32Array, b: Float32Array): Float32Array {
  const sum = a.map((value, at) => value + (b[at] as number));
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
  return length === 0 ? a : sum.map((value) => value / length);
}

interface PromptParts {
  /** Without courtesy. */
  readonly text: string;
  /** Without how short the answer is to be, too. */
  readonly plain: string;
  readonly isTask: boolean;
  readonly vector: Float32Array;
}

function factsOf(
  { difficulty, answerLength }: Pick<Embedder, "difficulty" | "answerLength">,
  { text, plain, isTask, vector }: PromptParts,
): PromptFacts {
  const read = difficulty?.estimate(plain, vector);
  const tier =
    read === undefined || !isTask ? read : Math.min(DIFFICULTY_TIERS.expert, read + TIERS_OF_AGENT_WORK);
  const answer = answerLength?.estimate(text, { vector, difficulty: tier ?? MIDDLE_TIER });
  return {
    ...(tier === undefined ? {} : { difficulty: tier }),
    ...(answer === undefined ? {} : { answerTokens: answer.tokens, lengthIsAsked: answer.isAsked }),
    ...(isTask ? { isAgentWork: true } : {}),
  };
}

const MIDDLE_TIER = 2;
/** What an agent's task is harder by than its text: 675 issues and 202 others of public sources, beside 20 sources without. */
const TIERS_OF_AGENT_WORK = 1;
