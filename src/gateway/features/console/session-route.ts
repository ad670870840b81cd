import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { SextantError } from "../../../foundation/errors.js";
import type { ConsoleDependencies, ServerDependencies } from "../../dependencies.js";
import { clientOf } from "../../http/client-address.js";
import { noCookie, presentedSession, sessionCookie, sessionToken } from "../../http/session-headers.js";
import type { ConsoleSession } from "./console-sessions.js";
import { type SessionBody, signInSchema } from "./session-schema.js";

const URL = "/console/session";

/** Refused keys within a minute after which an address has to wait: more than a person mistypes, too few to guess by. */
const SIGN_IN_TRIES = 10;

type Dependencies = Pick<ServerDependencies, "keys" | "now" | "limits"> &
  Pick<ConsoleDependencies, "sessions">;

/**
 * `/console/session`: signing in with an admin key, whether somebody is signed in, and signing out. Only the page of the
 * console uses it; everything it shows comes from `/v1` and `/admin`.
 */
export function addConsoleSessionRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  addSignIn(app, dependencies);
  addState(app, dependencies);
  addSignOut(app, dependencies);
}

function addSignIn(app: FastifyInstance, dependencies: Dependencies): void {
  const attempts = new SignInAttempts({ tries: SIGN_IN_TRIES, now: dependencies.now });
  const clientOfRequest = clientOf(dependencies.limits.trustedProxies);
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: URL,
    schema: { hide: true, body: signInSchema },
    handler: async (request, reply) => {
      const client = clientOfRequest(request);
      attempts.check(client);
      const session = await begin(dependencies, request.body.key.trim()).catch((fault) => {
        if (fault instanceof SextantError) attempts.failed(client);
        throw fault;
      });
      attempts.succeeded(client);
      return sendSession(session, { request, reply, dependencies });
    },
  });
}

function begin({ sessions }: Dependencies, key: string): Promise<ConsoleSession> {
  if (sessions !== null) return sessions.begin(key);
  throw new SextantError("invalid_request", "Authentication is switched off: no one needs to sign in.");
}

/** Asked by the page when it opens, and when its user did something after a while: both make the session last. */
function addState(app: FastifyInstance, dependencies: Dependencies): void {
  app.route<{ Reply: SessionBody }>({
    method: "GET",
    url: URL,
    schema: { hide: true },
    handler: async (request, reply) => {
      const { sessions } = dependencies;
      if (sessions === null) return reply.send({ authentication: "off", signed_in: true });
      const token = sessionToken(request.headers);
      if (token === undefined) return reply.send({ authentication: "on", signed_in: false });
      try {
        return sendSession(await sessions.resume(token), { request, reply, dependencies });
      } catch (fault) {
        if (!(fault instanceof SextantError)) throw fault;
        reply.header("set-cookie", noCookie(request.headers));
        return reply.send({ authentication: "on", signed_in: false, reason: fault.message });
      }
    },
  });
}

function addSignOut(app: FastifyInstance, { sessions }: Dependencies): void {
  app.route({
    method: "DELETE",
    url: URL,
    schema: { hide: true },
    handler: async (request, reply) => {
      const session = presentedSession(request.headers);
      if (session !== undefined) await sessions?.end(session);
      return reply.code(204).header("set-cookie", noCookie(request.headers)).send();
    },
  });
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly dependencies: Dependencies;
}

function sendSession(session: ConsoleSession, { request, reply, dependencies }: Exchange): FastifyReply {
  const { token, proof, principal, endsAtMs } = session;
  const key = dependencies.keys.list().find(({ id }) => id === principal.id);
  reply.header(
    "set-cookie",
    sessionCookie(token, { headers: request.headers, lastsMs: endsAtMs - dependencies.now() }),
  );
  return reply.send({
    authentication: "on",
    signed_in: true,
    proof,
    key: { id: principal.id, name: key?.name ?? "bootstrap key" },
    ends_at: new Date(endsAtMs).toISOString(),
  } satisfies SessionBody);
}

const WINDOW_MS = 60_000;
/** Addresses that are remembered. About 1 MB. */
const MOST_ADDRESSES = 10_000;

interface Failures {
  readonly sinceMs: number;
  count: number;
}

/**
 * Counts failed tries to sign in, by address. Keys cannot be guessed, with or without it; it keeps those who try from filling
 * the log and the processor. Each process counts for itself.
 */
class SignInAttempts {
  readonly #failures = new Map<string, Failures>();
  readonly #tries: number;
  readonly #now: () => number;

  /** @param options `tries`: most failures of one address within a minute; `now`: milliseconds, of any origin */
  constructor({ tries, now }: { readonly tries: number; readonly now: () => number }) {
    this.#tries = tries;
    this.#now = now;
  }

  /** @throws SextantError `rate_limit_exceeded` */
  check(address: string): void {
    const failures = this.#current(address);
    if (failures === undefined || failures.count < this.#tries) return;
    const waitS = Math.ceil((failures.sinceMs + WINDOW_MS - this.#now()) / 1000);
    throw new SextantError(
      "rate_limit_exceeded",
      `${failures.count} keys were refused in a minute. Try again in ${waitS} s.`,
      { extra: { retry_after: waitS } },
    );
  }

  failed(address: string): void {
    const failures = this.#current(address);
    if (failures !== undefined) {
      failures.count += 1;
      return;
    }
    if (this.#failures.size >= MOST_ADDRESSES) this.#failures.clear();
    this.#failures.set(address, { sinceMs: this.#now(), count: 1 });
  }

  succeeded(address: string): void {
    this.#failures.delete(address);
  }

  #current(address: string): Failures | undefined {
    const failures = this.#failures.get(address);
    return failures !== undefined && this.#now() - failures.sinceMs < WINDOW_MS
      ? failures
      : this.#forget(address);
  }

  #forget(address: string): undefined {
    this.#failures.delete(address);
    return undefined;
  }
}
