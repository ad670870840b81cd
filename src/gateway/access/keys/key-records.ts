import { SextantError } from "../../../foundation/errors.js";
import type { Principal, PrincipalLimits } from "../principal.js";
import { capsIn } from "../request-caps.js";
import { type ApiKeyRecord, digestOf, prefixOf } from "./api-key.js";
import { keyLimitsSchema, type LimitChange } from "./key-limits.js";
import type { RefusedUse } from "./refused-use.js";

const LAST_USED_PRECISION_MS = 60_000;

export const BOOTSTRAP_ID = "key_bootstrap";

/** The record of the key that exists without being stored. */
export function bootstrapRecord(key: string): ApiKeyRecord {
  return {
    id: BOOTSTRAP_ID,
    name: "bootstrap",
    prefix: prefixOf(key),
    source: null,
    team: null,
    scopes: ["admin"],
    limits: keyLimitsSchema.parse({}),
    cost_weight: null,
    created_at: new Date(0).toISOString(),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    digest: digestOf(key),
    previous: null,
  };
}

/** Whoever has the key: with its own limits, and with the defaults where it has none. */
export function principalOf(record: ApiKeyRecord, defaults: PrincipalLimits): Principal {
  const { id, source, team, scopes, limits, cost_weight: costWeight } = record;
  return {
    id,
    kind: "api_key",
    source,
    team,
    scopes,
    costWeight,
    caps: capsIn(limits),
    limits: {
      requestsPerMinute: limits.requests_per_minute ?? defaults.requestsPerMinute,
      tokensPerMinute: limits.tokens_per_minute ?? defaults.tokensPerMinute,
      usdPerMonth: limits.usd_per_month ?? defaults.usdPerMonth,
    },
  };
}

export const isExpired = ({ expires_at }: Pick<ApiKeyRecord, "expires_at">, nowMs: number): boolean =>
  expires_at !== null && Date.parse(expires_at) <= nowMs;

/**
 * The one key with that id or prefix.
 *
 * @throws SextantError `not_found` when there is none, or more than one
 */
export function selectKey(keys: readonly ApiKeyRecord[], selector: string): ApiKeyRecord {
  const matching = keys.filter((key) => key.id === selector || key.prefix === selector);
  const [only, another] = matching;
  if (only !== undefined && another === undefined) return only;
  const fault = only === undefined ? "No key has" : `${matching.length} keys have`;
  throw new SextantError(
    "not_found",
    `${fault} the id or prefix \`${selector}\`. \`sextant keys list\` shows the ids of all keys.`,
  );
}

/** What of a key can be changed after its creation. What is left out stays. */
export interface KeyChange {
  readonly name?: string | undefined;
  /** Null: the default of the settings applies. What is left out stays. */
  readonly limits?: LimitChange | undefined;
  /** Null: as the metadata of its requests say. */
  readonly team?: string | null | undefined;
  /** Null: by the settings. */
  readonly costWeight?: number | null | undefined;
  /** Null: it does not expire. */
  readonly expiresAtMs?: number | null | undefined;
  /** When the secret before the last rotation stops working, if that is sooner; undefined: as the rotation says. */
  readonly previousEndsAtMs?: number | undefined;
}

/** @throws SextantError `invalid_request` when the key is revoked */
export function changedRecord(
  record: ApiKeyRecord,
  {
    name = record.name,
    team = record.team,
    limits,
    costWeight = record.cost_weight,
    expiresAtMs,
    previousEndsAtMs = Number.POSITIVE_INFINITY,
  }: KeyChange,
): ApiKeyRecord {
  refuseRevoked(record);
  return {
    ...record,
    name,
    team,
    limits: { ...record.limits, ...keyLimitsSchema.parse({ ...record.limits, ...limits }) },
    cost_weight: costWeight,
    expires_at: expiresAtMs === undefined ? record.expires_at : isoDateOf(expiresAtMs),
    previous: record.previous && endingBy(record.previous, previousEndsAtMs),
  };
}

const endingBy = <Previous extends { readonly expires_at: string }>(
  previous: Previous,
  ms: number,
): Previous =>
  ms < Date.parse(previous.expires_at) ? { ...previous, expires_at: new Date(ms).toISOString() } : previous;

export const isoDateOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

interface NewSecret {
  readonly key: string;
  /** When the secret that it replaces stops working. */
  readonly previousExpiresAtMs: number;
}

/** The record with a new secret. @throws SextantError `invalid_request` when the key is revoked */
export function rotatedRecord(record: ApiKeyRecord, { key, previousExpiresAtMs }: NewSecret): ApiKeyRecord {
  refuseRevoked(record);
  const { prefix, digest } = record;
  const expires_at = new Date(previousExpiresAtMs).toISOString();
  return {
    ...record,
    prefix: prefixOf(key),
    digest: digestOf(key),
    previous: { prefix, digest, expires_at, refused: null },
  };
}

function refuseRevoked({ id, revoked_at }: ApiKeyRecord): void {
  if (revoked_at === null) return;
  throw new SextantError(
    "invalid_request",
    `The key \`${id}\` was revoked on ${revoked_at} and cannot be changed. Create another one.`,
  );
}

/** The record with the minute of its last use; the same record when it was not used. */
export function withLastUsed(key: ApiKeyRecord, usedMs: number | undefined): ApiKeyRecord {
  if (usedMs === undefined) return key;
  const minute = Math.floor(usedMs / LAST_USED_PRECISION_MS) * LAST_USED_PRECISION_MS;
  return { ...key, last_used_at: new Date(minute).toISOString() };
}

/** Requests that came with the secret that has this prefix. */
export interface RefusedSince extends RefusedUse {
  readonly prefix: string;
}

/** The later of two counts with what both counted. */
export const refusedTogether = <Use extends RefusedUse>(
  before: RefusedUse | null | undefined,
  use: Use,
): Use => (before ? { ...use, requests: before.requests + use.requests, first_at: before.first_at } : use);

/** The record with requests that its replaced secret made; the same record when that has been replaced itself. */
export function withRefused(key: ApiKeyRecord, since: RefusedSince | undefined): ApiKeyRecord {
  const { previous } = key;
  if (since === undefined || previous?.prefix !== since.prefix) return key;
  const { prefix: _prefix, ...use } = since;
  return { ...key, previous: { ...previous, refused: refusedTogether(previous.refused, use) } };
}

/** A secret that a rotation replaced came after it had stopped working. */
export class ReplacedSecretError extends SextantError {
  constructor(
    readonly key: Pick<ApiKeyRecord, "id" | "source"> & { readonly prefix: string },
    endedAtMs: number,
  ) {
    super(
      "key_revoked",
      `The API key was replaced by a new one and stopped working on ${new Date(endedAtMs).toISOString()}. Use the new one.`,
    );
  }
}
