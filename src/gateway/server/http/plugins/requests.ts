import type { FastifyInstance, FastifyReply } from "fastify";
import type { ServerSpan } from "../../../telemetry/telemetry.js";
import type { ServerDependencies } from "../../dependencies.js";
import { wantsAnthropic } from "../error-reply.js";

declare module "fastify" {
  interface FastifyRequest {
    /** When the request's head had been read, on the monotonic clock of `ServerDependencies`. */
    arrivedMs: number;
    /** The same moment in milliseconds since the epoch. */
    createdAtMs: number;
    /** Code of the error that the client was told; empty without one. */
    errorCode: string;
    /** Null unless spans are exported. */
    span: ServerSpan | null;
  }
}

/** Status of a request whose client went away before the answer was complete, as nginx counts it. */
const CLIENT_GONE = 499;

/** Methods that do something; Fastify adds HEAD to every GET. */
const COUNTED: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** The status as it is counted, once the connection is done with the request. */
const statusOf = ({ raw, statusCode }: FastifyReply): number =>
  raw.writableEnded ? statusCode : CLIENT_GONE;

/**
 * Of every answer: its name, and that pages of other sites cannot load it, that it is of no other type, and that no cache keeps
 * it. What is public and stays the same, such as the console's files, replaces the last.
 */
export const answerHeaders = (requestId: string): Readonly<Record<string, string>> => ({
  "x-request-id": requestId,
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
});

/** Notes when each request arrived, gives its reply the headers of all, counts how it ended, and leaves clients that do not read their answer. */
export function watchRequests(
  app: FastifyInstance,
  { clock, now, metrics }: Pick<ServerDependencies, "clock" | "now" | "metrics">,
): void {
  app.decorateRequest("arrivedMs", 0);
  app.decorateRequest("createdAtMs", 0);
  app.decorateRequest("errorCode", "");
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) if (COUNTED.has(one)) metrics.routeAdded({ method: one, route: url });
  });
  app.addHook("onRequest", (request, reply, done) => {
    request.arrivedMs = clock();
    request.createdAtMs = now();
    reply.headers(answerHeaders(request.id));
    // Anthropic's clients look for it by this name.
    if (request.routeOptions.config.errorFormat === "messages" || wantsAnthropic(request))
      reply.header("request-id", request.id);
    const { raw } = reply;
    // Nothing happened on the connection for `connectionTimeout`: the client does not read, or its answer is still being made.
    raw.on("timeout", () => {
      if (raw.writableLength > 0) raw.destroy();
    });
    raw.once("close", () =>
      metrics.requestEnded({
        method: request.method,
        route: request.routeOptions.url ?? "unmatched",
        status: statusOf(reply),
        code: request.errorCode,
        seconds: (clock() - request.arrivedMs) / 1000,
      }),
    );
    done();
  });
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
