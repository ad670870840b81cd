import { timingSafeEqual } from "node:crypto";
import { SextantError, StorageError } from "../../../foundation/errors.js";
import type { SqliteStore } from "../../storage/sqlite-store.js";
import type { CredentialCheck } from "../authenticator.js";
import type { Principal, PrincipalLimits, Scope } from "../principal.js";
import {
  type ApiKeyMetadata,
  type ApiKeyRecord,
  apiKeyRecordSchema,
  digestOf,
  generateApiKey,
  metadataOf,
  prefixOf,
  type RandomBytes,
} from "./api-key.js";
import { keyLimitsSchema, type LimitChange } from "./key-limits.js";
import {
  BOOTSTRAP_ID,
  bootstrapRecord,
  changedRecord,
  isExpired,
  isoDateOf,
  type KeyChange,
  principalOf,
  type RefusedSince,
  ReplacedSecretError,
  refusedTogether,
  rotatedRecord,
  selectKey,
  withLastUsed,
  withRefused,
} from "./key-records.js";

/** A key's entry has its id; `first` is claimed by the process that makes the first key, and empty. */
const KIND = "key";
const FIRST = "first";
/** Keys whose use is written at once: requests wait for it some milliseconds. */
const SAVED_AT_ONCE = 200;

export interface KeyRingOptions {
  /** A key that exists as admin without being stored. */
  readonly bootstrapApiKey?: string | undefined;
  /** What a key may use where it has no limit of its own. */
  readonly defaultLimits: PrincipalLimits;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** A new unique id without its prefix, such as a ULID. */
  readonly newId: () => string;
}

export interface NewKey {
  readonly name: string;
  /** Null, or left out: each request may name one. */
  readonly source?: string | null | undefined;
  /** Null, or left out: as the metadata of its requests say. */
  readonly team?: string | null | undefined;
  readonly scopes: readonly Scope[];
  /** Null, or left out: it does not expire. */
  readonly expiresAtMs?: number | null | undefined;
  /** Null, or left out: the defaults of the settings apply, whatever they are at the time. */
  readonly limits?: LimitChange | null | undefined;
  /** Cost weight of `auto`, 0 to 1. Null, or left out: by the settings. */
  readonly costWeight?: number | null | undefined;
}

/** A key at its creation: the only moment it can be shown. */
export interface CreatedKey {
  readonly key: string;
  readonly metadata: ApiKeyMetadata;
}

export interface RecalledKey {
  /** SHA-256 of the key. */
  readonly digest: Buffer;
  /** @throws SextantError `key_expired`, `key_revoked` */
  admit(): Principal;
}

export interface UsableKey extends Pick<Principal, "id" | "limits"> {
  readonly name: string;
}

interface Entry {
  readonly record: ApiKeyRecord;
  readonly digest: Buffer;
  readonly principal: Principal;
  /** Of the secret before the last rotation: when it stops working. */
  readonly replacedAtMs?: number;
}

/** Where a refused request came from. */
export interface RefusedFrom {
  readonly address: string;
  /** That it named; undefined without one. */
  readonly source: string | undefined;
}

export interface RotationOptions {
  /** How long the replaced secret goes on working, in milliseconds; 0 ends it at once. */
  readonly graceMs: number;
}

/** Where the keys are kept. */
type KeyStore = Pick<SqliteStore, "name" | "entries" | "updateAll">;

/**
 * The API keys of a server: reads them once, answers from memory, and follows changes that other processes make.
 *
 * A key created elsewhere works at once, because an unknown key makes the ring look at the store again; a key revoked
 * elsewhere stops working at the next `refresh`, which `compose/access.ts` calls twice a second.
 */
