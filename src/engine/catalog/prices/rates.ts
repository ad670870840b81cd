/** Converts the price list's rates for text models to the catalog's prices. */
import type { Price, TokenRates } from "../models/price.js";

/** US dollars per million tokens: one rate, or one by the length of the prompt. */
type ListedRate =
  | number
  | {
      readonly base: number;
      /** The rate of the whole request once its prompt exceeds `start` tokens, cached ones included. */
      readonly tiers: readonly { readonly start: number; readonly price: number }[];
    };

/** Token kinds with separate rates; the list has others for audio and images. */
export type ListedRates = Readonly<Record<string, ListedRate | undefined>>;

export interface ConditionalRates {
  readonly constraint?:
    | { readonly type: "start_date"; readonly start_date: string }
    | { readonly type: "time_of_date"; readonly start_time: string; readonly end_time: string };
  readonly prices: ListedRates;
}

const INPUT = "input_mtok";
const CACHE_READ = "cache_read_mtok";
const CACHE_WRITE = "cache_write_mtok";
const CACHE_WRITE_HOUR = "cache_write_1h_mtok";
const OUTPUT = "output_mtok";
/** Reasoning at a separate rate, which a `Price` cannot express; such models have no price rather than a guessed one. */
const REASONING = "output_reasoning_mtok";

export const FREE: Price = {
  inputUsdPerMtok: 0,
  cachedInputUsdPerMtok: null,
  cacheWriteUsdPerMtok: null,
  cacheWriteHourUsdPerMtok: null,
  outputUsdPerMtok: 0,
  tiers: [],
};

/**
 * The price of an entry; null when the entry charges by something other than tokens, or not at all. A model without
 * rates is free only if its id ends in `:free`.
 */
function priceFromRates(listed: ListedRates, { id, output }: Pick<InForce, "id" | "output">): Price | null {
  if (Object.keys(listed).length === 0) return id.endsWith(":free") ? FREE : null;
  const rates = output === "none" ? { ...listed, [OUTPUT]: listed[OUTPUT] ?? 0 } : listed;
  const base = ratesAbove(rates, undefined);
  if (base === null || rates[REASONING] !== undefined) return null;
  const tiers = thresholds(rates).flatMap((abovePromptTokens) => {
    const tier = ratesAbove(rates, abovePromptTokens);
    return tier === null ? [] : [{ abovePromptTokens, rates: tier }];
  });
  return { ...base, tiers, ...callRates(rates) };
}

/** Fees by the thousand calls, by the tool's name in usage. */
const CALL_RATES = { web_searches_kcount: "web_search", storage_searches_kcount: "file_search" } as const;

function callRates(rates: ListedRates): Pick<Price, "usdPerThousandCalls"> {
  const known = Object.entries(CALL_RATES).flatMap(([key, tool]) => {
    const rate = rates[key];
    return typeof rate === "number" ? [[tool, rate] as const] : [];
  });
  return known.length === 0 ? {} : { usdPerThousandCalls: Object.fromEntries(known) };
}

/** Prompt lengths at which some rate changes, shortest first. */
function thresholds(rates: ListedRates): readonly number[] {
  const starts = [INPUT, CACHE_READ, CACHE_WRITE, CACHE_WRITE_HOUR, OUTPUT].flatMap((key) => {
    const rate = rates[key];
    return typeof rate === "object" ? rate.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)].sort((left, right) => left - right);
}

/** Rates of a prompt just longer than `threshold` tokens; of the smallest prompts when it is undefined. */
function ratesAbove(rates: ListedRates, threshold: number | undefined): TokenRates | null {
  const at = (key: string): number | null => rateAbove(rates[key], threshold) ?? null;
  const [input, output] = [at(INPUT), at(OUTPUT)];
  if (input === null || output === null) return null;
  return {
    inputUsdPerMtok: input,
    cachedInputUsdPerMtok: at(CACHE_READ),
    cacheWriteUsdPerMtok: at(CACHE_WRITE),
    cacheWriteHourUsdPerMtok: at(CACHE_WRITE_HOUR),
    outputUsdPerMtok: output,
  };
}

function rateAbove(rate: ListedRate | undefined, threshold: number | undefined): number | undefined {
  if (typeof rate !== "object") return rate;
  const reached = rate.tiers.filter(({ start }) => threshold !== undefined && start <= threshold);
  const [highest] = reached.sort((left, right) => right.start - left.start);
  return highest?.price ?? rate.base;
}

/** Which conditional price applies: that of the current hour, or that of the most expensive hour of the day. */
export type HourRule = "this-hour" | "most-expensive-hour";

interface InForce {
  readonly id: string;
  readonly at: Date;
  readonly hour: HourRule;
  /** `none`: the model generates no tokens, like embedding models, and needs no output rate. */
  readonly output: "billed" | "none";
}

/**
 * The price in force at a moment. Later conditions take precedence, and one without a condition always applies.
 *
 * @returns null when none applies, or the one that does is not by tokens
 */
export function priceInForce(
  prices: ListedRates | readonly ConditionalRates[],
  { id, at, hour, output }: InForce,
): Price | null {
  if (!isConditional(prices)) return priceFromRates(prices, { id, output });
  const possible: Price[] = [];
  for (const conditional of [...prices].reverse()) {
    if (!holds(conditional, at, hour)) continue;
    const price = priceFromRates(conditional.prices, { id, output });
    if (price !== null) possible.push(price);
    if (hour === "this-hour" || conditional.constraint?.type !== "time_of_date") break;
  }
  return possible.sort((left, right) => right.outputUsdPerMtok - left.outputUsdPerMtok)[0] ?? null;
}

const isConditional = (
  prices: ListedRates | readonly ConditionalRates[],
): prices is readonly ConditionalRates[] => Array.isArray(prices);

function holds({ constraint }: ConditionalRates, at: Date, hour: HourRule): boolean {
  if (constraint === undefined) return true;
  if (constraint.type === "start_date") return at >= new Date(constraint.start_date);
  if (hour === "most-expensive-hour") return true;
  const [now, start, end] = [
    at.getTime() % DAY_MS,
    msOfDay(constraint.start_time),
    msOfDay(constraint.end_time),
  ];
  return start <= end ? now >= start && now < end : now >= start || now < end;
}

const DAY_MS = 86_400_000;

/** `16:30:00Z`, `00:30:00+08:00` → milliseconds after midnight in UTC. */
const msOfDay = (time: string): number => (Date.parse(`2000-01-01T${time}`) + DAY_MS) % DAY_MS;

/** The first moment after `at` at which another conditional price may apply; null when there is none. */
export function nextChange(prices: readonly ConditionalRates[], at: Date): Date | null {
  const moments = prices.flatMap(({ constraint }) => {
    if (constraint === undefined) return [];
    if (constraint.type === "start_date") return [Date.parse(constraint.start_date)];
    return [constraint.start_time, constraint.end_time].map((time) => nextTimeOfDay(msOfDay(time), at));
  });
  const future = moments.filter((moment) => moment > at.getTime());
  return future.length === 0 ? null : new Date(Math.min(...future));
}

function nextTimeOfDay(ms: number, at: Date): number {
  const today = at.getTime() - (at.getTime() % DAY_MS) + ms;
  return today > at.getTime() ? today : today + DAY_MS;
}
