import type { FastifyInstance } from "fastify";
import type { Authenticator } from "../../access/authenticator.js";
import type { Principal } from "../../access/principal.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Who makes the request; set before the handler of every `/v1` route, null elsewhere. */
    principal: Principal | null;
  }
}

/** Lets requests of this instance's routes pass only with valid credentials, before their body is read. */
export function requireAuthentication(app: FastifyInstance, authenticator: Authenticator): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const accept = (principal: Principal) => {
      request.principal = principal;
      done();
    };
    try {
      const outcome = authenticator.authenticate({
        apiKeyHeader: singleHeader(request.headers["x-api-key"]),
        authorizationHeader: request.headers.authorization,
      });
      if (outcome instanceof Promise) outcome.then(accept, done);
      else accept(outcome);
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Node joins repeated headers with a comma, so that a repeated key never equals a stored one. */
const singleHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(",") : value;
