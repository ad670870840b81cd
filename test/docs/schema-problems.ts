/** The part of JSON Schema that the OpenAPI document uses for answers. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
}

/** What an example puts in the place of members that it leaves out. */
const LEFT_OUT = "…";

/**
 * What is wrong with an example of an answer: members that the schema has not, or that it requires and the example lacks, values
 * of another type. An object with the member "…" may lack any.
 *
 * @param path where the value stands, such as `.data[0]`
 */
export function schemaProblems(schema: Schema, value: unknown, path = ""): string[] {
  if (schema.anyOf !== undefined) {
    const each = schema.anyOf.map((alternative) => schemaProblems(alternative, value, path));
    return each.reduce((fewest, problems) => (problems.length < fewest.length ? problems : fewest));
  }
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (
    types.length > 0 &&
    !types.includes(typeOf(value)) &&
    !(types.includes("number") && typeOf(value) === "integer")
  )
    return [`${path}: ${typeOf(value)} instead of ${types.join(" or ")}`];
  if (schema.enum?.includes(value) === false)
    return [`${path}: ${String(value)} is none of ${schema.enum.join(", ")}`];
  if (Array.isArray(value))
    return value.flatMap((item, index) => schemaProblems(schema.items ?? {}, item, `${path}[${index}]`));
  return isObject(value) ? memberProblems(schema, value, path) : [];
}

function memberProblems(schema: Schema, value: Readonly<Record<string, unknown>>, path: string): string[] {
  const { properties = {}, required = [], additionalProperties = {} } = schema;
  const missing = required.filter((name) => !(name in value) && !(LEFT_OUT in value));
  const members = Object.entries(value).filter(([name]) => name !== LEFT_OUT);
  return [
    ...missing.map((name) => `${path}.${name} is missing`),
    ...members.flatMap(([name, member]) => {
      const found = properties[name] ?? additionalProperties;
      return found === false
        ? [`${path}.${name} is unknown`]
        : schemaProblems(found, member, `${path}.${name}`);
    }),
  ];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
