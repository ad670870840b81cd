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

const MODELS = ["auto", "gpt-4o-mini", "claude-sonnet-4-6", "sextant"];
const DATES = ["2026-01-31", "2026-01-31T09:30:00Z"];
const TEXTS = ["Hello", "user", "assistant", "text", "What is 2 + 2?"];

/** `right`: as the schema says. `wrong`: one of twenty values is anything but that. */
type Mode = "right" | "wrong";

/** Requests as the schema says, and requests that are wrong somewhere. */
export const valuesOf = (schema: JsonSchema, name = ""): fc.Arbitrary<unknown> =>
  fc.oneof(valuesIn(schema, { mode: "right", name }), valuesIn(schema, { mode: "wrong", name }));

interface Node {
  readonly mode: Mode;
  /** Of the field. */
  readonly name: string;
}

function valuesIn(schema: JsonSchema, node: Node): fc.Arbitrary<unknown> {
  const right = rightValuesIn(schema, node);
  if (node.mode === "right") return right;
  return fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: hostileValue });
}

function rightValuesIn(schema: JsonSchema, node: Node): fc.Arbitrary<unknown> {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return fc.oneof(...alternatives.map((one) => valuesIn(one, node)));
  if (schema.allOf?.[0] !== undefined) return valuesIn(schema.allOf[0], node);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  switch (type) {
    case "string":
      return textsIn(node);
    case "integer":
      return fc.integer({ min: bound(schema.minimum, 0), max: bound(schema.maximum, 1000) });
    case "number":
      return fc.double({ min: bound(schema.minimum, 0), max: bound(schema.maximum, 2), noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valuesIn(schema.items ?? {}, node), { minLength: 1, maxLength: 3 });
    case "object":
      return objectsIn(schema, node);
    default:
      return schema.properties === undefined ? fc.constantFrom(...TEXTS) : objectsIn(schema, node);
  }
}

function textsIn({ mode, name }: Node): fc.Arbitrary<string> {
  const right = fc.constantFrom(
    ...(/^models?$/.test(name) ? MODELS : name.endsWith("_date") ? DATES : TEXTS),
  );
  return mode === "right" ? right : fc.oneof(right, hostileText);
}

/** Limits of JSON Schema may be those of all doubles. */
const bound = (limit: number | undefined, otherwise: number): number =>
  limit === undefined || Math.abs(limit) > 1e9 ? otherwise : limit;

/** With all required fields, and each other one in one of four. */
function objectsIn({ properties = {}, required = [] }: JsonSchema, { mode }: Node): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const values = valuesIn(schema, { mode, name });
    const isRequired = required.includes(name);
    return [name, isRequired ? values : fc.option(values, { freq: 1, nil: undefined })] as const;
  });
  const known = fc.record(Object.fromEntries(fields));
  if (mode === "right") return known;
  const unknown = fc.dictionary(hostileText, hostileValue, { maxKeys: 1 });
  return fc.oneof(
    { weight: 10, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, unknown).map(([right, wrong]) => ({ ...right, ...wrong })) },
  );
}
