import type { FastifyReply, FastifyRequest } from "fastify";
import type { CancelSignal } from "../../../foundation/cancel-signal.js";
import { sourceOf } from "../../access/source.js";
import type { RequestContext } from "../../inference/request.js";

/**
 * Who asks, and for how long the answer is wanted. The signal is made when it is first asked for: a decision that is
 * ready at once needs none.
 *
 * @throws SextantError `invalid_request` when `x-source` is no name
 */
export function requestContext(request: FastifyRequest, { raw, server }: FastifyReply): RequestContext {
  const { principal, arrivedMs, createdAtMs, span } = request;
  if (principal === null) throw new TypeError("The route has no authentication.");
  let signal: CancelSignal | undefined;
  return {
    requestId: request.id,
    principal,
    source: sourceOf(principal, request.headers["x-source"]),
    arrivedMs,
    createdAtMs,
    span,
    get signal() {
      signal ??= server.shutdown.cancelOf(raw);
      return signal;
    },
  };
}
