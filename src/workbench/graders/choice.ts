import { referencesOf, type WorkbenchPrompt } from "../prompts/prompt.js";
import { type LocalGrader, missingReference } from "./grader.js";
import { announced, boxed } from "./number.js";

/** Behind the letter of an option. An apostrophe is a closing quote, or an "is" ("B's right"), and not that of "I'd". */
const BEHIND = String.raw`(?=[)\].:,;!?}*_"]|'(?![A-Za-z])|['’]s\b|\s*$|\s*[-–—])`;
/** An option on its own: `B`, `(B)`, `B.`, `**B**`, `\text{B}`, with or without its text behind it. */
const OPTION = String.raw`(?:\\text\w*\{)?[*_"'(\[]*(?<letter>[A-Za-z])${BEHIND}`;
/** Not "I, for one," nor "I's", nor a list such as "A, B and C are wrong". */
const NO_OPTION = String.raw`(?![*_"']*(?:I,|I['’]s|(?:[A-Z],\s*)+(?:and\s+|or\s+)?[A-Z]\b))`;
const AT_START = new RegExp(`^(?:(?:option|choice|answer|letter)\\s+)?${NO_OPTION}${OPTION}`, "i");

const CHOOSING = [
  "choose|choosing|chose|pick|picking|picked|select|selecting|selected|prefer|guess|say|opt for|favou?r",
  "go with|go for|going with|going for|went with|settle on|lean towards?|vote for",
  "it is|it's|it’s|is|be|was|option|choice|letter|answer",
].join("|");
/** What a sentence says that it chooses: "I'd go with C", "I'm sure it's option (D)". A capital letter, or one in brackets. */
const CHOSEN = new RegExp(
  String.raw`(?<!\b(?:not|never|nor)\s|n['’]t\s)\b(?:${CHOOSING})[*_:\s]+(?:(?:option|choice|answer|letter)[*_:\s]+)?["'“‘*_]*(?:\((?<bracketed>[A-Za-z])\)|(?:(?<letter>[A-HJ-Z])(?![\w’'-])|(?<=\s)(?<last>I)(?=[.,;!?)*_"”]|\s*$)))`,
  "g",
);
/** A letter that stands alone: in brackets, or a capital one that is no English word. */
const STANDING =
  /(?<negated>\b(?:not|never|nor)\s|n['’]t\s)?(?:\((?<bracketed>[A-Za-z])\)|(?<![\w'’-])(?:(?<letter>[B-HJ-Z])(?:(?![\w'’-])|(?=['’]s\b))|(?<first>A)(?=[).:,;!?*"”]|\s*$|['’]s\b)))/g;

/**
 * 1 when the answer chooses the option of a reference, a letter. The choice of an answer is that in its last `\boxed{}`, else behind
 * "answer is" or "answer:", else the letter that the answer begins with or consists of, else the last one that a verb chooses ("I'd go
 * with C"), else the last one in brackets or standing alone. "(B)", "B.", "**B**", "The answer is B" and "\boxed{\text{B}}" are the same.
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
  const wrong = referencesOf(prompt).find((reference) => letterAtStart(reference) === undefined);
  if (wrong === undefined) return undefined;
  return "has a reference that is not the letter of an option, such as B; correct it, or use the grader exact";
}

/** The letter that an answer chooses, as a capital; undefined when it chooses none. */
function chosenLetter(text: string): string | undefined {
  const [box, end] = [boxed(text), announced(text)];
  return (
    letterAtStart(box) ??
    letterAtStart(end) ??
    onlyLetter(end) ??
    letterAtStart(text) ??
    letters(text, CHOSEN).at(-1) ??
    letters(text, STANDING).at(-1)
  );
}

const letterAtStart = (text = ""): string | undefined =>
  AT_START.exec(text.trim())?.groups?.letter?.toUpperCase();

/** Of what is announced as the answer in more words: "definitely B, not C". */
function onlyLetter(text = ""): string | undefined {
  const [found, ...others] = new Set(letters(text, STANDING));
  return others.length === 0 ? found : undefined;
}

/** Letters that are named, as capitals, in order; those that are denied left out. */
function letters(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }) => {
    const { negated, bracketed, letter, first, last } = groups;
    const found = bracketed ?? letter ?? first ?? last;
    return found === undefined || negated !== undefined ? [] : [found.toUpperCase()];
  });
}
