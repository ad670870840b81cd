import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import { errorBody } from "./error-reply.js";
import { answerHeaders } from "./plugins/requests.js";

/** Faults below HTTP, by Node's code: what was wrong and what to do. */
const FAULTS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The request's headers are larger than 16 KiB. Send fewer or shorter ones.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request was not sent whole in time. Send it again.",
};

/** Answers what is not an HTTP request at all, in the one error dialect, and closes the connection. */
export function answerBrokenRequest(
  fault: Error,
  { socket, requestId }: { socket: Socket; requestId: string },
): void {
  const code = "code" in fault ? String(fault.code) : "";
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const message = FAULTS[code] ?? "The request is not valid HTTP. Check its request line and headers.";
  const body = JSON.stringify(errorBody(new SextantError("invalid_request", message), requestId));
  const headers = Object.entries(answerHeaders(requestId)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${headers.join("")}content-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

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