export class KeyRing implements CredentialCheck {
  readonly #store: KeyStore;
  readonly #options: KeyRingOptions;
  /** Changes up to this one of the store have been read. */
  #sequence = 0;
  #entriesByPrefix: ReadonlyMap<string, readonly Entry[]> = new Map();
  #entriesById: ReadonlyMap<string, Entry> = new Map();
  /** Oldest first. */
  #records: readonly ApiKeyRecord[] = [];
  readonly #lastUsedMs = new Map<string, number>();
  /** By the id of the key: no more entries than keys that were rotated. */
  readonly #refused = new Map<string, RefusedSince>();

  private constructor(store: KeyStore, options: KeyRingOptions) {
    this.#store = store;
    this.#options = options;
    this.#load([]);
  }

  /** @throws StorageError when the keys cannot be read */
  static async open(store: KeyStore, options: KeyRingOptions): Promise<KeyRing> {
    const ring = new KeyRing(store, options);
    await ring.refresh();
    return ring;
  }

  /** Stored keys, oldest first. The bootstrap key is not stored and not listed. */
  list(): readonly ApiKeyMetadata[] {
    return this.#records.map(metadataOf);
  }

  /** The name of a key, revoked or not; undefined when there is no such key. */
  nameOf(id: string): string | undefined {
    return this.#entriesById.get(id)?.record.name;
  }

  /** The limits of a key, its own or the defaults; undefined when there is no such key. */
  limitsOf(id: string): PrincipalLimits | undefined {
    return this.#entriesById.get(id)?.principal.limits;
  }

