/** Options of `sextant keys`, and how their values are read. */
import { InvalidArgumentError } from "commander";
import { snakeCased } from "../../foundation/snake-case.js";
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
import { type OptionSpec, option, type Read } from "../command.js";
import { costWeight, list, parseSpan, wholeNumberWithin } from "../options.js";

export const KEY_OPERAND = {
  name: "<id>",
  about: "id of the key, or its first 12 characters when only one key has them",
};

export const scopes: Read<readonly Scope[]> = (text, context) => {
  const names = list(text, context);
  const unknown = names.filter((name) => !SCOPES.some((scope) => scope === name));
  if (names.length > 0 && unknown.length === 0) return SCOPES.filter((scope) => names.includes(scope));
  throw new InvalidArgumentError(`"${unknown.join(", ")}" is not a scope. Scopes: ${SCOPES.join(", ")}.`);
};

export const source: Read<string> = (text) => {
  if (isSourceName(text)) return text;
  throw new InvalidArgumentError(`It must have ${SOURCE_RULE}.`);
};

export const keyName: Read<string> = (text) => {
  if (text !== "" && text.length <= NAME_CHARACTERS) return text;
  throw new InvalidArgumentError(`It must have 1 to ${NAME_CHARACTERS} characters.`);
};

const count = wholeNumberWithin(1, 1_000_000_000);

const MOST_USD_PER_MONTH = 1_000_000;

const dollars: Read<number> = (text) => {
  const amount = /^\d+(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  if (amount > 0 && amount <= MOST_USD_PER_MONTH) return amount;
  throw new InvalidArgumentError(
    `It must be an amount above 0, at most ${MOST_USD_PER_MONTH}, such as 25 or 0.5.`,
  );
};

const models: Read<readonly string[]> = (text) => {
  const { data } = capFields.allowed_models.safeParse(text.split(",").map((name) => name.trim()));
  if (data) return data;
  throw new InvalidArgumentError("It must be 1 to 100 names of models, separated by commas.");
};

/** Reads a value, or leaves the word as it is that removes one: commander takes null for an empty text. */
export const orWord =
  <Word extends string, Value>(word: Word, read: Read<Value>): Read<Value | Word> =>
  (text, context) =>
    text === word ? word : read(text, context);

/** A moment to come, in milliseconds since the epoch. */
export const expiry: Read<number> = (text, { now }) => {
  const span = parseSpan(text);
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text);
  const expiresAtMs = span === undefined ? (isDate ? Date.parse(text) : Number.NaN) : now() + span;
  if (expiresAtMs > now() && expiresAtMs < 8.64e15) return expiresAtMs;
  throw new InvalidArgumentError(
    "It must be in the future: a date such as 2030-01-31, or a time from now such as 90d or 12h.",
  );
};

/** How long a replaced key goes on working, in milliseconds. */
export const grace: Read<number> = (text) => {
  const span = text === "0" ? 0 : parseSpan(text);
  if (span !== undefined && span <= MOST_GRACE_SECONDS * 1000) return span;
  throw new InvalidArgumentError(
    `It must be 0, or a time of at most ${MOST_GRACE_SECONDS / 86_400} days such as 30m, 12h or 1d.`,
  );
};

interface Limit<Value> {
  readonly placeholder: string;
  readonly about: string;
  readonly read: Read<Value>;
  /** Its default; undefined for a cap on each request, which has none. */
  readonly setting?: string;
}

/** Limits of a key, by their options. */
const LIMITS = {
  requestsPerMinute: {
    placeholder: "<count>",
    about: "requests per minute",
    read: count,
    setting: "SEXTANT_REQUESTS_PER_MINUTE",
  },
  tokensPerMinute: {
    placeholder: "<count>",
    about: "tokens per minute",
    read: count,
    setting: "SEXTANT_TOKENS_PER_MINUTE",
  },
  usdPerMonth: {
    placeholder: "<amount>",
    about: "US dollars per calendar month, UTC",
    read: dollars,
    setting: "SEXTANT_USD_PER_MONTH",
  },
  maxUsdPerRequest: { placeholder: "<amount>", about: "maximum US dollars per request", read: dollars },
  allowedModels: {
    placeholder: "<names>",
    about: "allowed models, separated by commas: gpt-5.5, gpt-* or azure/gpt-*",
    read: models,
  },
  minCostWeight: {
    placeholder: "<weight>",
    about: "minimum cost weight of `auto`, 0 to 1",
    read: costWeight,
  },
} satisfies Readonly<Record<string, Limit<unknown>>>;

type LimitOptions = { readonly [Name in keyof typeof LIMITS]: OptionSpec<unknown> };

const limitOptions = (describe: (limit: Limit<unknown>) => OptionSpec<unknown>): LimitOptions =>
  Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, describe(limit)])) as LimitOptions;

export const LIMITS_OF_NEW_KEY = limitOptions(({ placeholder, about, read, setting }) =>
  option(placeholder, setting === undefined ? about : `${about}; default: ${setting}`, read),
);

/** A word removes a limit. */
export const LIMITS_OF_CHANGE = limitOptions(({ placeholder, about, read, setting }) => {
  const [word, meaning] = setting === undefined ? ["none", "any"] : ["default", "as the settings say"];
  return option(placeholder, `${about}; \`${word}\`: ${meaning}`, orWord(word, read));
});

/** The limits among the options of a command; null for one that a word removes. */
export function limitsIn(options: object): LimitChange {
  const limits = Object.entries(options).flatMap(([name, value]) =>
    name in LIMITS ? [[name, value === "default" || value === "none" ? null : value]] : [],
  );
  return snakeCased(Object.fromEntries(limits));
}
