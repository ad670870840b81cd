import { z } from "zod";
import { SextantError } from "../../../foundation/errors.js";
import { type Principal, type PrincipalLimits, SCOPES, type Scope } from "../principal.js";
import { capFields, capsIn } from "../request-caps.js";
import { isSourceName, SOURCE_RULE } from "../source.js";

const MAX_SUBJECT_CHARACTERS = 255;

/** No control, formatting or unpaired surrogate characters: the subject appears in traces, logs and counters. */
const PLAIN_TEXT = /^\P{C}+$/u;

const text = z.string();
const names = z.union([text.transform((words) => words.split(" ")), z.array(text)]).nullish();
const claimsSchema = z.object({
  sub: text.max(MAX_SUBJECT_CHARACTERS).regex(PLAIN_TEXT),
  source: text.refine(isSourceName).nullish(),
  team: text.refine(isSourceName).nullish(),
  scope: names,
  scp: names.catch(null),
  roles: names.catch(null),
  aud: z.unknown().optional(),
  iat: z.number().optional(),
  exp: z.number(),
  ...capFields,
  allowed_models: z.preprocess(
    (claim) => (typeof claim === "string" ? claim.split(" ") : claim),
    capFields.allowed_models,
  ),
});

const RULES: Readonly<Record<string, string>> = {
  sub: `must be a text of 1 to ${MAX_SUBJECT_CHARACTERS} characters without control characters`,
  source: `must have ${SOURCE_RULE}`,
  team: `must have ${SOURCE_RULE}`,
  scope: "must be a text of scopes with spaces between them, or a list of scopes",
  exp: "must be a number of seconds",
  iat: "must be a number of seconds",
};

export interface ClaimRules {
  /** Whether the audience was compared with a configured one. */
  readonly audience: "checked" | "not set";
  /** Seconds since the epoch, whole. */
  readonly nowS: number;
  readonly clockToleranceS: number;
  /** Of a token whose claims name none. */
  readonly defaultScopes: readonly Scope[];
  /** What is counted comes from the settings, not from the token, so that a subject has one set of counters for all its tokens. */
  readonly limits: PrincipalLimits;
}

export interface TokenHolder {
  readonly principal: Principal;
  /** Seconds since the epoch. */
  readonly expiresAtS: number;
}

/**
 * The principal of a token whose signature, times, issuer and audience are valid.
 *
 * `sub` is required. `source` binds the principal to a source, `team` to a team, and those of `RequestCaps` cap each
 * of its requests; an invalid one is refused, since ignoring it would let the principal name any. Unknown scopes are ignored,
 * because issuers put scopes of several services into one claim. Without `scope`, `scp` counts (Entra ID's and Okta's name for it), then `roles` (Entra ID's for applications), if it has a
 * known scope, and the default scopes otherwise. A token with an `aud` is refused while no audience is
 * configured, as RFC 7519 §4.1.3 requires, and so is one with an `iat` in the future.
 *
 * @throws SextantError `invalid_token`, naming the claim
 */
export function holderOf(claims: unknown, rules: ClaimRules): TokenHolder {
  const parsed = claimsSchema.safeParse(claims);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const claim = String(issue?.path[0] ?? "sub");
    const rule = RULES[claim];
    throw refusedClaim(claim, rule === undefined ? String(issue?.message) : `it ${rule}`);
  }
  const { sub, source, team, scope, scp, roles, aud, iat, exp } = parsed.data;
  if (aud !== undefined && rules.audience === "not set") {
    throw refusedClaim(
      "aud",
      "the server has no audience configured. Set SEXTANT_JWT_AUDIENCE to that of the tokens",
    );
  }
  if (iat !== undefined && iat > rules.nowS + rules.clockToleranceS) {
    throw refusedClaim("iat", `it is in the future. ${CLOCKS}`);
  }
  const principal: Principal = {
    id: `jwt:${sub}`,
    kind: "jwt",
    source: source ?? null,
    team: team ?? null,
    scopes: isNil(scope)
      ? ([scp, roles].map(scopesIn).find(({ length }) => length > 0) ?? rules.defaultScopes)
      : scopesIn(scope),
    limits: rules.limits,
    caps: capsIn(parsed.data),
  };
  return { principal, expiresAtS: exp };
}

const scopesIn = (claim: readonly string[] | null | undefined): readonly Scope[] =>
  SCOPES.filter((known) => claim?.includes(known));

const isNil = (value: unknown): value is null | undefined => value === null || value === undefined;

export const CLOCKS = "Compare the clocks of issuer and server: they may differ by a few seconds only";

/** The error for one claim. Only the holder of a correctly signed token receives it, so it may name the fault. */
export function refusedClaim(claim: string, fault: string): SextantError {
  return new SextantError("invalid_token", `The claim \`${claim}\` of the token is not accepted: ${fault}.`);
}
