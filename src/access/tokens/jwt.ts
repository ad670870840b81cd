import { createSecretKey, hash } from "node:crypto";
import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { SextantError } from "../../foundation/errors.js";
import { type AccessLog, faultName } from "../access-log.js";
import type { CredentialCheck } from "../authenticator.js";
import type { Principal, PrincipalLimits, Scope } from "../principal.js";
import { RecentMap } from "../recent-map.js";
import { RotatingKeys, type RotationTimes } from "./rotating-keys.js";
import { CLOCKS, holderOf, refusedClaim } from "./token-claims.js";

/** Node reads no more than 16 KiB of headers in all. */
const MAX_TOKEN_CHARACTERS = 16_384;
const REMEMBERED_TOKENS = 5_000;

/** A set of public keys and how it is kept up to date. */
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
  /** Value that `aud` must hold; undefined: tokens with an `aud` are refused. */
  readonly audience?: string | undefined;
  readonly clockToleranceS: number;
  /** Of a token without a `scope` claim. */
  readonly defaultScopes: readonly Scope[];
  /** Limits of every subject. */
  readonly limits: PrincipalLimits;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that never run backwards. */
  readonly monotonicNow: () => number;
  readonly log: AccessLog;
}

interface PublicKeys {
  readonly resolve: ReturnType<typeof createLocalJWKSet>;
  readonly ids: ReadonlySet<unknown>;
}

/** A token that was verified, until it expires or the keys change. */
interface Verified {
  readonly principal: Principal;
  readonly expiresAtS: number;
  /** The keys that were in use; undefined for the secret, which cannot change. */
  readonly keys: PublicKeys | undefined;
}

/**
 * Tokens in, principals out.
 *
 * The settings say which algorithms there are, and each is verified with keys of its own kind only: HS256 with the
 * secret, RS256 and ES256 with public keys of the set. So neither `none`, nor an HS256 token signed with a public key, nor
 * any other choice of the token's header opens anything. Keys and addresses inside a token (`jwk`, `jku`, `x5c`, `x5u`)
 * are never read; `kid` only picks among the keys of the set. A `crit` header is refused.
 *
 * One message covers every fault up to and including the signature, so that it reveals nothing. Faults of claims
 * are found after the signature was verified, hence named only to holders of a token of the issuer.
 *
 * A verified token is remembered by its SHA-256 until it expires, which makes the next request with it cost a
 * microsecond instead of a signature; a change of the key set forgets all tokens verified with the old one.
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

  /** Loads the public keys, if there are any to load. @returns whether it could */
  async prepare(): Promise<boolean> {
    await this.#publicKeys?.renew();
    return this.#publicKeys?.failing !== true;
  }

  /** Whether public keys are loaded and up to date, for `GET /readyz`. Undefined when only a secret is set. */
  get publicKeysState(): "current" | "outdated" | "missing" | undefined {
    if (this.#publicKeys === undefined) return undefined;
    if (this.#publicKeys.current() === undefined) return "missing";
    return this.#publicKeys.failing ? "outdated" : "current";
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
    const { issuer, audience, clockToleranceS, now, log } = this.#options;
    try {
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
      log.debug({ fault: faultName(fault) }, "token refused");
      throw refusal(fault);
    }
  }

  /** The key set, loaded anew when it does not hold the key that the token names. */
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

/** A token that names no key can be tried with what is there. */
function holdsKey(keys: PublicKeys, kid: string | undefined): boolean {
  return kid === undefined || keys.ids.has(kid);
}

function parseKeySet(text: string): PublicKeys {
  const resolve = createLocalJWKSet(JSON.parse(text));
  return { resolve, ids: new Set(resolve.jwks().keys.map(({ kid }) => kid)) };
}

function refusal(fault: unknown): SextantError {
  if (fault instanceof errors.JWTExpired) {
    return new SextantError(
      "token_expired",
      "The token is past its `exp`. Get a new one from the issuer of the old one.",
    );
  }
  if (!(fault instanceof errors.JWTClaimValidationFailed)) return notValid();
  return refusedClaim(fault.claim, fault.reason === "missing" ? "it is missing" : claimFault(fault.claim));
}

function claimFault(claim: string): string {
  switch (claim) {
    case "iss":
      return "the server trusts another issuer, the one that SEXTANT_JWT_ISSUER names";
    case "aud":
      return "the token is for another audience than the one that SEXTANT_JWT_AUDIENCE names";
    case "nbf":
      return `the token is not valid yet. ${CLOCKS}`;
    default:
      return "it has a wrong type";
  }
}

/** The one answer to a token that is malformed, of another algorithm, or signed by anybody else. */
function notValid(): SextantError {
  return new SextantError(
    "invalid_token",
    "The token is not valid. Check that it was copied whole and comes from the issuer that this server trusts.",
  );
}
