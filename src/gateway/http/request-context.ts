import type { FastifyReply, FastifyRequest } from "fastify";
import { CancelController } from "../../foundation/cancel-signal.js";
import { sourceOf } from "../access/source.js";
import type { RequestContext } from "../run/request.js";

/**
 * Who asks, and for how long the answer is wanted.
 *
 * @throws SextantError `invalid_request` when `x-source` is no name
 */
export function requestContext(request: FastifyRequest, { raw, server }: FastifyReply): RequestContext {
  const { principal, arrivedMs, createdAtMs, span } = request;
  if (principal === null) throw new TypeError("The route has no authentication.");
  return {
    requestId: request.id,
    principal,
    source: sourceOf(principal, request.headers["x-source"]),
    arrivedMs,
    createdAtMs,
    span,
    signal: server.shutdown.cancelling(raw, new CancelController()),
  };
}
