import type { JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import { invalid, objectAt } from "./faults.js";

/** OpenAI wants a name for every schema. */
const SCHEMA_NAME = "answer";

/**
 * `response_format` for `output_config.format`, or for `output_format`, its earlier name. Null without one. `strict`, which
 * makes OpenAI enforce the schema, is set where it takes the schema so.
 *
 * @throws SextantError for a format that is no JSON schema
 */
export function responseFormat({ output_config, output_format }: JsonObject): JsonObject | null {
  const configured = isJsonObject(output_config) ? output_config.format : undefined;
  const format = configured ?? output_format ?? null;
  const path = (configured ?? null) === null ? "output_format" : "output_config.format";
  if (format === null) return null;
  if (!isJsonObject(format) || format.type !== "json_schema")
    throw invalid(`${path}.type`, "must be json_schema");
  const schema = objectAt(format, "schema", path);
  return { type: "json_schema", json_schema: { name: SCHEMA_NAME, schema, strict: isStrict(schema) } };
}

/**
 * Whether every object of a schema names all its keys and requires them: what OpenAI asks of strict schemas, and Anthropic
 * does not. platform.openai.com/docs/guides/structured-outputs
 */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isJsonObject(schema)) return true;
  if (schema.type === "object" || schema.properties !== undefined) {
    const names = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
    if (schema.additionalProperties !== false || !names.every((name) => required.includes(name)))
      return false;
  }
  return Object.values(schema).every(isStrict);
}
