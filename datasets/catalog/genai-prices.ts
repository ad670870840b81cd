/** Prices of the package @pydantic/genai-prices, which has those of earlier days too, made into rows of the catalog file. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findProvider } from "@pydantic/genai-prices";
import type { Charge, ChargedRates, Host, HostModel } from "../../src/engine/catalog/catalog-file.js";
import { isEmbeddingName } from "../../src/engine/catalog/models/models.js";

type PackageProvider = NonNullable<ReturnType<typeof findProvider>>;
type PackageModel = PackageProvider["models"][number];
type Rule = PackageModel["match"];
type Rates = Readonly<Record<string, Rate | undefined>>;
type Rate = number | { base: number; tiers: { start: number; price: number }[] };
type Conditional = Exclude<PackageModel["prices"], object & { length?: undefined }>[number];

/** The rows of every provider of the package, by its id. */
export function genaiHosts(): Readonly<Record<string, Host>> {
  return Object.fromEntries(
    providersOfPackage().map(({ id, fallback_model_providers, models }) => [
      id,
      {
        ...(fallback_model_providers === undefined ? {} : { resells: fallback_model_providers }),
        models: models.map(rowOf),
      },
    ]),
  );
}

/** Its licence asks that copies come with it. */
export const genaiNotice = (): string =>
  `@pydantic/genai-prices ${genaiVersion()}\n\n${fileOfPackage("../LICENSE").trim()}`;

export const genaiVersion = (): string =>
  (JSON.parse(fileOfPackage("../package.json")) as { version: string }).version;

const fileOfPackage = (name: string): string =>
  readFileSync(fileURLToPath(new URL(name, import.meta.resolve("@pydantic/genai-prices"))), "utf8");

/** The package names no list of its providers: their ids are read from its source. */
function providersOfPackage(): readonly PackageProvider[] {
  const ids = [...fileOfPackage("index.js").matchAll(/^ {4}id: "([^"]+)"/gm)].map(([, id]) => id as string);
  return ids.map((providerId) => {
    const provider = findProvider({ providerId });
    if (provider?.id !== providerId) throw new Error(`The price list has no provider ${providerId}.`);
    return provider;
  });
}

function rowOf({ id, match, context_window: context, deprecated, prices }: PackageModel): HostModel {
  const names = [...new Set(namesOf(match))].filter((name) => name !== id);
  // Some ids are used by the list alone: the provider's own name is the first that the rule spells out.
  const sent = admits(match, id.toLowerCase()) ? undefined : spelledOut(match)[0];
  return {
    id,
    ...(names.length === 0 ? {} : { names }),
    ...(sent === undefined ? {} : { sent }),
    ...(context === undefined ? {} : { context }),
    ...(deprecated === true ? { deprecated } : {}),
    prices: chargesOf(prices, id, [id, ...names].some(isEmbeddingName)),
  };
}

/** The names that a rule spells out; `*` at the end where a date or version may follow. */
function namesOf(rule: Rule): readonly string[] {
  if ("or" in rule) return rule.or.flatMap(namesOf);
  if ("and" in rule) return rule.and.flatMap(namesOf);
  if ("equals" in rule) return [rule.equals];
  if ("ends_with" in rule) return [rule.ends_with];
  if ("regex" in rule) return namesOfPattern(rule.regex);
  return [`${"starts_with" in rule ? rule.starts_with : rule.contains}*`];
}

/** `^name-\d{8}$` → `name*`; a pattern of characters alone is a name; others only narrow a rule. */
function namesOfPattern(pattern: string): readonly string[] {
  const [, start, date] = /^\^([^()?*+|]+?)(-\\d\{8\}|-\\d\{4\}-\\d\{2\}-\\d\{2\})?\$$/.exec(pattern) ?? [];
  if (start === undefined) return [];
  const name = start.replaceAll(/\\(.)/g, "$1");
  return [date === undefined ? name : `${name}*`];
}

/** Whether a rule accepts `id`, as the list itself reads it. */
function admits(rule: Rule, id: string): boolean {
  if ("or" in rule) return rule.or.some((part) => admits(part, id));
  if ("and" in rule) return rule.and.every((part) => admits(part, id));
  if ("equals" in rule) return rule.equals.toLowerCase() === id;
  if ("starts_with" in rule) return id.startsWith(rule.starts_with.toLowerCase());
  if ("ends_with" in rule) return id.endsWith(rule.ends_with.toLowerCase());
  if ("contains" in rule) return id.includes(rule.contains.toLowerCase());
  return new RegExp(rule.regex, "i").test(id);
}

