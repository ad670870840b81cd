import type { IncomingHttpHeaders } from "node:http";
import { SextantError } from "../../foundation/errors.js";
import type { PresentedSession } from "../access/authenticator.js";

/**
 * The header in which a page of the console proves that it is one. A page of another site cannot send it: the browser would
 * ask this server for leave first, which never answers that question.
 */
const PROOF_HEADER = "x-sextant-session";

const COOKIE = "sextant_console";

/**
 * The session that a request presents, if it does: the proof makes it one, so that a cookie alone means nothing. Headers with
 * credentials come before a session.
 *
 * @throws SextantError `cross_site_request`
 */
export function presentedSession(headers: IncomingHttpHeaders): PresentedSession | undefined {
  const proof = headers[PROOF_HEADER];
  if (typeof proof !== "string") return undefined;
  if (headers.authorization !== undefined || headers["x-api-key"] !== undefined) return undefined;
  refuseOtherSites(headers);
  const token = sessionToken(headers);
  return token === undefined ? undefined : { token, proof };
}

/** The token in the cookie. */
export function sessionToken({ cookie }: Pick<IncomingHttpHeaders, "cookie">): string | undefined {
  for (const pair of cookie?.split(";") ?? []) {
    const [name, value] = pair.split("=", 2);
    if (name?.trim() === COOKIE) return value?.trim();
  }
  return undefined;
}

/**
 * Browsers say where a request comes from: newer ones by `sec-fetch-site`, where the address is a secure one, and all by
 * `origin`, where it changes something. What says nothing is no browser, and has no cookie that it would send by mistake.
 *
 * @throws SextantError `cross_site_request`
 */
export function refuseOtherSites(headers: IncomingHttpHeaders): void {
  const site = headers["sec-fetch-site"];
  const isOurs = site === undefined ? isOwnOrigin(headers) : site === "same-origin";
  if (isOurs) return;
  throw new SextantError(
    "cross_site_request",
    "The request comes from a page of another site. Open the console itself, at /console.",
  );
}

/** A proxy may change `host` on the way; browsers that go through one over TLS send `sec-fetch-site`. */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

interface CookieContext {
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds for which the browser keeps it. */
  readonly lastsMs: number;
}

/** `set-cookie` of a session: `HttpOnly`, same-site, and `Secure` where the page was loaded over TLS. */
export function sessionCookie(token: string, { headers, lastsMs }: CookieContext): string {
  const maxAge = Math.max(0, Math.floor(lastsMs / 1000));
  const secure = isOverTls(headers) ? "; Secure" : "";
  return `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`;
}

/** `set-cookie` that takes the cookie away. */
export const noCookie = (headers: IncomingHttpHeaders): string => sessionCookie("", { headers, lastsMs: 0 });

/** TLS ends at a proxy: the browser's own word for it counts, or the proxy's. */
function isOverTls(headers: IncomingHttpHeaders): boolean {
  return headers.origin?.startsWith("https:") === true || headers["x-forwarded-proto"] === "https";
}
