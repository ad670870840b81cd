/** Schemas of functions in words that a provider knows, in the form of any API. */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, objectsIn, referred } from "../../providers/chat.js";
import { eachMember, type Said, withMember, without } from "./change.js";

/** @param change returns a schema, and what it says no more, which the function's description says then */
const withSchemas = (body: JsonObject, change: (schema: JsonObject) => readonly [unknown, said?: string]) => {
  const changed = (tool: unknown): unknown => {
    if (!isJsonObject(tool)) return tool;
    if (isJsonObject(tool.function)) return withMember(tool, "function", changed);
    const name = "input_schema" in tool ? "input_schema" : "parameters";
    const given = tool[name];
    if (!isJsonObject(given)) return tool;
    const [schema, said = ""] = change(given);
    const told = said === "" ? {} : { description: `${tool.description ?? ""}\n${said}`.trim() };
    return schema === given ? tool : { ...tool, ...told, [name]: schema };
  };
  return withMember(body, "tools", (tools) => eachMember(tools, changed));
};

/** Words whose members are schemas by name, and words whose values are data. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

const everySchema =
  (change: (schema: JsonObject) => JsonObject) =>
  (body: JsonObject): JsonObject => {
    const changed = (schema: unknown): unknown => {
      const inner = eachMember(schema, (member, word) => {
        if (DATA.has(word)) return member;
        return NAMED.has(word) ? eachMember(member, changed) : changed(member);
      });
      return isJsonObject(inner) ? change(inner) : inner;
    };
    return withSchemas(body, (schema) => [changed(schema)]);
  };

const COMBINATORS = ["anyOf", "oneOf", "allOf"] as const;

/** Without these a schema describes something else. */
const NEEDED: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "items", "enum", "$ref", "$defs", "definitions", ...COMBINATORS],
]);

/** Notes and bounds that Gemini's kind of schema has no word for. */
const UNKNOWN_TO_GEMINI = [
  ...["$schema", "$id", "$comment", "additionalProperties", "propertyNames", "patternProperties", "const"],
  ...["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "default", "examples"],
];

/** One refusal names a few words; more would be named next. */
export function withoutWords(body: JsonObject, [refusal = ""]: Said): JsonObject {
  const named = [...refusal.matchAll(/Unknown name "([^"]+)"/g)].map(([, word = ""]) => word);
  const left = [...UNKNOWN_TO_GEMINI, ...named].filter((word) => !NEEDED.has(word));
  return everySchema((schema) => left.reduce(without, schema))(body);
}

export const withoutFormats = everySchema((schema) =>
  ["enum", "date-time"].includes(String(schema.format)) ? schema : without(schema, "format"),
);

/** Alternatives have a type each, instead of one together. */
export const withTypedBranches = everySchema((schema) => {
  const { type, ...rest } = schema;
  if (type === undefined || !COMBINATORS.some((word) => word in schema)) return schema;
  const typed = (branch: unknown) => (isJsonObject(branch) ? { type, ...branch } : branch);
  return COMBINATORS.reduce(
    (whole, word) => withMember(whole, word, (branches) => eachMember(branches, typed)),
    rest as JsonObject,
  );
});

/** References within references end somewhere. */
const MOST_LEVELS = 8;

/** One object at the top with the properties of all alternatives; which of them go together is said in words. */
export const inOneObject = (body: JsonObject): JsonObject =>
  withSchemas(body, (root) => {
    const said: string[] = [];
    const fold = (schema: JsonObject, level: number): JsonObject => {
      const { $ref, allOf, anyOf = [], oneOf = [], not: _not, enum: _enum, ...own } = schema;
      if (level > MOST_LEVELS) return own;
      const folded = (...parts: unknown[]) => objectsIn(parts.flat()).map((part) => fold(part, level + 1));
      const all = [...folded(typeof $ref === "string" && referred($ref, root), allOf), own];
      const choices = folded(anyOf, oneOf);
      const sets = choices.map(fieldsOf).filter((fields) => fields !== "");
      if (sets.length > 0) said.push(`Give one of these sets of fields: ${sets.join("; ")}.`);
      const [first = [], ...others] = choices.map(requiredOf);
      const always = first.filter((name) => others.every((names) => names.includes(name)));
      const required = [...new Set([...all.flatMap(requiredOf), ...always])];
      const properties = united([...all, ...choices]);
      const needed = required.length > 0 && { required };
      return { ...Object.assign({}, ...all), type: "object", properties, ...needed };
    };
    return [fold(root, 0), said.join(" ")];
  });

const requiredOf = ({ required }: JsonObject): readonly unknown[] =>
  Array.isArray(required) ? required : [];

const fieldsOf = (branch: JsonObject): string => {
  const required = requiredOf(branch);
  const names = required.length > 0 ? required : Object.keys(branch.properties ?? {});
  return names.map((name) => `\`${name}\``).join(", ");
};

/** A property that differs between alternatives may be as any of them has it. */
function united(parts: readonly JsonObject[]): JsonObject {
  const all: Record<string, unknown> = {};
  for (const [name, form] of parts.flatMap(({ properties }) => Object.entries(properties ?? {})))
    all[name] = name in all && !isDeepStrictEqual(all[name], form) ? { anyOf: [all[name], form] } : form;
  return all;
}
