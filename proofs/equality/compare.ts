import type { Recording } from "./record.js";

/** One value that two recordings do not share; undefined where one lacks it. */
export interface Difference {
  /** The exchange, operation or setting, and where in it. */
  readonly what: string;
  readonly at: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function differences(before: Recording, after: Recording): readonly Difference[] {
  return (["openapi", "settings", "exchanges"] as const).flatMap((part) => {
    const names = new Set([...Object.keys(before[part]), ...Object.keys(after[part])]);
    return [...names].flatMap((name) =>
      between(before[part][name], after[part][name], "").map((found) => ({
        what: `${part}: ${name}`,
        ...found,
      })),
    );
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function between(before: unknown, after: unknown, at: string): readonly Omit<Difference, "what">[] {
  if (Object.is(before, after)) return [];
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ at, before, after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => between(before[key], after[key], at === "" ? key : `${at}.${key}`));
}

const LONGEST = 300;
const shown = (value: unknown): string => {
  const text = value === undefined ? "–" : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
};

/** One paragraph for each kind of difference: those alike in place and values are told once, with how many share them. */
export function rendered(found: readonly Difference[]): string {
  const alike = new Map<string, { readonly first: Difference; count: number }>();
  for (const first of found) {
    const { at, before, after } = first;
    const key = JSON.stringify([at.replaceAll(/\d+/g, "#"), before, after]);
    const group = alike.get(key);
    if (group === undefined) alike.set(key, { first, count: 1 });
    else group.count += 1;
  }
  return [...alike.values()]
    .map(({ first: { what, at, before, after }, count }) => {
      const others = count > 1 ? ` and ${count - 1} more` : "";
      return `${what}${others}\n  ${at}\n  - ${shown(before)}\n  + ${shown(after)}`;
    })
    .join("\n");
}
