/** A replacer for `JSON.stringify`: JSON of the command line has names in the form of the API's. */
export function snakeCase(_: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inside,
    ]),
  );
}
