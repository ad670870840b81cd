import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { SextantError } from "../../../../foundation/errors.js";

/**
 * Refuses requests that HTTP itself does not allow or that expect what this server does not do, in the format of all errors.
 * Node would answer them on its own, with an empty body.
 */
export function refuseUnsupportedProtocol(app: FastifyInstance): void {
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.addHook("onRequest", ({ raw, headers }, _reply, done) => done(hostFault(raw) ?? expectFault(headers)));
}

/** Only HTTP/1.1 requires it. */
function hostFault({ httpVersion, headers }: IncomingMessage): SextantError | undefined {
  if (headers.host !== undefined || httpVersion === "1.0") return undefined;
  return new SextantError(
    "invalid_request",
    "The request has no `Host` header, which HTTP/1.1 requires. Send one.",
  );
}

function expectFault({ expect }: IncomingHttpHeaders): SextantError | undefined {
  if (expect === undefined || expect.toLowerCase() === "100-continue") return undefined;
  return new SextantError(
    "invalid_request",
    `The header \`Expect\` is ${JSON.stringify(expect.slice(0, 80))}. Only 100-continue is supported: send that, or leave it out.`,
    { status: 417 },
  );
}
