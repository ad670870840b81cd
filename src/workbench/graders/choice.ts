import { referencesOf, type WorkbenchPrompt } from "../prompts/prompt.js";
import { announced, boxed } from "./final-answer.js";
import { type LocalGrader, missingReference } from "./grader.js";

/** An option on its own: `B`, `(B)`, `B.`, `**B**`, `\text{B}`, with or without its text behind it. */
const OPTION = String.raw`(?:\\text\w*\{)?[*_"'(\[]*(?<letter>[A-Za-z])(?:[)\].:,}*_"']|\s*$|\s*[-–—])`;
const AT_START = new RegExp(`^(?:option|choice)?\\s*${OPTION}`, "i");
/** A letter that stands alone in a sentence: in brackets, or a capital one that is no English word. */
const IN_TEXT = /\(([A-Za-z])\)|(?<![\w'’-])([B-HJ-Z])(?![\w'’-])/g;

/**
 * 1 when the answer chooses the option of a reference, a letter. The choice of an answer is that in its last `\boxed{}`, else behind
 * "answer is" or "answer:", else the letter that the answer begins with or consists of, else the last one in brackets or standing
 * alone. "(B)", "B.", "**B**", "The answer is B" and "\boxed{\text{B}}" are the same.
 */
export function choiceGrader(): LocalGrader {
  return {
    kind: "local",
    name: "choice",
    problemWith: (prompt) => missingReference(prompt) ?? noLetter(prompt),
    grade: (graded) => {
      const chosen = chosenLetter(graded.answer);
      if (chosen === undefined) return 0;
      return referencesOf(graded).some((reference) => chosenLetter(reference) === chosen) ? 1 : 0;
    },
  };
}

function noLetter(prompt: WorkbenchPrompt): string | undefined {
  const wrong = referencesOf(prompt).find((reference) => AT_START.exec(reference.trim()) === null);
  if (wrong === undefined) return undefined;
  return "has a reference that is not the letter of an option, such as B; correct it, or use the grader exact";
}

/** The letter that an answer chooses, as a capital; undefined when it chooses none. */
function chosenLetter(text: string): string | undefined {
  for (const part of [boxed(text), announced(text), text]) {
    const letter = part === undefined ? undefined : AT_START.exec(part.trim())?.groups?.letter;
    if (letter !== undefined) return letter.toUpperCase();
  }
  const standing = [...text.matchAll(IN_TEXT)].at(-1);
  return (standing?.[1] ?? standing?.[2])?.toUpperCase();
}
