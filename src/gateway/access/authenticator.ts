import { SextantError } from "../../foundation/errors.js";
import { subscriptionOf } from "../../foundation/subscription-login.js";
import { KEY_START } from "./keys/api-key.js";
import type { Principal, PrincipalLimits } from "./principal.js";

/** What of a request can carry credentials: two headers, as sent, and a session of the console. */
export interface Credentials {
  readonly apiKeyHeader?: string | undefined;
  readonly authorizationHeader?: string | undefined;
  readonly session?: PresentedSession | undefined;
}

/** A session as a page of the console presents it. */
export interface PresentedSession {
  /** From the cookie, which the browser sends with every request. */
  readonly token: string;
  /** From the page, which another site cannot know. */
  readonly proof: string;
}

/** What checks sessions. */
export interface SessionCheck {
  /** @throws SextantError with a 401 or 403 code (also as a rejection) */
  authenticate(session: PresentedSession): Principal | Promise<Principal>;
}

/** Credentials in, principal out. The answer is immediate unless a file has to be read again or a signature checked. */
export interface Authenticator {
  /**
   * @throws SextantError `missing_credentials`, `invalid_api_key`, `key_expired`, `key_revoked`, `invalid_token`,
   * `token_expired`, `invalid_session`, `authentication_unavailable` (also as rejections)
   */
  authenticate(credentials: Credentials): Principal | Promise<Principal>;
}

/** What checks one kind of credential, all of them in the form of one text. */
export interface CredentialCheck {
  /** @throws SextantError with a 401 or 503 code (also as a rejection), which never quotes the credential */
  authenticate(credential: string): Principal | Promise<Principal>;
}

export interface AuthenticatorDependencies {
  readonly keys: CredentialCheck;
  /** Absent when the settings accept no tokens. */
  readonly tokens?: CredentialCheck | undefined;
  /** Absent where there is no console. */
  readonly sessions?: SessionCheck | undefined;
}

/**
 * Accepts API keys in `x-api-key` and as bearer, tokens as bearer only, and a session where neither header is there.
 *
 * A bearer that does not look like an API key is a token. Where no tokens are accepted it is refused in the words of an
 * unknown key, so that replies do not reveal what the server accepts.
 */
export function createAuthenticator({ keys, tokens, sessions }: AuthenticatorDependencies): Authenticator {
  return {
    authenticate(credentials) {
      const { session, apiKeyHeader, authorizationHeader } = credentials;
      if (
        session !== undefined &&
        sessions !== undefined &&
        !apiKeyHeader &&
        authorizationHeader === undefined
      ) {
        return sessions.authenticate(session);
      }
      const { from, value } = presentedCredential(credentials);
      refuseSubscription(value);
      const isToken = tokens !== undefined && from === "bearer" && !value.startsWith(KEY_START);
      return isToken ? tokens.authenticate(value) : keys.authenticate(value);
    },
  };
}

/**
 * Accepts everything: for `auth: off`, which the settings allow on loopback only. All requests share one set of limits.
 */
export function anonymousAuthenticator(limits: PrincipalLimits): Authenticator {
  const anonymous: Principal = {
    id: "anonymous",
    kind: "anonymous",
    source: null,
    scopes: ["admin"],
    limits,
  };
  return { authenticate: () => anonymous };
}

function refuseSubscription(value: string): void {
  const subscription = subscriptionOf(value);
  if (subscription === undefined) return;
  throw new SextantError(
    "invalid_api_key",
    `The request carries the login of a ${subscription} subscription instead of an API key. Vendors close accounts whose ` +
      "subscription other programs use: log out, and use a key of this server (`sextant connect`).",
  );
}

export interface PresentedCredential {
  readonly from: "x-api-key" | "bearer";
  readonly value: string;
}

/**
 * The credential that a request presents.
 *
 * @throws SextantError `missing_credentials` when there is none, `invalid_api_key` when the headers disagree
 */
export function presentedCredential({ apiKeyHeader, authorizationHeader }: Credentials): PresentedCredential {
  const bearer = authorizationHeader === undefined ? undefined : bearerOf(authorizationHeader);
  if (apiKeyHeader === undefined || apiKeyHeader === "") {
    if (bearer !== undefined) return { from: "bearer", value: bearer };
    throw new SextantError(
      "missing_credentials",
      "The request carries no API key. Send it in the header `x-api-key`, or as `Authorization: Bearer pk_live_…`.",
    );
  }
  if (authorizationHeader !== undefined && bearer !== apiKeyHeader && !isPlaceholder(bearer)) {
    throw new SextantError(
      "invalid_api_key",
      "`x-api-key` and `Authorization` carry different credentials. Send only one of them.",
    );
  }
  return { from: "x-api-key", value: apiKeyHeader };
}

/** Neither a key of ours nor a token: OpenAI's SDKs cannot leave the header out, and send what they were given in a key's place. */
const isPlaceholder = (bearer: string | undefined): boolean =>
  bearer !== undefined && !bearer.startsWith(KEY_START) && !bearer.includes(".");

function bearerOf(header: string): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}
