import fc from "fast-check";
import { hostileText, hostileValue } from "./hostile-values.js";

/** As much of JSON Schema as the OpenAPI document uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly $ref?: string;
}

const MODELS = ["auto", "sandbox", "sandbox/echo", "gpt-4o-mini", "claude-sonnet-4-6", "no-such-model"];
const TEXTS = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("Hello", "user", "assistant", "text", "What is 2 + 2?", ...MODELS),
  },
  { weight: 1, arbitrary: hostileText },
);

/** One of twenty values is anything but what the schema says. */
const orHostile = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: hostileValue });

/** Values of a schema, and values that are wrong somewhere. */
export function valuesOf(schema: JsonSchema, name = ""): fc.Arbitrary<unknown> {
  return orHostile(rightValuesOf(schema, name));
}

function rightValuesOf(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return fc.oneof(...alternatives.map((one) => valuesOf(one, name)));
  if (schema.allOf?.[0] !== undefined) return valuesOf(schema.allOf[0], name);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  switch (type) {
    case "string":
      return name === "model" || name === "models" ? fc.constantFrom(...MODELS) : TEXTS;
    case "integer":
      return fc.integer({ min: bound(schema.minimum, -10), max: bound(schema.maximum, 1000) });
    case "number":
      return fc.double({ min: bound(schema.minimum, -10), max: bound(schema.maximum, 1000), noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, name), { maxLength: 4 });
    case "object":
      return objectsOf(schema);
    default:
      return schema.properties === undefined ? hostileValue : objectsOf(schema);
  }
}

/** Limits of JSON Schema may be those of all doubles. */
const bound = (limit: number | undefined, otherwise: number): number =>
  limit === undefined || Math.abs(limit) > 1e9 ? otherwise : limit;

function objectsOf({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, name)] as const);
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  const unknown = fc.dictionary(hostileText, hostileValue, { maxKeys: 1 });
  return fc.oneof(
    { weight: 10, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, unknown).map(([right, wrong]) => ({ ...right, ...wrong })) },
  );
}
