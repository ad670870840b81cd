import { createHash, timingSafeEqual } from "node:crypto";
import { SextantError } from "../../../foundation/errors.js";
import type { PresentedSession, SessionCheck } from "../../access/authenticator.js";
import { digestOf, type RandomBytes } from "../../access/keys/api-key.js";
import type { KeyRing } from "../../access/keys/key-ring.js";
import { type Principal, requireScope } from "../../access/principal.js";
import type { Store } from "../../storage/store.js";

const TOKEN_BYTES = 32;

export interface ConsoleSessionsOptions {
  readonly store: Pick<Store, "get" | "put" | "update">;
  readonly keys: Pick<KeyRing, "authenticate" | "recall">;
  /** Milliseconds of inactivity after which a session ends. */
  readonly idleMs: number;
  /** Milliseconds after its start at which a session ends in any case. */
  readonly longestMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

/** As it is stored under a digest of its token: who reads the store cannot take it over. */
interface StoredSession {
  /** Id of the key that it was started with. */
  readonly key: string;
  /** Of the key's secret. */
  readonly digest: string;
  /** Milliseconds since the epoch, as the next one. */
  readonly begunMs: number;
  /** When its user was active last. */
  readonly seenMs: number;
}

/** What is stored of one whose user has signed out, until its end. */
const SIGNED_OUT = "";

/** A session as returned to its user. */
export interface ConsoleSession {
  /** Value of the cookie. */
  readonly token: string;
  /** Value that the page sends along with the cookie. */
  readonly proof: string;
  readonly principal: Principal;
  /** When the session ends unless its user is active before, in milliseconds since the epoch. */
  readonly endsAtMs: number;
}

/**
 * Sessions of the console, which act with the rights of an admin key: a random token in a cookie, and a proof that the page holds.
 *
 * A restart ends none, and one that ended in one process of the store has ended in all. At each request a session has the current
 * scopes of its key; it ends when the key is revoked, replaced or expires.
 */
export class ConsoleSessions implements SessionCheck {
  readonly #options: ConsoleSessionsOptions;

  constructor(options: ConsoleSessionsOptions) {
    this.#options = options;
  }

  /** @throws SextantError `invalid_api_key`, `key_expired`, `key_revoked`; `insufficient_scope` without the scope `admin` */
  async begin(apiKey: string): Promise<ConsoleSession> {
    const { store, keys, longestMs, now, randomBytes } = this.#options;
    const principal = await keys.authenticate(apiKey);
    requireScope(principal, "admin");
    const digest = digestOf(apiKey);
    if (keys.recall(principal.id)?.digest.toString("hex") !== digest) throw replaced();
    const nowMs = now();
    const session = { key: principal.id, digest, begunMs: nowMs, seenMs: nowMs };
    const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString("base64url");
    await store.put(entryOf(token), JSON.stringify(session), { ttlMs: longestMs });
    return this.#shown(token, session, principal);
  }

  /** The same session, whose idle time starts now. @throws SextantError as `authenticate` */
  async resume(token: string): Promise<ConsoleSession> {
    const { session, principal } = await this.#check(token);
    const resumed = { ...session, seenMs: this.#options.now() };
    await this.#options.store.update(entryOf(token), (text = SIGNED_OUT) =>
      text === SIGNED_OUT ? undefined : JSON.stringify(resumed),
    );
    return this.#shown(token, resumed, principal);
  }

  /** @throws SextantError `invalid_session`, `key_expired`, `key_revoked`; `insufficient_scope` when the key lost `admin` */
  async authenticate({ token, proof }: PresentedSession): Promise<Principal> {
    if (!isEqual(proof, proofOf(token))) throw sessionEnded();
    return (await this.#check(token)).principal;
  }

  /** Ends a session in every process. Idempotent. */
  async end(session: PresentedSession): Promise<void> {
    await this.authenticate(session);
    await this.#options.store.update(entryOf(session.token), () => SIGNED_OUT);
  }

  async #check(token: string): Promise<{ readonly session: StoredSession; readonly principal: Principal }> {
    const { store, keys, now } = this.#options;
    const text = (await store.get(entryOf(token))) ?? SIGNED_OUT;
    if (text === SIGNED_OUT) throw sessionEnded();
    const session = JSON.parse(text) as StoredSession;
    const key = keys.recall(session.key);
    if (key?.digest.toString("hex") !== session.digest || this.#endOf(session) <= now()) throw sessionEnded();
    const principal = key.admit();
    requireScope(principal, "admin");
    return { session, principal };
  }

  #endOf({ begunMs, seenMs }: StoredSession): number {
    const { idleMs, longestMs } = this.#options;
    return Math.min(begunMs + longestMs, seenMs + idleMs);
  }

  #shown(token: string, session: StoredSession, principal: Principal): ConsoleSession {
    return { token, proof: proofOf(token), principal, endsAtMs: this.#endOf(session) };
  }
}

const entryOf = (token: string) => ({ kind: "session", key: digestOf(token) });

/**
 * A value known to the page of the session and not to other sites: it is returned when the session starts and required
 * in a header of every request that uses the session (protection against cross-site request forgery).
 */
const proofOf = (token: string): string => createHash("sha256").update(`proof\n${token}`).digest("base64url");

/** Compares two texts in a time that depends only on their lengths. */
function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A session would outlive the grace of a secret that was rotated away. */
const replaced = (): SextantError =>
  new SextantError("key_revoked", "The API key was replaced by a new one. Sign in with the new one.");

/** The same error for every fault of a session: the remedy is always to sign in again. */
const sessionEnded = (): SextantError =>
  new SextantError("invalid_session", "The session of the console has ended. Sign in again.");
