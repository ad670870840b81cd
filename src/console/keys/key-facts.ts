import type {
  ListedKeyBody as Key,
  KeyChangeBody as KeyChange,
  NewKeyBody as NewKey,
} from "../../gateway/features/keys/schema.js";
import { namesOf } from "../api/names.js";
import { textIn } from "../components/form-text.js";
import { localInput } from "../components/format.js";

export interface Use {
  readonly name: string;
  readonly unit: "count" | "usd";
  readonly used: number;
  readonly limit: number;
  /** 1 when all of it is used. */
  readonly ratio: number;
}

const LIMITS = [
  ["requests_per_minute", "requests/min", "count"],
  ["tokens_per_minute", "tokens/min", "count"],
  ["usd_per_month", "a month", "usd"],
] as const;

/** The limits that a key has, and their use. */
export const usesOf = ({ use }: Pick<Key, "use">): readonly Use[] =>
  LIMITS.flatMap(([field, name, unit]) => {
    const one = use[field];
    return one === null ? [] : [{ name, unit, ...one, ratio: one.used / one.limit }];
  });

/** The highest use of any limit; 0 without limits. */
export const highestUse = (key: Pick<Key, "use">): number =>
  Math.max(0, ...usesOf(key).map(({ ratio }) => ratio));

/** A key with what its requests came to. */
export interface KeySummary {
  readonly key: Key;
  /** Known costs of this month; null while traces cannot be asked. */
  readonly spendUsd: number | null;
  /** Requests that its limits refused in the last 24 hours. */
  readonly refused: number;
}

/**
 * Those that have a text in their name, id, prefix, source or team, in any case: first the ones near a limit, then equal ones,
 * the newest first, then those that cannot be used.
 */
export function chosenKeys(keys: readonly KeySummary[], text: string): readonly KeySummary[] {
  const wanted = text.trim().toLowerCase();
  return keys
    .filter(({ key: { id, name, prefix, source, team } }) =>
      [id, name, prefix, source, team].some((field) => field?.toLowerCase().includes(wanted)),
    )
    .toSorted(
      ({ key: left }, { key: right }) =>
        Number(isUsable(right)) - Number(isUsable(left)) || highestUse(right) - highestUse(left),
    );
}

/** When the secret ends that a key had before; null: it has ended, or there was none. */
export const oldSecretEnds = (
  { revoked_at: revokedAt, previous }: Pick<Key, "revoked_at" | "previous">,
  nowMs: number,
) =>
  revokedAt === null && previous !== null && Date.parse(previous.expires_at) > nowMs
    ? previous.expires_at
    : null;

const isUsable = ({ revoked_at, expires_at }: Pick<Key, "revoked_at" | "expires_at">): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());

/** What each scope lets a key do. */
export const SCOPE_MEANINGS: Readonly<Record<Key["scopes"][number], string>> = {
  inference: "Run models and route prompts.",
  "traces:read": "Read traces of its own source.",
  "traces:read:all": "Read traces of every source.",
  admin: "Everything, this console and other keys included.",
};

/** What of a form both a new key and a change have, in the words of the API. */
function commonIn(form: FormData) {
  const figure = (name: string): number | null =>
    textIn(form, name) === "" ? null : Number(textIn(form, name));
  const models = textIn(form, "models")
    .split(",")
    .map((name) => name.trim());
  return {
    name: textIn(form, "name"),
    team: textIn(form, "team") || null,
    limits: {
      requests_per_minute: figure("requests"),
      tokens_per_minute: figure("tokens"),
      usd_per_month: figure("usd"),
      max_usd_per_request: figure("most"),
      allowed_models: models.every((name) => name === "") ? null : models,
      min_cost_weight: figure("least"),
    },
    cost_weight: figure("weight"),
    expires_at: momentOf(textIn(form, "expires")),
  };
}

export const newKeyFrom = (form: FormData): NewKey => ({
  ...commonIn(form),
  source: textIn(form, "source") || null,
  scopes: namesOf(SCOPE_MEANINGS).filter((scope) => form.getAll("scope").includes(scope)),
});

/** What a form changes of the key that it was opened for: others may have changed the rest since. */
export function keyChangeFrom(form: FormData, before: Key): KeyChange {
  const { limits, ...fields } = commonIn(form);
  const shown = { ...before, expires_at: momentOf(localInput(before.expires_at)) };
  return { ...changed(fields, shown), limits: changed(limits, before.limits) };
}

/** The fields that are not as they were. */
const changed = <Fields extends object>(now: Fields, before: { readonly [Name in keyof Fields]: unknown }) =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Fields]),
    ),
  ) as Partial<Fields>;

/** Of an input for local time: ISO 8601, UTC; null for an empty one. */
const momentOf = (local: string): string | null => (local === "" ? null : new Date(local).toISOString());
