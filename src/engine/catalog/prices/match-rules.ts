/** A rule of the price list that matches names of an entry. */
export type MatchRule =
  | { readonly or: readonly MatchRule[] }
  | { readonly and: readonly MatchRule[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string };

/** Suffixes that may follow a name of the list: a date, a three-digit version, `latest`. */
export const VERSION_TEXT = "(?:[-@](?:\\d{8}|\\d{4}-\\d{2}-\\d{2}|0\\d{2}|latest))";
export const VERSION = new RegExp(`${VERSION_TEXT}$`);

/** Whether a rule matches `id`, or `id` without a trailing `suffix` (a pattern; empty for none). */
export function names(rule: MatchRule, id: string, suffix: string): boolean {
  if ("or" in rule) return rule.or.some((part) => names(part, id, suffix));
  if ("and" in rule) {
    return rule.and.every((part) => admits(part, id)) && rule.and.some((part) => names(part, id, suffix));
  }
  if ("equals" in rule) return suffix === "" && rule.equals.toLowerCase() === id;
  if ("regex" in rule) return suffix === "" && rule.regex.endsWith("$") && admits(rule, id);
  if ("ends_with" in rule) return suffix === "" && rule.ends_with.toLowerCase() === id;
  const start = ("starts_with" in rule ? rule.starts_with : rule.contains).toLowerCase();
  return id.startsWith(start) && compiled(`^${suffix}$`).test(id.slice(start.length));
}

/** Whether a rule accepts `id`, as the list itself reads it. */
export function admits(rule: MatchRule, id: string): boolean {
  if ("or" in rule) return rule.or.some((part) => admits(part, id));
  if ("and" in rule) return rule.and.every((part) => admits(part, id));
  if ("equals" in rule) return rule.equals.toLowerCase() === id;
  if ("starts_with" in rule) return id.startsWith(rule.starts_with.toLowerCase());
  if ("ends_with" in rule) return id.endsWith(rule.ends_with.toLowerCase());
  if ("contains" in rule) return id.includes(rule.contains.toLowerCase());
  return compiled(rule.regex).test(id);
}

const compiledPatterns = new Map<string, RegExp>();

/** Cached, case-insensitive: the list has dozens of patterns, each of which is used thousands of times at start. */
function compiled(pattern: string): RegExp {
  const made = compiledPatterns.get(pattern);
  if (made !== undefined) return made;
  const expression = new RegExp(pattern, "i");
  compiledPatterns.set(pattern, expression);
  return expression;
}

/** The names that a rule lists literally. */
export function spelledOut(rule: MatchRule): readonly string[] {
  if ("or" in rule) return rule.or.flatMap(spelledOut);
  return "equals" in rule ? [rule.equals] : [];
}

/** In lower case: `names` is true for an id (without its suffix) only if it is one of these, or one of `patternsOf` names it. */
export function literalsOf(rule: MatchRule): readonly string[] {
  if ("or" in rule) return rule.or.flatMap(literalsOf);
  if ("and" in rule) return rule.and.flatMap(literalsOf);
  return "regex" in rule ? [] : Object.values(rule).map((text) => text.toLowerCase());
}

/** The parts of a rule that may name an id by a pattern; none does where the id has a suffix. */
export function patternsOf(rule: MatchRule): readonly MatchRule[] {
  if ("or" in rule) return rule.or.flatMap(patternsOf);
  if ("and" in rule) return rule.and.flatMap(patternsOf).length > 0 ? [rule] : [];
  return "regex" in rule && rule.regex.endsWith("$") ? [rule] : [];
}
