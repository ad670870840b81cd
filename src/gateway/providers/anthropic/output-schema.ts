import { isJsonObject, type JsonObject, referred } from "../chat.js";

/** Keywords that are sent unchanged: https://platform.claude.com/docs/en/build-with-claude/structured-outputs. */
const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([
  "type",
  "title",
  "enum",
  "const",
  "default",
  "required",
]);
/** Keywords without effect on the answer. */
const SILENT_KEYWORDS: ReadonlySet<string> = new Set(["$schema", "$id", "$comment", "examples"]);
const FORMATS: ReadonlySet<unknown> = new Set([
  ...["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
]);

/** The schema cannot be expressed in the API's subset without changing its meaning. */
class OutOfSubset extends Error {}

/**
 * Converts a JSON schema to the subset that `output_config.format` accepts. Objects are closed, and limits that the
 * subset lacks (lengths, ranges, patterns) become part of the description: the schema's structure is enforced, its
 * limits usually kept.
 *
 * @returns null for schemas the subset cannot express: recursive ones, external references, and objects with arbitrary
 * keys
 */
export function outputSchema(schema: JsonObject): JsonObject | null {
  try {
    return narrow(schema, { root: schema, left: { schemas: MAX_SCHEMAS } });
  } catch (error) {
    if (error instanceof OutOfSubset) return null;
    throw error;
  }
}

/** Limit of expanded schemas: recursive references are endless and others can be huge; the API accepts neither. */
const MAX_SCHEMAS = 2_000;

interface SchemaContext {
  readonly root: JsonObject;
  /** Remaining expansions for the whole schema. */
  readonly left: { schemas: number };
}

function narrow(schema: unknown, context: SchemaContext): JsonObject {
  context.left.schemas -= 1;
  if (!isJsonObject(schema) || context.left.schemas < 0) throw new OutOfSubset();
  if (typeof schema.$ref === "string") return follow(schema.$ref, context);
  if (!SHAPING_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword))) throw new OutOfSubset();
  const kept: [string, unknown][] = [];
  const limits: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const narrowed = narrowKeyword(keyword, value, context);
    if (narrowed !== null) kept.push(narrowed);
    else if (!HANDLED_ELSEWHERE.has(keyword)) limits.push(`${keyword}: ${JSON.stringify(value)}`);
  }
  const description = describe(schema.description, limits);
  if (description !== null) kept.push(["description", description]);
  if (isObjectSchema(schema)) kept.push(...closed(schema));
  return Object.fromEntries(kept);
}

/** Expands a reference in place. */
function follow(reference: string, context: SchemaContext): JsonObject {
  if (!reference.startsWith("#/")) throw new OutOfSubset();
  return narrow(referred(reference, context.root), context);
}

/** A schema without any of these accepts any value. */
const SHAPING_KEYWORDS = ["type", "properties", "enum", "const", "anyOf", "oneOf", "allOf"] as const;

const HANDLED_ELSEWHERE: ReadonlySet<string> = new Set([
  ...SILENT_KEYWORDS,
  ...["description", "additionalProperties", "$defs", "definitions"],
]);

function narrowKeyword(keyword: string, value: unknown, context: SchemaContext): [string, unknown] | null {
  if (PLAIN_KEYWORDS.has(keyword)) return [keyword, value];
  switch (keyword) {
    case "properties":
      if (!isJsonObject(value)) throw new OutOfSubset();
      return [
        keyword,
        Object.fromEntries(
          Object.entries(value).map(([name, property]) => [name, narrow(property, context)]),
        ),
      ];
    case "items":
      return [keyword, narrow(value, context)];
    case "anyOf":
    case "oneOf":
      return ["anyOf", narrowAll(value, context)];
    case "allOf":
      return [keyword, narrowAll(value, context)];
    case "format":
      return FORMATS.has(value) ? [keyword, value] : null;
    case "minItems":
      return value === 0 || value === 1 ? [keyword, value] : null;
    case "patternProperties":
    case "propertyNames":
    case "not":
    case "if":
      throw new OutOfSubset();
    default:
      return null;
  }
}

function narrowAll(schemas: unknown, context: SchemaContext): JsonObject[] {
  if (!Array.isArray(schemas)) throw new OutOfSubset();
  return schemas.map((schema: unknown) => narrow(schema, context));
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || properties !== undefined || (Array.isArray(type) && type.includes("object"));
}

/** Objects with unnamed keys are refused, since closing them would leave only `{}`. */
function closed({ type, properties, additionalProperties }: JsonObject): [string, unknown][] {
  const named = isJsonObject(properties) && Object.keys(properties).length > 0;
  if (isJsonObject(additionalProperties) || (!named && additionalProperties !== false))
    throw new OutOfSubset();
  return [
    ["type", type ?? "object"],
    ["additionalProperties", false],
  ];
}

function describe(description: unknown, limits: readonly string[]): string | null {
  const said = typeof description === "string" ? [description] : [];
  const parts = limits.length === 0 ? said : [...said, `(${limits.join(", ")})`];
  return parts.length === 0 ? null : parts.join(" ");
}
