import { referencesOf, type WorkbenchPrompt } from "../prompts/prompt.js";
import { type LocalGrader, missingReference } from "./grader.js";
import { compileSchema } from "./match-schema.js";
import { checkTimeout, type MatchLimits, timedMatch } from "./timed-match.js";

export interface JsonSchemaOptions extends MatchLimits {
  /** Default: the reference of each prompt is its schema. */
  readonly schema?: unknown;
}

/**
 * 1 when the answer is JSON that a JSON Schema (draft 7, or 2020-12 where `$schema` says so) accepts. JSON in a fenced block counts when
 * the answer has one such block.
 *
 * @throws WorkbenchError when the schema or the time limit cannot be used
 */
export function jsonSchemaGrader({ schema, ...limits }: JsonSchemaOptions = {}): LocalGrader {
  checkTimeout(limits);
  const own = schema === undefined ? undefined : (JSON.stringify(schema) ?? "");
  if (own !== undefined) compileSchema(own);
  return {
    kind: "local",
    name: "json-schema",
    ...(own === undefined && { problemWith: badSchema }),
    grade: (graded, { signal }) => {
      const schemas = own === undefined ? referencesOf(graded) : [own];
      return timedMatch({ kind: "json-schema", schemas, answer: graded.answer }, { ...limits, signal });
    },
  };
}

function badSchema(prompt: WorkbenchPrompt): string | undefined {
  const missing = missingReference(prompt);
  if (missing !== undefined) return missing;
  try {
    referencesOf(prompt).forEach(compileSchema);
    return undefined;
  } catch (error) {
    return `has a reference that is not a schema: ${error instanceof Error ? error.message : ""}`;
  }
}
