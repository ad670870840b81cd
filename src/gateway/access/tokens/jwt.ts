import { createSecretKey, hash } from "node:crypto";
import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { SextantError } from "../../../foundation/errors.js";
import { faultName, type Log } from "../../../foundation/log.js";
import { withoutByteOrderMark } from "../../../foundation/written-json.js";
import type { CredentialCheck } from "../authenticator.js";
import type { Principal, PrincipalLimits, Scope } from "../principal.js";
import { RecentMap } from "../recent-map.js";
import { RotatingKeys, type RotationTimes } from "./rotating-keys.js";
import { CLOCKS, holderOf, refusedClaim } from "./token-claims.js";

/** Node accepts at most 16 KiB of headers in total. */
const MAX_TOKEN_CHARACTERS = 16_384;
const REMEMBERED_TOKENS = 5_000;

/** A set of public keys and how it is refreshed. */
export interface PublicKeySource {
  /** The JWKS as text. */
  readonly load: (signal: AbortSignal) => Promise<string>;
  readonly times: RotationTimes;
}

export interface JwtOptions {
  /** Verifies HS256. */
  readonly secret?: string | undefined;
  /** Verifies RS256 and ES256. */
  readonly publicKeys?: PublicKeySource | undefined;
  /** Value that `iss` must have; undefined: not checked. */
  readonly issuer?: string | undefined;
  /** Value that `aud` must contain; undefined: tokens with an `aud` are refused. */
  readonly audience?: string | undefined;
  readonly clockToleranceS: number;
  /** Scopes of a token whose claims name none. */
  readonly defaultScopes: readonly Scope[];
  /** Limits of every subject. */
  readonly limits: PrincipalLimits;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic time in milliseconds. */
  readonly monotonicNow: () => number;
  readonly log: Log;
}

interface PublicKeys {
  readonly resolve: ReturnType<typeof createLocalJWKSet>;
  readonly ids: ReadonlySet<unknown>;
}

/** A verified token, cached until it expires or the keys change. */
interface Verified {
  readonly principal: Principal;
  readonly expiresAtS: number;
  /** The key set that verified it; undefined for the secret, which cannot change. */
  readonly keys: PublicKeys | undefined;
}

/**
 * Verifies JSON Web Tokens and returns their principals.
 *
 * The settings determine the accepted algorithms, and each is verified with keys of its own kind only: HS256 with the
 * secret, RS256 and ES256 with public keys of the set. Therefore neither `none`, nor an HS256 token signed with a
 * public key, nor any other algorithm in a token's header is accepted. Keys and addresses inside a token (`jwk`, `jku`,
 * `x5c`, `x5u`) are never used; `kid` only selects among the keys of the set. A `crit` header is refused.
 *
 * All faults up to and including the signature have the same message, which reveals nothing. Faults of claims are
 * detected after the signature was verified, so only holders of a token of the issuer see which claim is wrong.
 *
 * A verified token is cached by its SHA-256 until it expires: the next request with it costs a microsecond instead of a
 * signature verification. A change of the key set removes the tokens verified with the old one.
 */
export class JwtCheck implements CredentialCheck {
  readonly #options: JwtOptions;
  readonly #algorithms: string[];
  readonly #secret: ReturnType<typeof createSecretKey> | undefined;
  readonly #publicKeys: RotatingKeys<PublicKeys> | undefined;
  readonly #verified = new RecentMap<Verified>();

