import { z } from "zod";
import { SextantError } from "../../foundation/errors.js";
import { type Principal, type PrincipalLimits, SCOPES, type Scope } from "../principal.js";
import { isSourceName, SOURCE_RULE } from "../source.js";

const MAX_SUBJECT_CHARACTERS = 255;

/** No control, formatting or unpaired surrogate characters: the subject stands in traces, logs and counters. */
const PLAIN_TEXT = /^\P{C}+$/u;

const text = z.string();
const claimsSchema = z.object({
  sub: text.max(MAX_SUBJECT_CHARACTERS).regex(PLAIN_TEXT),
  source: text.refine(isSourceName).nullish(),
  scope: z.union([text.transform((words) => words.split(" ")), z.array(text)]).nullish(),
  aud: z.unknown().optional(),
  iat: z.number().optional(),
  exp: z.number(),
});

const RULES: Readonly<Record<string, string>> = {
  sub: `must be a text of 1 to ${MAX_SUBJECT_CHARACTERS} characters without control characters`,
  source: `must have ${SOURCE_RULE}`,
  scope: "must be a text of scopes with spaces between them, or a list of scopes",
  exp: "must be a number of seconds",
  iat: "must be a number of seconds",
};

export interface ClaimRules {
  /** Whether the audience was compared with one that is set. */
  readonly audience: "checked" | "not set";
  /** Seconds since the epoch, whole. */
  readonly nowS: number;
  readonly clockToleranceS: number;
  /** Of a token without a `scope` claim. */
  readonly defaultScopes: readonly Scope[];
  /** Tokens carry no limits of their own, so that one subject has one set of counters however many tokens it has. */
  readonly limits: PrincipalLimits;
}

export interface TokenHolder {
  readonly principal: Principal;
  /** Seconds since the epoch. */
  readonly expiresAtS: number;
}

/**
 * The principal of a token whose signature, times, issuer and audience are in order.
 *
 * `sub` is required. `source` binds the principal; one that is no source's name is refused, because to leave it out would
 * free the principal to name any. Scopes that are not ours are left out: issuers put scopes of all their services into
 * one claim. A token without `scope` may do what the default allows. A token made for somebody (`aud`) is refused while no audience is
 * set, as RFC 7519 §4.1.3 asks, and so is one that claims to come from the future (`iat`).
 *
 * @throws SextantError `invalid_token`, naming the claim
 */
export function holderOf(claims: unknown, rules: ClaimRules): TokenHolder {
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success) {
    const claim = String(parsed.error.issues[0]?.path[0] ?? "sub");
    throw refusedClaim(claim, `it ${RULES[claim] ?? "is not accepted"}`);
  }
  const { sub, source, scope, aud, iat, exp } = parsed.data;
  if (aud !== undefined && rules.audience === "not set") {
    throw refusedClaim(
      "aud",
      "the server is set to no audience. Set SEXTANT_JWT_AUDIENCE to that of the tokens",
    );
  }
  if (iat !== undefined && iat > rules.nowS + rules.clockToleranceS) {
    throw refusedClaim("iat", `it lies in the future. ${CLOCKS}`);
  }
  const principal: Principal = {
    id: `jwt:${sub}`,
    kind: "jwt",
    source: source ?? null,
    scopes: isNil(scope) ? rules.defaultScopes : SCOPES.filter((known) => scope.includes(known)),
    limits: rules.limits,
  };
  return { principal, expiresAtS: exp };
}

const isNil = (value: unknown): value is null | undefined => value === null || value === undefined;

export const CLOCKS =
  "Compare the clocks of issuer and server; SEXTANT_JWT_CLOCK_TOLERANCE_S allows for a difference";

/** Only the holder of a properly signed token gets to see this, so it may say what is wrong. */
export function refusedClaim(claim: string, fault: string): SextantError {
  return new SextantError("invalid_token", `The claim \`${claim}\` of the token is not accepted: ${fault}.`);
}
