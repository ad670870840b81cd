import { Ajv, type AnySchema, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { WorkbenchError } from "../workbench-error.js";
import type { SchemaTask } from "./timed-match.js";

/** See `jsonSchemaGrader`; may take for ever. Schemas are compiled once. @throws WorkbenchError when one cannot be used */
export function schemaMatcher(): (task: SchemaTask) => number {
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (schema: string): ValidateFunction => {
    const known = compiled.get(schema) ?? compileSchema(schema);
    compiled.set(schema, known);
    return known;
  };
  return ({ schemas, answer }) => {
    const value = jsonIn(answer);
    return value !== NO_JSON && schemas.some((schema) => validatorOf(schema)(value) === true) ? 1 : 0;
  };
}

/** @param text JSON. @throws WorkbenchError when it is not JSON, or not a schema */
export function compileSchema(text: string): ValidateFunction {
  const is2020 = text.includes("json-schema.org/draft/2020-12");
  const options = { strict: false, logger: false } as const;
  const ajv = is2020 ? new Ajv2020(options) : new Ajv(options);
  const schema = parsed(text);
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

const NO_JSON = Symbol("no JSON");

function jsonIn(answer: string): unknown {
  const blocks = [...answer.matchAll(/```(?:json)?[^\S\n]*\n([\s\S]*?)```/gi)];
  const text = blocks.length === 1 ? (blocks[0]?.[1] ?? "") : answer;
  try {
    return JSON.parse(text);
  } catch {
    return NO_JSON;
  }
}