  constructor(options: JwtOptions) {
    const { secret, publicKeys, monotonicNow, log } = options;
    this.#options = options;
    this.#algorithms = [
      ...(secret === undefined ? [] : ["HS256"]),
      ...(publicKeys === undefined ? [] : ["RS256", "ES256"]),
    ];
    this.#secret = secret === undefined ? undefined : createSecretKey(secret, "utf8");
    this.#publicKeys =
      publicKeys === undefined
        ? undefined
        : new RotatingKeys({
            ...publicKeys,
            parse: parseKeySet,
            monotonicNow,
            onFault: (fault) => log.warn({ fault: faultName(fault) }, "public keys of tokens not loaded"),
          });
  }

  /** Loads the public keys, if any are configured. @returns whether that succeeded */
  async prepare(): Promise<boolean> {
    await this.#publicKeys?.renew();
    return this.#publicKeys?.failing !== true;
  }

  /** @throws SextantError `invalid_token`, `token_expired`, `authentication_unavailable` (also as rejections) */
  authenticate(token: string): Principal | Promise<Principal> {
    if (token.length > MAX_TOKEN_CHARACTERS) throw notValid();
    const digest = hash("sha256", token, "base64url");
    return this.#recall(digest) ?? this.#verify(token, digest);
  }

  #recall(digest: string): Principal | undefined {
    const verified = this.#verified.get(digest);
    if (verified === undefined) return undefined;
    const isCurrent = verified.keys === undefined || verified.keys === this.#publicKeys?.current();
    if (isCurrent && verified.expiresAtS > this.#nowS() - this.#options.clockToleranceS)
      return verified.principal;
    this.#verified.delete(digest);
    return undefined;
  }

  async #verify(token: string, digest: string): Promise<Principal> {
    let keys: PublicKeys | undefined;
    const keyOf: JWTVerifyGetKey = async (header, jws) => {
      if (header.alg === "HS256" && this.#secret !== undefined) return this.#secret;
      keys = await this.#publicKeysFor(header.kid);
      return keys.resolve(header, jws);
    };
    const claims = await this.#verifiedClaims(token, keyOf);
    const { principal, expiresAtS } = holderOf(claims, {
      audience: this.#options.audience === undefined ? "not set" : "checked",
      nowS: this.#nowS(),
      clockToleranceS: this.#options.clockToleranceS,
      defaultScopes: this.#options.defaultScopes,
      limits: this.#options.limits,
    });
    if (this.#verified.youngCount >= REMEMBERED_TOKENS) this.#verified.rotate();
    this.#verified.set(digest, { principal, expiresAtS, keys });
    return principal;
  }

  async #verifiedClaims(token: string, keyOf: JWTVerifyGetKey): Promise<unknown> {
    const { issuer, audience, clockToleranceS, now } = this.#options;
    try {
      if (!token.split(".").every(isBase64url)) throw new errors.JWSInvalid("not the compact form");
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: this.#algorithms,
        requiredClaims: ["exp", "sub"],
        clockTolerance: clockToleranceS,
        currentDate: new Date(now()),
        ...(issuer === undefined ? {} : { issuer }),
        ...(audience === undefined ? {} : { audience }),
      });
      return payload;
    } catch (fault) {
      if (fault instanceof SextantError) throw fault;
      // Not the fault itself, which holds the token's claims.
      const cause = Object.assign(new Error("the token is refused"), { code: faultName(fault) });
      throw Object.assign(refusal(fault), { cause });
    }
  }

  /** The key set, reloaded when it lacks the key that the token names. */
  async #publicKeysFor(kid: string | undefined): Promise<PublicKeys> {
    const source = this.#publicKeys;
    if (source === undefined) throw notValid();
    let keys = source.current();
    if (keys === undefined || !holdsKey(keys, kid)) {
      await source.renew();
      keys = source.current();
    }
    if (keys !== undefined && (holdsKey(keys, kid) || !source.failing)) return keys;
    throw new SextantError(
      "authentication_unavailable",
      "The token cannot be checked now: the keys that would verify it cannot be loaded. Try again in a few seconds.",
      { extra: { retry_after: Math.ceil(this.#retryMs / 1000) } },
    );
  }

  get #retryMs(): number {
    return this.#options.publicKeys?.times.retryMs ?? 0;
  }

  #nowS(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

/** A token without a key id is verified with the loaded keys. */
function holdsKey(keys: PublicKeys, kid: string | undefined): boolean {
  return kid === undefined || keys.ids.has(kid);
}

function parseKeySet(text: string): PublicKeys {
  const resolve = createLocalJWKSet(JSON.parse(withoutByteOrderMark(text)));
  return { resolve, ids: new Set(resolve.jwks().keys.map(({ kid }) => kid)) };
}

function refusal(fault: unknown): SextantError {
  if (fault instanceof errors.JWTExpired) {
    return new SextantError("token_expired", "The token has expired (`exp`). Get a new one from its issuer.");
  }
  if (!(fault instanceof errors.JWTClaimValidationFailed)) return notValid();
  return refusedClaim(fault.claim, fault.reason === "missing" ? "it is missing" : claimFault(fault.claim));
}

function claimFault(claim: string): string {
  switch (claim) {
    case "iss":
      return "the server trusts only the issuer in SEXTANT_JWT_ISSUER";
    case "aud":
      return "the token is not for the audience in SEXTANT_JWT_AUDIENCE";
    case "nbf":
      return `the token is not valid yet. ${CLOCKS}`;
    default:
      return "it has a wrong type";
  }
}

/** Decoders pass over characters that do not belong there, and over unused bits at the end: texts that were never signed. */
const isBase64url = (part: string): boolean => Buffer.from(part, "base64url").toString("base64url") === part;

/** The error for a token that is malformed, uses another algorithm or is signed by somebody else. */
function notValid(): SextantError {
  return new SextantError(
    "invalid_token",
    "The token is not valid. Check that it was copied whole and comes from the issuer that this server trusts.",
  );
}
