import type { FastifyInstance } from "fastify";
import type { ServerSpan } from "../../../telemetry/telemetry.js";
import type { ServerDependencies } from "../../dependencies.js";
import { statusOf } from "./requests.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Null unless spans are exported. */
    span: ServerSpan | null;
  }
}

/** Makes a span of every request. Without telemetry, adds nothing to the way of a request. */
export function traceRequests(
  app: FastifyInstance,
  { telemetry }: Pick<ServerDependencies, "telemetry">,
): void {
  app.decorateRequest("span", null);
  if (telemetry === null) return;
  app.addHook("onRequest", (request, reply, done) => {
    const { id: requestId, method, headers, arrivedMs, createdAtMs } = request;
    const route = request.routeOptions.url;
    const span = telemetry.startRequest({ requestId, method, route, headers, arrivedMs, createdAtMs });
    request.span = span;
    reply.raw.once("close", () => span.replied({ status: statusOf(reply), code: request.errorCode }));
    done();
  });
  // The first moment after all that is done before a body is read: host and origin, credentials, scope.
  app.addHook("preParsing", (request, _reply, _payload, done) => {
    request.span?.part("authenticate", request.arrivedMs);
    done();
  });
}
