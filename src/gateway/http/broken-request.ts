import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { SextantError } from "../../foundation/errors.js";
import { answerHeaders, errorBody } from "./error-reply.js";

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
 * Refuses what HTTP itself does not allow, and what this server does not do. Node would answer these on its own, with an empty body.
 *
 * @throws SextantError `invalid_request`
 */
export function requireProtocol({ httpVersion, headers: { host, expect } }: IncomingMessage): void {
  // Only HTTP/1.1 requires it.
  if (host === undefined && httpVersion !== "1.0") {
    const message = "The request has no `Host` header, which HTTP/1.1 requires. Send one.";
    throw new SextantError("invalid_request", message);
  }
  if (expect === undefined || expect.toLowerCase() === "100-continue") return;
  throw new SextantError(
    "invalid_request",
    `The header \`Expect\` is ${JSON.stringify(expect.slice(0, 80))}. Only 100-continue is supported: send that, or leave it out.`,
    { status: 417 },
  );
}
