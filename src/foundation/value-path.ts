/** What stands at a path in plain data; undefined where there is nothing. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

const MOST_CHARACTERS = 80;

/** `["messages", 0, "role"]` → `messages[0].role`, with long names cut short. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    const name = String(step).slice(0, MOST_CHARACTERS);
    return text === "" ? name : `${text}.${name}`;
  }, "");
