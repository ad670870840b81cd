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

/** Values that a query can contain. */
export type Value = string | number | bigint | boolean | null | readonly Value[];

/**
 * A value as a literal of ClickHouse's SQL. Texts become String, half a surrogate pair in them U+FFFD once they are sent; whole
 * numbers become the smallest integer type, others Float64; booleans UInt8. The members of a list must be of one type.
 *
 * @throws RangeError for a bigint beyond 64 bits, a number that is not finite, and an integer that is not safe: its neighbours
 * would be meant as well
 */
export function literal(value: Value): string {
  if (value === null) return "NULL";
  switch (typeof value) {
    case "string":
      return `'${value.replace(/[\\'\0]/g, (character) => ESCAPED[character] ?? "")}'`;
    case "number":
      return decimal(value);
    case "bigint":
      return bigInteger(value);
    case "boolean":
      return value ? "1" : "0";
    default:
      return `[${value.map(literal).join(", ")}]`;
  }
}

const ESCAPED: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\0": "\\0" };

function decimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be compared with anything`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`${value} is not a safe integer. Give it as a bigint.`);
  return String(value);
}

function bigInteger(value: bigint): string {
  if (value !== BigInt.asIntN(64, value) && value !== BigInt.asUintN(64, value)) {
    throw new RangeError(`${value} needs more than 64 bits`);
  }
  return String(value);
}
