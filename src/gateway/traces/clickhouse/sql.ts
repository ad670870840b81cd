import { literal, type Value } from "./literal.js";

/** Text of a query or of a part of one. Only this file makes them, so that no value gets into one but as a literal. */
export class Sql {
  /** @internal */
  constructor(readonly text: string) {}
}

/** A query as a template: parts of queries are put in as they are, everything else as a literal. */
export function sql(parts: TemplateStringsArray, ...values: readonly (Sql | Value)[]): Sql {
  const written = values.map((value) => (value instanceof Sql ? value.text : literal(value)));
  return new Sql(parts.reduce((text, part, at) => `${text}${written[at - 1] ?? ""}${part}`));
}

export const NOTHING = sql``;

export function joined(parts: readonly Sql[], separator: ", " | " AND " | " OR "): Sql {
  return new Sql(parts.map(({ text }) => text).join(separator));
}

/** Quoted, so that every name is one. */
export function identifier(name: string): Sql {
  return new Sql(`\`${name.replace(/[\\`]/g, (character) => `\\${character}`)}\``);
}
