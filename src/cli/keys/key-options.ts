/** Options of `sextant keys`, and how their values are read. */
import { InvalidArgumentError, Option } from "commander";
import { snakeCased } from "../../foundation/snake-case.js";
import type { ApiKeyMetadata } from "../../gateway/access/keys/api-key.js";
import type { LimitChange } from "../../gateway/access/keys/key-limits.js";
import type { Scope } from "../../gateway/access/principal.js";
import {
  capFields,
  isSourceName,
  MOST_GRACE_SECONDS,
  NAME_CHARACTERS,
  SCOPES,
  SOURCE_RULE,
} from "../../gateway/index.js";
import { numberWithin, parseSpan, wholeNumberWithin } from "../option-values.js";

export const KEY_SELECTOR = "id of the key, or its first 12 characters when only one key has them";

/** What an event about a key names it by. */
export const keyTarget = ({ id, name }: ApiKeyMetadata) => ({ type: "key" as const, id, name });

export const jsonOption = (): Option => new Option("--json", "print JSON");

export function parseScopes(text: string): readonly Scope[] {
  const names = text.split(",").map((name) => name.trim());
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  const unknown = names.filter((name) => !SCOPES.some((scope) => scope === name));
  if (unknown.length === 0) return scopes;
  throw new InvalidArgumentError(`"${unknown.join(", ")}" is not a scope. Scopes: ${SCOPES.join(", ")}.`);
}

export function parseSource(text: string): string {
  if (isSourceName(text)) return text;
  throw new InvalidArgumentError(`It must have ${SOURCE_RULE}.`);
}

const parseCount = wholeNumberWithin(1, 1_000_000_000);

const MOST_USD_PER_MONTH = 1_000_000;

function parseDollars(text: string): number {
  const amount = /^\d+(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  if (amount > 0 && amount <= MOST_USD_PER_MONTH) return amount;
  throw new InvalidArgumentError(
    `It must be an amount above 0, at most ${MOST_USD_PER_MONTH}, such as 25 or 0.5.`,
  );
}

export const parseWeight = numberWithin(0, 1);

function parseModels(text: string): readonly string[] {
  const { data } = capFields.allowed_models.safeParse(text.split(",").map((name) => name.trim()));
  if (data) return data;
  throw new InvalidArgumentError("It must be 1 to 100 names of models with commas between them.");
}

/** Reads a value, or leaves the word as it is that removes one: commander takes null for an empty text. */
export const orWord =
  <Word extends string, Value>(word: Word, parse: (text: string) => Value) =>
  (text: string): Value | Word =>
    text === word ? word : parse(text);

/** Limits of a key. Those without a setting are caps on each request, which have no default. */
const LIMITS: readonly (readonly [
  flags: string,
  what: string,
  parse: (text: string) => unknown,
  setting?: string,
])[] = [
  [
    "--requests-per-minute <count>",
    "requests it may make in a minute",
    parseCount,
    "SEXTANT_REQUESTS_PER_MINUTE",
  ],
  ["--tokens-per-minute <count>", "tokens it may use in a minute", parseCount, "SEXTANT_TOKENS_PER_MINUTE"],
  [
    "--usd-per-month <amount>",
    "US dollars it may spend in a calendar month, UTC",
    parseDollars,
    "SEXTANT_USD_PER_MONTH",
  ],
  ["--max-usd-per-request <amount>", "US dollars that one request may cost", parseDollars],
  ["--allowed-models <names>", "models it may use, with commas: gpt-5.5, gpt-* or azure/gpt-*", parseModels],
  ["--min-cost-weight <weight>", "least cost weight of `auto`, 0 to 1", parseWeight],
];

/** The options that limit a key. Of a change, a word removes a limit. */
export const limitOptions = (of: "new key" | "change"): readonly Option[] =>
  LIMITS.map(([flags, what, parse, setting]) => {
    const [word, meaning] = setting === undefined ? ["none", "any"] : ["default", "as the settings say"];
    if (of === "change")
      return new Option(flags, `${what}; \`${word}\`: ${meaning}`).argParser(orWord(word, parse));
    return new Option(flags, setting === undefined ? what : `${what}; default: ${setting}`).argParser(parse);
  });

/** The limits among the options of a command; null for one that a word removes. */
export function limitsIn(options: object): LimitChange {
  const names: readonly string[] = LIMITS.map(([flags]) => new Option(flags).attributeName());
  const limits = Object.entries(options).flatMap(([name, value]) =>
    names.includes(name) ? [[name, value === "default" || value === "none" ? null : value]] : [],
  );
  return snakeCased(Object.fromEntries(limits));
}

export function parseExpiry(text: string, nowMs: number): number {
  const span = parseSpan(text);
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text);
  const expiry = span === undefined ? (isDate ? Date.parse(text) : Number.NaN) : nowMs + span;
  if (expiry > nowMs && expiry < 8.64e15) return expiry;
  throw new InvalidArgumentError(
    "It must be a moment to come: a date such as 2030-01-31, or a time from now such as 90d or 12h.",
  );
}

/** How long a replaced key goes on working. @returns milliseconds */
export function parseGrace(text: string): number {
  const span = text === "0" ? 0 : parseSpan(text);
  if (span !== undefined && span <= MOST_GRACE_SECONDS * 1000) return span;
  throw new InvalidArgumentError(
    `It must be 0, or a time of at most ${MOST_GRACE_SECONDS / 86_400} days such as 30m, 12h or 1d.`,
  );
}

export function parseName(text: string): string {
  if (text !== "" && text.length <= NAME_CHARACTERS) return text;
  throw new InvalidArgumentError(`It must have 1 to ${NAME_CHARACTERS} characters.`);
}
