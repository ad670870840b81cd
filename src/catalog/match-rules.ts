/** How the price list says which names an entry stands for. */
export type MatchRule =
  | { readonly or: readonly MatchRule[] }
  | { readonly and: readonly MatchRule[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string };

/** What may follow a name of the list: a date, a three-digit version, `latest`. */
export const VERSION_TEXT = "(?:[-@](?:\\d{8}|\\d{4}-\\d{2}-\\d{2}|0\\d{2}|latest))";
export const VERSION = new RegExp(`${VERSION_TEXT}$`);

/** Whether a rule of the list names `id` itself, or `id` without a trailing `suffix` (a pattern; empty for none). */
export function names(rule: MatchRule, id: string, suffix: string): boolean {
  if ("or" in rule) return rule.or.some((each) => names(each, id, suffix));
  if ("and" in rule) {
    return rule.and.every((each) => admits(each, id)) && rule.and.some((each) => names(each, id, suffix));
  }
  if ("equals" in rule) return suffix === "" && rule.equals.toLowerCase() === id;
  if ("regex" in rule) return suffix === "" && rule.regex.endsWith("$") && admits(rule, id);
  if ("ends_with" in rule) return suffix === "" && rule.ends_with.toLowerCase() === id;
  const start = ("starts_with" in rule ? rule.starts_with : rule.contains).toLowerCase();
  return id.startsWith(start) && new RegExp(`^${suffix}$`).test(id.slice(start.length));
}

/** Whether a rule lets `id` pass at all, as the list itself reads it. */
export function admits(rule: MatchRule, id: string): boolean {
  if ("or" in rule) return rule.or.some((each) => admits(each, id));
  if ("and" in rule) return rule.and.every((each) => admits(each, id));
  if ("equals" in rule) return rule.equals.toLowerCase() === id;
  if ("starts_with" in rule) return id.startsWith(rule.starts_with.toLowerCase());
  if ("ends_with" in rule) return id.endsWith(rule.ends_with.toLowerCase());
  if ("contains" in rule) return id.includes(rule.contains.toLowerCase());
  return new RegExp(rule.regex, "i").test(id);
}

/** The names that a rule spells out. */
export function spelledOut(rule: MatchRule): readonly string[] {
  if ("or" in rule) return rule.or.flatMap(spelledOut);
  return "equals" in rule ? [rule.equals] : [];
}

/** Whether a rule is nothing but names. */
export const isSpelledOut = (rule: MatchRule): boolean =>
  "or" in rule ? rule.or.every(isSpelledOut) : "equals" in rule;