  /** Keys that requests can be made with now, the bootstrap key included. */
  usable(): readonly UsableKey[] {
    const now = this.#options.now();
    return [...this.#entriesById.values()]
      .filter(({ record }) => record.revoked_at === null && !isExpired(record, now))
      .map(({ record: { name }, principal: { id, limits } }) => ({ id, name, limits }));
  }

  /** @throws SextantError `invalid_api_key`, `key_expired`, `key_revoked` (also as rejections) */
  authenticate(key: string): Principal | Promise<Principal> {
    const entry = this.#find(key);
    return entry === undefined ? this.#authenticateAfterRefresh(key) : this.#admit(entry);
  }

  /**
   * What a session that was started with a key needs to know of it; undefined when there is no such key any more. `admit` gives
   * the principal as `authenticate` does, and counts as a use of the key: call it for who proved to have had the key.
   */
  recall(id: string): RecalledKey | undefined {
    const entry = this.#entriesById.get(id);
    return entry === undefined ? undefined : { digest: entry.digest, admit: () => this.#admit(entry) };
  }

  /** Reads what has changed. @returns whether anything did @throws StorageError */
  async refresh(): Promise<boolean> {
    const changed = await this.#store.entries(KIND, this.#sequence);
    const records: ApiKeyRecord[] = [];
    let damage: unknown;
    for (const { sequence, value } of changed) {
      // Two looks may have read it at once.
      if (sequence <= this.#sequence) continue;
      this.#sequence = sequence;
      if (value === "") continue;
      try {
        records.push(this.#recordIn(value));
      } catch (fault) {
        // The others count: one of them may revoke a key.
        damage ??= fault;
      }
    }
    if (records.length > 0) this.#load(records);
    if (damage !== undefined) throw damage;
    return records.length > 0;
  }

  async create(newKey: NewKey): Promise<CreatedKey> {
    const created = this.#newKey(newKey);
    const { record } = created;
    await this.#store.updateAll(KIND, new Map([[record.id, () => JSON.stringify(record)]]));
    await this.refresh();
    return created;
  }

  /** The first key of a data folder: made when there is none and no bootstrap key; undefined otherwise. */
  async createFirst(newKey: NewKey): Promise<CreatedKey | undefined> {
    if (this.#options.bootstrapApiKey !== undefined || this.#records.length > 0) return undefined;
    const created = this.#newKey(newKey);
    const { record } = created;
    let isOurs = false;
    const claim = (claimed: string | undefined): string | undefined => {
      isOurs = claimed === undefined;
      return isOurs ? "" : undefined;
    };
    const create = () => (isOurs ? JSON.stringify(record) : undefined);
    await this.#store.updateAll(
      KIND,
      new Map([
        [FIRST, claim],
        [record.id, create],
      ]),
    );
    await this.refresh();
    return isOurs ? created : undefined;
  }

  /**
   * Revokes for good; revoking twice changes nothing. `selector` is the key's id or its prefix, when only one key has it.
   *
   * @throws SextantError `not_found`
   */
  revoke(selector: string): Promise<ApiKeyMetadata> {
    return this.#replace(selector, (key) =>
      key.revoked_at === null ? { ...key, revoked_at: this.#isoNow() } : key,
    );
  }

  /** Changes a key for all requests from then on. @throws SextantError `not_found`; `invalid_request` when it is revoked */
  update(selector: string, change: KeyChange): Promise<ApiKeyMetadata> {
    return this.#replace(selector, (key) => changedRecord(key, change));
  }

  /**
   * Gives a key a new secret. Its id, limits, budget and traces stay; the secret before it works for the grace, and one that an
   * earlier rotation replaced no longer. Sessions of the console that were started with the key end.
   *
   * @throws SextantError `not_found`; `invalid_request` when it is revoked
   */
  async rotate(selector: string, { graceMs }: RotationOptions): Promise<CreatedKey> {
    const key = generateApiKey(this.#options.randomBytes);
    const previousExpiresAtMs = this.#options.now() + graceMs;
    const metadata = await this.#replace(selector, (record) =>
      rotatedRecord(record, { key, previousExpiresAtMs }),
    );
    return { key, metadata };
  }

  /** Counts a request that came with a replaced secret; `saveUse` adds it to what all processes counted. */
  noteRefused({ key }: ReplacedSecretError, { address, source }: RefusedFrom): void {
    const at = this.#isoNow();
    const use = { requests: 1, first_at: at, last_at: at, last_address: address };
    const since = { ...use, last_source: key.source ?? source ?? null, prefix: key.prefix };
    const before = this.#refused.get(key.id);
    this.#refused.set(key.id, refusedTogether(before?.prefix === key.prefix ? before : null, since));
  }

  /** Writes which keys were used, and how often replaced secrets, since the last call. Off the path of requests: a timer calls it. */
  async saveUse(): Promise<void> {
    if (this.#lastUsedMs.size + this.#refused.size === 0) return;
    const [used, refused] = [new Map(this.#lastUsedMs), new Map(this.#refused)];
    this.#lastUsedMs.clear();
    this.#refused.clear();
    const ids = [...new Set([...used.keys(), ...refused.keys()])];
    const noted = (text: string | undefined): string | undefined => {
      if (text === undefined) return undefined;
      const key = this.#recordIn(text);
      return JSON.stringify(withRefused(withLastUsed(key, used.get(key.id)), refused.get(key.id)));
    };
    for (let at = 0; at < ids.length; at += SAVED_AT_ONCE) {
      const some = ids.slice(at, at + SAVED_AT_ONCE);
      await this.#store.updateAll(KIND, new Map(some.map((id) => [id, noted])));
    }
    await this.refresh();
  }

  async #authenticateAfterRefresh(key: string): Promise<Principal> {
    const entry = (await this.refresh().catch(() => false)) ? this.#find(key) : undefined;
    if (entry !== undefined) return this.#admit(entry);
    throw new SextantError(
      "invalid_api_key",
      "The API key is not known. Check that it was copied whole, or create one with `sextant keys create`.",
    );
  }

  /** Compares digests only, each in constant time, so that timing reveals nothing about a stored key. */
  #find(key: string): Entry | undefined {
    const digest = Buffer.from(digestOf(key), "hex");
    const entries = this.#entriesByPrefix.get(prefixOf(key)) ?? [];
    return entries.find((entry) => timingSafeEqual(entry.digest, digest));
  }

  #admit({ record, principal, replacedAtMs }: Entry): Principal {
    const now = this.#options.now();
    if (replacedAtMs !== undefined && replacedAtMs <= now) {
      const { id, source, previous } = record;
      throw new ReplacedSecretError({ id, source, prefix: previous?.prefix ?? "" }, replacedAtMs);
    }
    if (record.revoked_at !== null) {
      throw new SextantError(
        "key_revoked",
        `The API key was revoked on ${record.revoked_at}. Use another key, or create one with \`sextant keys create\`.`,
      );
    }
    if (isExpired(record, now)) {
      throw new SextantError(
        "key_expired",
        `The API key expired on ${record.expires_at}. Create a new one with \`sextant keys create\`.`,
      );
    }
    if (record.id !== BOOTSTRAP_ID) this.#lastUsedMs.set(record.id, now);
    return principal;
  }

  async #replace(selector: string, change: (key: ApiKeyRecord) => ApiKeyRecord): Promise<ApiKeyMetadata> {
    await this.refresh();
    let changed = selectKey(this.#records, selector);
    const replaced = (text: string | undefined): string | undefined => {
      if (text === undefined) return undefined;
      const before = this.#recordIn(text);
      changed = change(before);
      return changed === before ? undefined : JSON.stringify(changed);
    };
    await this.#store.updateAll(KIND, new Map([[changed.id, replaced]]));
    await this.refresh();
    return metadataOf(changed);
  }

  #recordIn(text: string): ApiKeyRecord {
    try {
      return apiKeyRecordSchema.parse(JSON.parse(text));
    } catch (cause) {
      throw new StorageError(
        `${this.#store.name} has a key that cannot be read. Restore it from a backup, or move it away to start without keys.`,
        { cause },
      );
    }
  }

  #load(changed: readonly ApiKeyRecord[]): void {
    const { bootstrapApiKey, defaultLimits } = this.#options;
    const known = new Map(this.#records.map((record) => [record.id, record]));
    for (const record of changed) known.set(record.id, record);
    const records = [...known.values()].sort((left, right) =>
      left.created_at < right.created_at ? -1 : left.created_at > right.created_at ? 1 : 0,
    );
    const all = bootstrapApiKey === undefined ? records : [...records, bootstrapRecord(bootstrapApiKey)];
    const byPrefix = new Map<string, Entry[]>();
    const byId = new Map<string, Entry>();
    const add = (prefix: string, entry: Entry): void => {
      byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), entry]);
    };
    for (const record of all) {
      const before = this.#entriesById.get(record.id);
      const entry = before?.record === record ? before : entryOf(record, defaultLimits);
      add(record.prefix, entry);
      byId.set(record.id, entry);
      const { previous } = record;
      if (previous === null) continue;
      const replacedAtMs = Date.parse(previous.expires_at);
      add(previous.prefix, { ...entry, digest: Buffer.from(previous.digest, "hex"), replacedAtMs });
    }
    this.#entriesByPrefix = byPrefix;
    this.#entriesById = byId;
    this.#records = records;
  }

  #newKey(newKey: NewKey): CreatedKey & { readonly record: ApiKeyRecord } {
    const key = generateApiKey(this.#options.randomBytes);
    const record: ApiKeyRecord = {
      id: `key_${this.#options.newId()}`,
      name: newKey.name,
      prefix: prefixOf(key),
      source: newKey.source ?? null,
      team: newKey.team ?? null,
      scopes: [...newKey.scopes],
      limits: keyLimitsSchema.parse({ ...newKey.limits }),
      created_at: this.#isoNow(),
      cost_weight: newKey.costWeight ?? null,
      expires_at: isoDateOf(newKey.expiresAtMs ?? null),
      revoked_at: null,
      last_used_at: null,
      digest: digestOf(key),
      previous: null,
    };
    return { key, metadata: metadataOf(record), record };
  }

  #isoNow(): string {
    return new Date(this.#options.now()).toISOString();
  }
}

const entryOf = (record: ApiKeyRecord, defaultLimits: PrincipalLimits): Entry => ({
  record,
  digest: Buffer.from(record.digest, "hex"),
  principal: principalOf(record, defaultLimits),
});