function spelledOut(rule: Rule): readonly string[] {
  if ("or" in rule) return rule.or.flatMap(spelledOut);
  return "equals" in rule ? [rule.equals] : [];
}

const INPUT = "input_mtok";
const OUTPUT = "output_mtok";
const KINDS = {
  input: INPUT,
  cached_input: "cache_read_mtok",
  cache_write: "cache_write_mtok",
  cache_write_hour: "cache_write_1h_mtok",
  output: OUTPUT,
} as const;
/** Fees by the thousand calls, by the tool's name in usage. */
const CALLS = { web_search: "web_searches_kcount", file_search: "storage_searches_kcount" } as const;

/**
 * Bands that the list has one token too low: "requests with more than 272K input tokens",
 * https://developers.openai.com/api/docs/models/gpt-6.2-sol, read on 2026-11-28.
 */
const BANDS: ReadonlyMap<number, number> = new Map([[271_999, 272_000]]);

/**
 * Models whose hours the list has without the days: "Monday through Friday", https://api-docs.deepseek.com/quick_start/pricing,
 * read on 2026-11-28 (Chinese holidays, on which it holds all day what holds at night, are not counted).
 */
const ON_WEEKDAYS = /^deepseek-v4/;

/** Empty where the entry charges by something other than tokens, or for reasoning apart. */
function chargesOf(prices: PackageModel["prices"], id: string, embeds: boolean): readonly Charge[] {
  const parts: readonly Conditional[] = Array.isArray(prices) ? prices : [{ prices }];
  return parts.flatMap(({ prices: rates, constraint }) => {
    const charge = chargeOf(rates as Rates, id, embeds);
    const condition = conditionOf(constraint);
    const weekdays = condition.hours && ON_WEEKDAYS.test(id) ? { weekdays: true as const } : {};
    return charge === null ? [] : [{ ...condition, ...weekdays, ...charge }];
  });
}

function conditionOf(constraint: Conditional["constraint"]): Pick<Charge, "from" | "hours"> {
  if (constraint === undefined) return {};
  return constraint.type === "start_date"
    ? { from: String(constraint.start_date).slice(0, "2026-01-31".length) }
    : { hours: [constraint.start_time, constraint.end_time] };
}

function chargeOf(rates: Rates, id: string, embeds: boolean): Charge | null {
  // A model without rates is free only if its id ends in `:free`.
  if (Object.keys(rates).length === 0) return id.endsWith(":free") ? { input: 0, output: 0 } : null;
  if (rates.output_reasoning_mtok !== undefined) return null;
  const all = embeds ? { ...rates, [OUTPUT]: rates[OUTPUT] ?? 0 } : rates;
  const base = ratesAbove(all, undefined);
  if (base === null) return null;
  const above = thresholds(all).flatMap((tokens) => {
    const there = ratesAbove(all, tokens);
    return there === null ? [] : [{ tokens: BANDS.get(tokens) ?? tokens, ...there }];
  });
  const calls = Object.entries(CALLS).flatMap(([tool, key]) =>
    typeof rates[key] === "number" ? [[tool, rates[key]] as const] : [],
  );
  return {
    ...base,
    ...(above.length === 0 ? {} : { above }),
    ...(calls.length === 0 ? {} : { calls: Object.fromEntries(calls) }),
  };
}

/** Prompt lengths at which some rate changes, shortest first. */
function thresholds(rates: Rates): readonly number[] {
  const starts = Object.values(KINDS).flatMap((key) => {
    const rate = rates[key];
    return typeof rate === "object" ? rate.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)].sort((left, right) => left - right);
}

/** Rates of a prompt just longer than `threshold` tokens; of the smallest prompts when it is undefined. */
function ratesAbove(rates: Rates, threshold: number | undefined): ChargedRates | null {
  const known = Object.entries(KINDS).flatMap(([kind, key]) => {
    const rate = rateAbove(rates[key], threshold);
    return rate === undefined ? [] : [[kind, rate] as const];
  });
  const all = Object.fromEntries(known) as Partial<ChargedRates>;
  return all.input === undefined || all.output === undefined ? null : (all as ChargedRates);
}

function rateAbove(rate: Rate | undefined, threshold: number | undefined): number | undefined {
  if (typeof rate !== "object") return rate;
  const reached = rate.tiers.filter(({ start }) => threshold !== undefined && start <= threshold);
  return reached.sort((left, right) => right.start - left.start)[0]?.price ?? rate.base;
}
