import type { FastifyInstance, FastifyRequest } from "fastify";
import { ReplacedSecretError } from "../../access/keys/key-records.js";
import { type Principal, requireScope, type Scope } from "../../access/principal.js";
import { isSourceName } from "../../access/source.js";
import type { ServerDependencies } from "../../dependencies.js";
import { clientOf } from "../client-address.js";
import { presentedSession } from "../session-headers.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Who makes the request; set before the handler of every route that needs credentials, null elsewhere. */
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** What a principal must be allowed to use the route. Without it, any valid credentials do. */
    readonly scope?: Scope;
  }
}

/**
 * Lets requests of this instance's routes pass only with valid credentials that have the route's scope and are not paused,
 * before their body is read.
 */
export function requireAuthentication(
  app: FastifyInstance,
  {
    authenticator,
    pauses,
    keys,
    limits,
  }: Pick<ServerDependencies, "authenticator" | "pauses" | "keys" | "limits">,
): void {
  const addressOf = clientOf(limits.trustedProxies);
  // Who still uses a leaked secret can be found by it.
  const noted = (request: FastifyRequest, error: unknown): Error => {
    if (error instanceof ReplacedSecretError) {
      const named = request.headers["x-source"];
      const source = typeof named === "string" && isSourceName(named) ? named : undefined;
      keys.noteRefused(error, { address: addressOf(request), source });
    }
    return error as Error;
  };
  app.addHook("onRequest", (request, _reply, done) => {
    const { scope } = request.routeOptions.config;
    const accept = (principal: Principal) => {
      pauses.admit(principal);
      if (scope !== undefined) requireScope(principal, scope);
      request.principal = principal;
    };
    try {
      const outcome = authenticator.authenticate({
        // Node joins repeated headers with a comma, so that a repeated key never equals a stored one.
        apiKeyHeader: request.headers["x-api-key"]?.toString(),
        authorizationHeader: request.headers.authorization,
        session: presentedSession(request.headers),
      });
      if (outcome instanceof Promise) {
        outcome.then(accept).then(
          () => done(),
          (error) => done(noted(request, error)),
        );
        return;
      }
      accept(outcome);
    } catch (error) {
      return done(noted(request, error));
    }
    done();
  });
}
