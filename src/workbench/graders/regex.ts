import { referencesOf, type WorkbenchPrompt } from "../prompts/prompt.js";
import { WorkbenchError } from "../workbench-error.js";
import { normalised } from "./exact.js";
import { type LocalGrader, missingReference } from "./grader.js";

export interface RegexOptions {
  /** `/…/flags`, or the expression alone. Default: the reference of each prompt is its expression. */
  readonly pattern?: string | undefined;
}

/**
 * Grades by a JavaScript regular expression. Without a pattern, 1 when the answer matches a reference, read as one. With a pattern, 1
 * when the answer matches it; where it has a group and the prompt has a reference, when the text of the first group in the last match
 * is the reference, as the exact grader compares.
 *
 * @throws WorkbenchError when the pattern is no regular expression
 */
export function regexGrader({ pattern }: RegexOptions = {}): LocalGrader {
  if (pattern === undefined) return referencePatterns();
  const expression = parsePattern(pattern);
  const matches = new RegExp(expression, `${expression.flags.replace("g", "")}g`);
  return {
    kind: "local",
    name: "regex",
    grade: (graded) => {
      const last = [...graded.answer.matchAll(matches)].at(-1);
      if (last === undefined) return 0;
      const [, group] = last;
      const references = referencesOf(graded);
      if (group === undefined || references.length === 0) return 1;
      return references.some((reference) => normalised(reference) === normalised(group)) ? 1 : 0;
    },
  };
}

function referencePatterns(): LocalGrader {
  return {
    kind: "local",
    name: "regex",
    problemWith: (prompt) => missingReference(prompt) ?? badReference(prompt),
    grade: (graded) =>
      referencesOf(graded).some((reference) => parsePattern(reference).test(graded.answer)) ? 1 : 0,
  };
}

function badReference(prompt: WorkbenchPrompt): string | undefined {
  try {
    referencesOf(prompt).forEach(parsePattern);
    return undefined;
  } catch (error) {
    return `has a reference that is no regular expression: ${error instanceof Error ? error.message : ""}`;
  }
}

function parsePattern(pattern: string): RegExp {
  const [, source = pattern, flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new WorkbenchError(`the pattern ${JSON.stringify(pattern)} cannot be used: ${detail}`, { cause });
  }
}
