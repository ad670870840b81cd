import { SextantError } from "../errors.js";

/** What a principal may do. `admin` includes every other scope. */
export const SCOPES = ["inference", "traces:read", "traces:read:all", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Whoever makes a request, after authentication. */
export interface Principal {
  /** Id of the key; `anonymous` when authentication is off. */
  readonly id: string;
  readonly kind: "api_key" | "anonymous";
  /** Source that traces of this principal carry; null when it may name one per request. */
  readonly source: string | null;
  readonly scopes: readonly Scope[];
}

/** The two request headers that can carry credentials, as sent. */
export interface Credentials {
  readonly apiKeyHeader?: string | undefined;
  readonly authorizationHeader?: string | undefined;
}

/** Credentials in, principal out. The answer is immediate unless a key file has to be read again. */
export interface Authenticator {
  /** @throws SextantError `missing_credentials`, `invalid_api_key`, `key_expired`, `key_revoked` (also as rejections) */
  authenticate(credentials: Credentials): Principal | Promise<Principal>;
}

/** @throws SextantError `insufficient_scope` */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope) || principal.scopes.includes("admin")) return;
  throw new SextantError(
    "insufficient_scope",
    `This key has the scopes ${principal.scopes.join(", ") || "(none)"}, but the route needs \`${scope}\`. ` +
      "Use a key that has it, or create one with `sextant keys create --scopes`.",
  );
}

/** Accepts everything: for `auth: off`, which the settings allow on loopback only. */
export const anonymousAuthenticator: Authenticator = {
  authenticate: () => ANONYMOUS,
};

const ANONYMOUS: Principal = { id: "anonymous", kind: "anonymous", source: null, scopes: ["admin"] };

/**
 * The API key that a request presents, from `x-api-key` or `Authorization: Bearer`.
 *
 * @throws SextantError `missing_credentials` when there is none, `invalid_api_key` when the headers disagree
 */
export function presentedKey({ apiKeyHeader, authorizationHeader }: Credentials): string {
  const bearer = authorizationHeader === undefined ? undefined : bearerToken(authorizationHeader);
  if (apiKeyHeader === undefined || apiKeyHeader === "") {
    if (bearer !== undefined) return bearer;
    throw new SextantError(
      "missing_credentials",
      "The request carries no API key. Send it in the header `x-api-key`, or as `Authorization: Bearer pk_live_…`.",
    );
  }
  if (authorizationHeader !== undefined && bearer !== apiKeyHeader) {
    throw new SextantError(
      "invalid_api_key",
      "`x-api-key` and `Authorization` carry different credentials. Send one of them.",
    );
  }
  return apiKeyHeader;
}

function bearerToken(header: string): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}
