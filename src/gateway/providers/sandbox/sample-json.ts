import { isJsonObject, type JsonObject, referred } from "../chat.js";

const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ["date-time", "1970-01-01T00:00:00Z"],
  ["date", "1970-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "PT0S"],
  ["email", "sandbox@example.com"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uri", "https://example.com/"],
  ["uuid", "00000000-0000-0000-0000-000000000000"],
]);

/** Most schemas visited for one sample: those that refer to themselves never end. */
const MAX_SCHEMAS = 1_000;
const MAX_ITEMS = 100;
const MAX_LENGTH = 1_000;
const TEXT = "sandbox";

/**
 * A small value that fits a JSON schema, the same every time: required members only, first choices, least numbers.
 *
 * Patterns, conditions and whatever else is rare are not looked at, and a schema that requires itself ends in `null`: the
 * value then need not fit.
 */
export function sampleJson(schema: unknown): unknown {
  return sample(schema, { root: schema, left: { schemas: MAX_SCHEMAS } });
}

interface SchemaContext {
  readonly root: unknown;
  /** Counts down over the whole schema. */
  readonly left: { schemas: number };
}

function sample(schema: unknown, context: SchemaContext): unknown {
  context.left.schemas -= 1;
  if (context.left.schemas < 0) return null;
  if (!isJsonObject(schema)) return TEXT;
  if (typeof schema.$ref === "string") return sample(referred(schema.$ref, context.root), context);
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  if (Array.isArray(schema.allOf)) return sample(joined(schema, schema.allOf, context), context);
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return sample(simplest(choices), context);
  return sampleOfType(typeOf(schema), schema, context);
}

function sampleOfType(type: unknown, schema: JsonObject, context: SchemaContext): unknown {
  switch (type) {
    case "object":
      return sampleObject(schema, context);
    case "array":
      return sampleList(schema, context);
    case "integer":
      return sampleNumber(schema, { step: 1, next: 1 });
    case "number":
      return sampleNumber(schema, { step: 0, next: 1e-6 });
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return sampleText(schema);
  }
}

/** The type of a schema without `type`, from the keywords that it has. */
function typeOf({ type, properties, required, items }: JsonObject): unknown {
  if (Array.isArray(type)) return type.includes("null") ? "null" : type[0];
  if (type !== undefined) return type;
  if (properties !== undefined || required !== undefined) return "object";
  return items === undefined ? "string" : "array";
}

function sampleObject({ properties, required }: JsonObject, context: SchemaContext): unknown {
  const schemas = isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return Object.fromEntries(
    names.map((name) => [name, sample(Object.hasOwn(schemas, name) ? schemas[name] : {}, context)]),
  );
}

function sampleList({ items, prefixItems, minItems }: JsonObject, context: SchemaContext): unknown {
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  const length = Math.min(numberOr(minItems, 0), MAX_ITEMS);
  return Array.from({ length }, (_, at) => sample(first[at] ?? items, context));
}

/** The number nearest to 0. */
function sampleNumber(
  schema: JsonObject,
  { step, next }: { readonly step: number; readonly next: number },
): number {
  const least = Math.max(
    numberOr(schema.minimum, Number.NEGATIVE_INFINITY),
    numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY) + next,
  );
  const most = Math.min(
    numberOr(schema.maximum, Number.POSITIVE_INFINITY),
    numberOr(schema.exclusiveMaximum, Number.POSITIVE_INFINITY) - next,
  );
  const nearest = Math.min(Math.max(0, least), most);
  const multiple = numberOr(schema.multipleOf, step);
  if (multiple <= 0) return nearest;
  return (nearest > 0 ? Math.ceil(nearest / multiple) : Math.floor(nearest / multiple)) * multiple;
}

function sampleText({ format, minLength, maxLength }: JsonObject): string {
  const text = FORMATS.get(format) ?? TEXT;
  const long = text.padEnd(Math.min(numberOr(minLength, 0), MAX_LENGTH), ".");
  return long.slice(0, Math.max(0, numberOr(maxLength, MAX_LENGTH)));
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === "number" ? value : otherwise;

/** The choice that keeps the sample small: `null` where allowed, else one without a reference. */
function simplest(choices: readonly unknown[]): unknown {
  const plain = (choice: unknown): boolean => isJsonObject(choice) && choice.$ref === undefined;
  return (
    choices.find((choice) => isJsonObject(choice) && choice.type === "null") ??
    choices.find(plain) ??
    choices[0]
  );
}

/** All parts of `allOf` in one schema. */
function joined(
  { allOf: _parts, ...own }: JsonObject,
  parts: readonly unknown[],
  { root }: SchemaContext,
): JsonObject {
  const whole = parts.map((part) => {
    return isJsonObject(part) && typeof part.$ref === "string" ? referred(part.$ref, root) : part;
  });
  const all: readonly JsonObject[] = [own, ...whole.filter(isJsonObject)];
  const properties = all.flatMap(({ properties: some }) => (isJsonObject(some) ? Object.entries(some) : []));
  const required = all.flatMap(({ required: some }) => (Array.isArray(some) ? some : []));
  return {
    ...Object.fromEntries(all.flatMap((choice) => Object.entries(choice))),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.length === 0 ? {} : { required }),
  };
}
