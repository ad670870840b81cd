import { SextantError } from "../../../foundation/errors.js";
import type { Store } from "../../storage/store.js";
import type { PresentedSession, SessionCheck } from "../authenticator.js";
import { digestOf, type RandomBytes } from "../keys/api-key.js";
import type { KeyRing } from "../keys/key-ring.js";
import { type Principal, requireScope } from "../principal.js";
import {
  isEqual,
  proofOf,
  readToken,
  type SessionClaims,
  signingKeyOf,
  writeToken,
} from "./session-token.js";

const ID_BYTES = 16;
const SECRET_BYTES = 32;
/** Signs sessions, and nothing else. Base64. */
const SECRET = { kind: "console", key: "secret" };
/** Of a session that was signed out before its end, until then. */
const ended = (key: string) => ({ kind: "ended-session", key });

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

interface Signatory {
  readonly principal: Principal;
  readonly signingKey: Buffer;
}

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
 * Sessions of the console, which act with the rights of an admin key: a signed token in a cookie, and a proof that the
 * page holds.
 *
 * There is no table of sessions: any process that shares the store can verify one, and a restart ends none. It has the secret that
 * signs them, and is asked at every use for sessions that were signed out: one that ended in one process has ended in all. At
 * each request a session has the current scopes of its key; it ends when the key is revoked or expires.
 */
export class ConsoleSessions implements SessionCheck {
  readonly #options: ConsoleSessionsOptions;

  constructor(options: ConsoleSessionsOptions) {
    this.#options = options;
  }

  /** @throws SextantError `invalid_api_key`, `key_expired`, `key_revoked`; `insufficient_scope` without the scope `admin` */
  async begin(apiKey: string): Promise<ConsoleSession> {
    const { keys, now, randomBytes } = this.#options;
    const principal = await keys.authenticate(apiKey);
    requireScope(principal, "admin");
    const nowMs = now();
    const id = Buffer.from(randomBytes(ID_BYTES)).toString("base64url");
    const claims = { id, key: principal.id, begun_ms: nowMs, seen_ms: nowMs };
    const secret = await this.#makeSecret();
    const key = keys.recall(principal.id);
    if (key === undefined) throw sessionEnded();
    if (!key.digest.equals(Buffer.from(digestOf(apiKey), "hex"))) throw replaced();
    return this.#sessionOf(claims, { principal, signingKey: signingKeyOf(secret, key.digest) });
  }

  /** The same session with a token whose idle time starts now. @throws SextantError as `authenticate` */
  async resume(token: string): Promise<ConsoleSession> {
    const { claims, principal, signingKey } = await this.#check(token);
    return this.#sessionOf({ ...claims, seen_ms: this.#options.now() }, { principal, signingKey });
  }

  /** @throws SextantError `invalid_session`, `key_expired`, `key_revoked`; `insufficient_scope` when the key lost `admin` */
  async authenticate({ token, proof }: PresentedSession): Promise<Principal> {
    const { claims, principal, signingKey } = await this.#check(token);
    if (!isEqual(proof, proofOf(claims, signingKey))) throw sessionEnded();
    return principal;
  }

  /** Ends a session in every process. Idempotent. */
  async end(session: PresentedSession): Promise<void> {
    const { store, longestMs, now } = this.#options;
    await this.authenticate(session);
    const claims = readToken(session.token)?.claims;
    if (claims !== undefined)
      await store.put(ended(claims.id), "", { ttlMs: claims.begun_ms + longestMs - now() });
  }

  async #check(token: string) {
    const { store } = this.#options;
    const read = readToken(token);
    const secret = await store.get(SECRET);
    if (read === undefined || secret === undefined) throw sessionEnded();
    const { claims } = read;
    const key = this.#options.keys.recall(claims.key);
    if (key === undefined) throw sessionEnded();
    const signingKey = signingKeyOf(Buffer.from(secret, "base64"), key.digest);
    if (!read.isSignedBy(signingKey)) throw sessionEnded();
    if ((await store.get(ended(claims.id))) !== undefined) throw sessionEnded();
    if (this.#endOf(claims) <= this.#options.now()) throw sessionEnded();
    const principal = key.admit();
    requireScope(principal, "admin");
    return { claims, principal, signingKey };
  }

  /** Made at the first sign-in. @throws StorageError when it cannot be kept */
  async #makeSecret(): Promise<Buffer> {
    const { store, randomBytes } = this.#options;
    let secret = "";
    await store.update(SECRET, (known) => {
      secret = known ?? Buffer.from(randomBytes(SECRET_BYTES)).toString("base64");
      return known === undefined ? secret : undefined;
    });
    return Buffer.from(secret, "base64");
  }

  #endOf({ begun_ms: begunMs, seen_ms: seenMs }: SessionClaims): number {
    const { idleMs, longestMs } = this.#options;
    return Math.min(begunMs + longestMs, seenMs + idleMs);
  }

  #sessionOf(claims: SessionClaims, { principal, signingKey }: Signatory): ConsoleSession {
    return {
      token: writeToken(claims, signingKey),
      proof: proofOf(claims, signingKey),
      principal,
      endsAtMs: this.#endOf(claims),
    };
  }
}

/** A session would outlive the grace of a secret that was rotated away. */
const replaced = (): SextantError =>
  new SextantError("key_revoked", "The API key was replaced by a new one. Sign in with the new one.");

/** The same error for every fault of a session: the remedy is always to sign in again. */
const sessionEnded = (): SextantError =>
  new SextantError("invalid_session", "The session of the console has ended. Sign in again.");
