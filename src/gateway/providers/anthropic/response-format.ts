/** `response_format` for Anthropic's API. */
import { isJsonObject, type JsonObject, memberOf } from "../chat.js";
import { refusal } from "../provider.js";
import type { ModelTraits } from "./model-traits.js";
import { outputSchema } from "./output-schema.js";

/** How a JSON answer is requested or enforced. */
export type ResponseFormat =
  | { readonly kind: "free" }
  /** Requested in the system prompt, not enforced. */
  | { readonly kind: "instructed"; readonly instruction: string }
  /** Enforced by `output_config.format`. */
  | { readonly kind: "bound"; readonly format: JsonObject }
  /** The model is told to call this tool, whose input is the answer. */
  | { readonly kind: "tool"; readonly tool: AnswerTool };

interface AnswerTool extends JsonObject {
  readonly name: string;
}

const JSON_ONLY =
  "Answer with one JSON object and nothing else: no words before or after it, no code fence around it.";

/**
 * `json_object` has no counterpart, so the model is instructed. `json_schema` is enforced where the model supports it
 * and the schema can be expressed; elsewhere the answer is the input of a tool.
 *
 * @param options.taken names of the client's tools
 * @throws ProviderFault `request_refused` for other types
 */
export function toResponseFormat(
  format: unknown,
  options: { readonly traits: ModelTraits; readonly taken: readonly unknown[] },
): ResponseFormat {
  if (format === undefined || format === null) return { kind: "free" };
  switch (memberOf(format, "type")) {
    case "text":
      return { kind: "free" };
    case "json_object":
      return { kind: "instructed", instruction: JSON_ONLY };
    case "json_schema":
      return schemaFormat(memberOf(format, "json_schema"), options);
    default:
      throw refusal("response_format.type", "must be text, json_object or json_schema");
  }
}

function schemaFormat(
  wanted: unknown,
  { traits, taken }: { readonly traits: ModelTraits; readonly taken: readonly unknown[] },
): ResponseFormat {
  if (!isJsonObject(wanted)) throw refusal("response_format.json_schema", "must be an object");
  const schema = wanted.schema;
  if (schema === undefined) return { kind: "instructed", instruction: JSON_ONLY };
  if (!isJsonObject(schema)) throw refusal("response_format.json_schema.schema", "must be a JSON schema");
  const bound = traits.structuredOutput ? outputSchema(schema) : null;
  if (bound !== null) return { kind: "bound", format: { type: "json_schema", schema: bound } };
  return { kind: "tool", tool: answerTool(schema, { description: wanted.description, taken }) };
}

function answerTool(
  schema: JsonObject,
  { description, taken }: { readonly description: unknown; readonly taken: readonly unknown[] },
): AnswerTool {
  let name = "json_answer";
  while (taken.includes(name)) name += "_";
  const purpose = typeof description === "string" ? ` ${description}` : "";
  return {
    name,
    description: `Gives the final answer to the user. Always answer by this tool.${purpose}`,
    input_schema: "type" in schema ? schema : { type: "object", ...schema },
  };
}
