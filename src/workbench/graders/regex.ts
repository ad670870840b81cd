import { referencesOf, type WorkbenchPrompt } from "../prompts/prompt.js";
import { type LocalGrader, missingReference } from "./grader.js";
import { parsePattern } from "./match-regex.js";
import { checkTimeout, type MatchLimits, timedMatch } from "./timed-match.js";

export interface RegexOptions extends MatchLimits {
  /** `/…/flags`, or the expression alone. Default: the reference of each prompt is its expression. */
  readonly pattern?: string | undefined;
}

/**
 * Grades by a JavaScript regular expression. Without a pattern, 1 when the answer matches a reference, read as one. With a pattern, 1
 * when the answer matches it; where it has a group and the prompt has a reference, when the text of the first group in the last match
 * is the reference, as the exact grader compares.
 *
 * @throws WorkbenchError when the pattern is no regular expression, or the time limit is not valid
 */
export function regexGrader({ pattern, ...limits }: RegexOptions = {}): LocalGrader {
  checkTimeout(limits);
  if (pattern !== undefined) parsePattern(pattern);
  return {
    kind: "local",
    name: "regex",
    ...(pattern === undefined && { problemWith: badReference }),
    grade: (graded, { signal }) => {
      const { answer } = graded;
      const task = {
        kind: "regex",
        pattern: pattern ?? null,
        references: referencesOf(graded),
        answer,
      } as const;
      return timedMatch(task, { ...limits, signal });
    },
  };
}

function badReference(prompt: WorkbenchPrompt): string | undefined {
  const missing = missingReference(prompt);
  if (missing !== undefined) return missing;
  try {
    referencesOf(prompt).forEach(parsePattern);
    return undefined;
  } catch (error) {
    return `has a reference that is not a regular expression: ${error instanceof Error ? error.message : ""}`;
  }
}
