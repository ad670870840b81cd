import type { FastifyReply, FastifyRequest } from "fastify";
import { sourceOf } from "../../access/source.js";
import type { RequestContext } from "../../inference/request.js";

/**
 * Who asks, and for how long the answer is wanted. The signal is made when it is first asked for: a decision that is
 * ready at once needs none.
 *
 * @throws SextantError `invalid_request` when `x-source` is no name
 */
export function requestContext(request: FastifyRequest, { raw }: FastifyReply): RequestContext {
  const { principal, arrivedMs, createdAtMs } = request;
  if (principal === null) throw new TypeError("The route has no authentication.");
  let signal: AbortSignal | undefined;
  return {
    requestId: request.id,
    principal,
    source: sourceOf(principal, request.headers["x-source"]),
    arrivedMs,
    createdAtMs,
    get signal() {
      signal ??= disconnectSignal({ raw });
      return signal;
    },
  };
}

/** Aborts when the client goes away before its answer is complete. */
export function disconnectSignal({ raw }: Pick<FastifyReply, "raw">): AbortSignal {
  const disconnect = new AbortController();
  const abort = () => {
    if (!raw.writableEnded) disconnect.abort(new Error("The client went away."));
  };
  if (raw.destroyed) abort();
  else raw.once("close", abort);
  return disconnect.signal;
}
