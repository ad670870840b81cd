import { WorkbenchError } from "../workbench-error.js";
import { normalised } from "./exact.js";
import type { RegexTask } from "./timed-match.js";

/** See `regexGrader`; may take for ever. @throws WorkbenchError when a pattern is no regular expression */
export function matchRegex({ pattern, references, answer }: RegexTask): number {
  if (pattern === null) return references.some((reference) => parsePattern(reference).test(answer)) ? 1 : 0;
  const expression = parsePattern(pattern);
  const matches = new RegExp(expression, `${expression.flags.replace("g", "")}g`);
  const last = [...answer.matchAll(matches)].at(-1);
  if (last === undefined) return 0;
  const [, group] = last;
  if (group === undefined || references.length === 0) return 1;
  return references.some((reference) => normalised(reference) === normalised(group)) ? 1 : 0;
}

/** Reads `/…/flags`, or the expression alone. @throws WorkbenchError when it is no regular expression */
export function parsePattern(pattern: string): RegExp {
  const [, source = pattern, flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(pattern) ?? [];
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new WorkbenchError(`the pattern ${JSON.stringify(pattern)} cannot be used: ${detail}`, { cause });
  }
}
