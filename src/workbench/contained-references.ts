import { choiceGrader } from "./graders/choice.js";
import { normalised } from "./graders/exact.js";
import type { Grader, LocalGrader } from "./graders/grader.js";
import { numberGrader } from "./graders/number.js";
import type { GradedRow } from "./grading.js";
import { referencesOf, type WorkbenchPrompt } from "./prompts/prompt.js";

/** Answers that the exact grader gave 0 although they contain their reference: probably right ones, in sentences. */
export interface ContainedReferences {
  /** Answers with score 0. */
  readonly zeros: number;
  /** Of these, those that contain a reference as a word or several; at least 1. */
  readonly containing: number;
  /** What would grade them: `number` or `choice` when these references are numbers or letters, and the grader takes those of all prompts. */
  readonly suggestion: "number" | "choice" | "regex";
}

interface Collected {
  readonly grader: Pick<Grader, "name">;
  /** All prompts of the collection. */
  readonly prompts: readonly WorkbenchPrompt[];
}

/** Null for other graders than the exact one, and when there are none. */
export function containedReferences(
  graded: readonly GradedRow[],
  { grader, prompts }: Collected,
): ContainedReferences | null {
  if (grader.name !== "exact") return null;
  const zeros = graded.filter(({ score }) => score === 0);
  const found = zeros.flatMap(({ prompt, entry }) => {
    const answer = normalised(entry.answer);
    const reference = referencesOf(prompt)
      .map(normalised)
      .find((one) => containsWords(answer, one));
    return reference === undefined ? [] : [reference];
  });
  if (found.length === 0) return null;
  const fits = (pattern: RegExp, other: LocalGrader) =>
    found.every((reference) => pattern.test(reference)) &&
    prompts.every((prompt) => other.problemWith?.(prompt) === undefined);
  const suggestion = fits(/^[-+$€£]?\d[\d.,\s]*%?$/, numberGrader())
    ? "number"
    : fits(/^\(?[a-z]\)?$/, choiceGrader())
      ? "choice"
      : "regex";
  return { zeros: zeros.length, containing: found.length, suggestion };
}

/** Both normalised. Not within a word: "no" is not in "know". */
function containsWords(text: string, words: string): boolean {
  if (words === "") return false;
  const isLetter = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + words.length])) return true;
  }
  return false;
}
