import { Ajv, type AnySchema, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { referencesOf, type WorkbenchPrompt } from "../prompts/prompt.js";
import { WorkbenchError } from "../workbench-error.js";
import { type LocalGrader, missingReference } from "./grader.js";

export interface JsonSchemaOptions {
  /** Default: the reference of each prompt is its schema. */
  readonly schema?: unknown;
}

/**
 * 1 when the answer is JSON that a JSON Schema (draft 7, or 2020-12 where `$schema` says so) accepts. JSON in a fenced block counts when
 * the answer has one such block.
 *
 * @throws WorkbenchError when the schema cannot be used
 */
export function jsonSchemaGrader({ schema }: JsonSchemaOptions = {}): LocalGrader {
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (reference: string): ValidateFunction => {
    const known = compiled.get(reference) ?? compile(parsed(reference));
    compiled.set(reference, known);
    return known;
  };
  if (schema === undefined) {
    return {
      kind: "local",
      name: "json-schema",
      problemWith: (prompt) => missingReference(prompt) ?? badSchema(prompt, validatorOf),
      grade: (graded) =>
        referencesOf(graded).some((reference) => accepts(validatorOf(reference), graded.answer)) ? 1 : 0,
    };
  }
  const validate = compile(schema);
  return {
    kind: "local",
    name: "json-schema",
    grade: ({ answer }) => (accepts(validate, answer) ? 1 : 0),
  };
}

function compile(schema: unknown): ValidateFunction {
  const is2020 = JSON.stringify(schema)?.includes("json-schema.org/draft/2020-12") ?? false;
  const options = { strict: false, logger: false } as const;
  const ajv = is2020 ? new Ajv2020(options) : new Ajv(options);
  try {
    ajvFormats.default(ajv);
    return ajv.compile(schema as AnySchema);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new WorkbenchError(`the JSON schema cannot be used: ${detail}`, { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new WorkbenchError("the JSON schema is not JSON", { cause });
  }
}

function badSchema(
  prompt: WorkbenchPrompt,
  validatorOf: (reference: string) => ValidateFunction,
): string | undefined {
  try {
    referencesOf(prompt).forEach(validatorOf);
    return undefined;
  } catch (error) {
    return `has a reference that is no schema: ${error instanceof Error ? error.message : ""}`;
  }
}

function accepts(validate: ValidateFunction, answer: string): boolean {
  const blocks = [...answer.matchAll(/```(?:json)?[^\S\n]*\n([\s\S]*?)```/gi)];
  const text = blocks.length === 1 ? (blocks[0]?.[1] ?? "") : answer;
  try {
    return validate(JSON.parse(text)) === true;
  } catch {
    return false;
  }
}
