import { z } from "zod";
import type { Principal } from "../principal.js";
import { accountsOf, budgetAccount, PERIODS } from "./spend-period.js";

const badName = { error: "it must be a letter and up to 63 letters, digits, dots, dashes or underscores" };
const badBy = {
  error: "it must be `all`, `key`, `source`, `team`, or `metadata.` and a key of the metadata",
};
const badZone = { error: "it must be a time zone of the IANA database, such as Europe/Berlin" };
const badCount = { error: "it must be a whole number of at least 1" };
const badUsd = { error: "it must be a number above 0, at most 1000000000" };
const badWarning = { error: "it must be a number above 0, at most 1" };
const MOST_VALUE_CHARACTERS = 128;

function isZone(text: string): boolean {
  try {
    // Offsets such as +02:00 are accepted as zones too: a colon separates the parts of an account.
    return !text.includes(":") && new Intl.DateTimeFormat("en", { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

/** An entry of `budgets`: what all requests with one value of something may use together. */
export const budgetSchema = z
  .strictObject({
    name: z.string(badName).regex(/^[a-z][\w.-]{0,63}$/i, badName),
    by: z.string(badBy).regex(/^(all|key|source|team|metadata\.[^:]{1,64})$/, badBy),
    value: z.string().min(1).max(MOST_VALUE_CHARACTERS).optional(),
    period: z.enum(PERIODS, { error: `it must be one of ${PERIODS.join(", ")}` }).default("month"),
    time_zone: z.string(badZone).refine(isZone, badZone).default("UTC"),
    usd: z.number(badUsd).positive(badUsd).max(1e9, badUsd).optional(),
    requests_per_minute: z.int(badCount).min(1, badCount).optional(),
    tokens_per_minute: z.int(badCount).min(1, badCount).optional(),
    warn_at: z.number(badWarning).positive(badWarning).max(1, badWarning).default(0.8),
    at_limit: z.strictObject({ preset: z.string().min(1) }).optional(),
  })
  .refine(({ usd, requests_per_minute: requests, tokens_per_minute: tokens }) => usd ?? requests ?? tokens, {
    error: "it needs `usd`, `requests_per_minute` or `tokens_per_minute`",
  })
  .refine(({ usd, at_limit: atLimit }) => atLimit === undefined || usd !== undefined, {
    error: "`at_limit` needs `usd`",
  });

/** With the names of the settings file. */
export type BudgetEntry = Readonly<z.infer<typeof budgetSchema>>;

/** What of a request budgets look at, beside its principal. */
export interface RequestTags {
  /** By which a refusal can be looked up; undefined: it cannot. */
  readonly requestId?: string | undefined;
  readonly source?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Whether another model may answer. Default: it may not. */
  readonly isSwitchable?: (() => boolean) | undefined;
}

/** Follows a team or source that a caller named, where keys and tokens can be bound to one: none of theirs has a comma. */
const NAMED = ", named by callers";

/** By what a budget counts a request. */
export interface BudgetValue {
  /** Empty for a request that has none, so that those share one budget. */
  readonly value: string;
  /** Whether the key or token says so, and not the request. */
  readonly isBound: boolean;
}

/**
 * The team or source of a key or token counts before what the request says, which its holder cannot leave, and by itself: others
 * that name it count apart.
 */
export function budgetValue(
  { by, value: only }: Pick<BudgetEntry, "by" | "value">,
  { id, kind, team, source: ownSource }: Principal,
  { source = "", metadata = {} }: RequestTags,
): BudgetValue | undefined {
  const own = { source: kind === "gateway" ? source : ownSource, team, "metadata.team": team };
  const bound = { all: "", key: id, ...own }[by] ?? null;
  const named = by === "source" ? source : metadata[by.replace(/^metadata\./, "")];
  const value = String(bound ?? named ?? "").slice(0, MOST_VALUE_CHARACTERS);
  if (only !== undefined && only !== value) return undefined;
  const isApart = bound === null && by in own && value !== "" && kind !== "anonymous";
  return { value: isApart ? value + NAMED : value, isBound: bound !== null };
}

const naming = ({ name, period, time_zone: timeZone }: BudgetEntry) => ({ name, period, timeZone });

/** What counters count for a value of a budget. */
export const accountOf = (budget: BudgetEntry, value: string): string =>
  budgetAccount({ ...naming(budget), value });

/** How the names of all accounts of a budget begin; what follows is the value. */
export const accountPrefix = (budget: BudgetEntry): string => accountsOf(naming(budget));

/** What an operator may not expect of budgets, a sentence each. */
export const budgetNotes = (budgets: readonly BudgetEntry[]): readonly string[] =>
  budgets.flatMap(({ name, by, value }) =>
    value !== undefined || by === "all" || by === "key"
      ? []
      : `The budget ${JSON.stringify(name)} also limits all requests that name no ${by}, together. ` +
        "Bind keys to one, have callers name one, or give the budget a `value`.",
  );
