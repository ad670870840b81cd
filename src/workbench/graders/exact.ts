import { referencesOf } from "../prompts/prompt.js";
import { type LocalGrader, missingReference } from "./grader.js";

/**
 * A text as answers are compared: Unicode NFKC, lower case, white space collapsed, without quotes or Markdown emphasis around it
 * and without punctuation at its end.
 */
export function normalised(text: string): string {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/\s+/g, " ")
      .replace(/^[\s"'“”‘’*_`]+/, "")
      // The look behind keeps the time linear: it begins once in a run of such characters that is not at the end.
      .replace(/(?<![\s"'“”‘’*_`.!?;:,])[\s"'“”‘’*_`.!?;:,]+$/, "")
  );
}

/** 1 when the whole answer is one of the references, both `normalised`. */
export function exactGrader(): LocalGrader {
  return {
    kind: "local",
    name: "exact",
    problemWith: missingReference,
    grade: (graded) => {
      const answer = normalised(graded.answer);
      return referencesOf(graded).some((reference) => normalised(reference) === answer) ? 1 : 0;
    },
  };
}
