type SnakeName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

/** A type whose fields have names in the form of the API's, at any depth. */
export type SnakeCased<Value> = Value extends readonly (infer Item)[]
  ? SnakeCased<Item>[]
  : Value extends object
    ? {
        -readonly [Name in keyof Value as Name extends string ? SnakeName<Name> : never]: SnakeCased<
          Value[Name]
        >;
      }
    : Value;

/** Plain data with the names of its fields in the form of the API's; their order stays. Not for records whose keys are data. */
export function snakeCased<Value>(value: Value): SnakeCased<Value>;
export function snakeCased(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => snakeCased(item));
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCased(inside),
    ]),
  );
}
