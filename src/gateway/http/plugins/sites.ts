import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import type { ServerDependencies } from "../../dependencies.js";
import { refuseOtherSites } from "../session-headers.js";

/**
 * Refuses what a page of another origin asks of `/admin` and of the console's session, whatever credentials it has.
 *
 * @throws SextantError `cross_site_request`
 */
export function refuseCrossSite({ headers, routeOptions: { url = "" } }: FastifyRequest): void {
  const isOperators = url.startsWith("/admin/") || url === "/console/session";
  // `none`: typed into the address bar, or opened from a bookmark.
  if (isOperators && headers["sec-fetch-site"] !== "none") refuseOtherSites(headers);
}

/**
 * For a server without authentication: only the names of this machine and those of the settings may address it. A page of
 * another site could otherwise have its own name resolve to 127.0.0.1 (DNS rebinding), and read every answer. What its tags
 * and frames name comes without `origin`, and would run searches, although it could not be read: only links may lead here.
 *
 * @returns what throws SextantError `cross_site_request` for the headers of such a request
 */
export function requiringOwnHost({
  allowedHosts = [],
  corsOrigins = [],
}: Pick<ServerDependencies["limits"], "allowedHosts" | "corsOrigins">): (
  headers: IncomingHttpHeaders,
) => void {
  const names = new Set(allowedHosts.map((name) => name.toLowerCase()));
  const isOwn = (name: string): boolean => isLoopbackName(name) || names.has(name);
  return (headers) => {
    const { host = "", origin } = headers;
    if (!isOwn(hostNameOf(`http://${host}`))) throw foreignHost(host);
    const isAllowed =
      origin === undefined
        ? headers["sec-fetch-site"] !== "cross-site" || headers["sec-fetch-dest"] === "document"
        : corsOrigins.includes("*") || corsOrigins.includes(origin) || isOwn(hostNameOf(origin));
    if (!isAllowed) throw foreignOrigin(origin ?? "another site");
  };
}

/** In lower case, an address in its usual form; empty when there is none. */
const hostNameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "");

/** Names that no public DNS server answers for (RFC 6761), and addresses. */
const isLoopbackName = (name: string): boolean =>
  name === "localhost" ||
  name.endsWith(".localhost") ||
  name === "[::1]" ||
  (isIP(name) === 4 && name.startsWith("127."));

const foreignHost = (host: string): SextantError =>
  new SextantError(
    "cross_site_request",
    `The request is addressed to ${JSON.stringify(host.slice(0, 80))}. While authentication is off, only loopback names and ` +
      "addresses are answered. Use http://localhost, or add the name to SEXTANT_ALLOWED_HOSTS.",
  );

const foreignOrigin = (origin: string): SextantError =>
  new SextantError(
    "cross_site_request",
    `The request comes from a page of ${JSON.stringify(origin.slice(0, 80))}. While authentication is off, only pages of this ` +
      "machine are answered. Add the origin to SEXTANT_CORS_ORIGINS, or switch authentication on.",
  );

/** Headers of ours that a page's script may read. */
const EXPOSED = [
  "x-request-id",
  "request-id",
  "x-routing-model",
  "x-routing-provider",
  "x-left-out",
  "retry-after",
  "retry-after-ms",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-tokens",
];

const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of these origins call `/v1` from a browser, with the key in a header of theirs and never with a cookie. Other
 * routes stay closed to them.
 *
 * @param origins such as `https://app.example.com`; `*` is all of them
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const allowed = {
    origin: origins.includes("*") ? "*" : [...origins],
    methods: ["GET", "POST"],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
  };
  app.register(import("@fastify/cors"), {
    delegator: (request, answer) =>
      answer(null, request.url.startsWith("/v1/") ? allowed : { origin: false }),
  });
}
