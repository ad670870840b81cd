import type { FastifyInstance } from "fastify";
import type { ServerDependencies } from "../../dependencies.js";
import type { ServerSpan } from "../../telemetry/telemetry.js";
import { requireProtocol } from "../broken-request.js";
import { answerHeaders, wantsAnthropic } from "../error-reply.js";
import { refuseCrossSite, requiringOwnHost } from "./sites.js";

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

type RequestDependencies = Pick<ServerDependencies, "clock" | "now" | "metrics" | "telemetry" | "limits">;

/**
 * What is done for every request before its route: notes when it arrived, gives its reply the headers of all, has its end counted, makes
 * its span, and refuses what no route may answer. Clients that do not read their answer are left.
 */
export function addRequestHooks(
  app: FastifyInstance,
  { clock, now, metrics, telemetry, limits }: RequestDependencies,
): void {
  app.decorateRequest("arrivedMs", 0);
  app.decorateRequest("createdAtMs", 0);
  app.decorateRequest("errorCode", "");
  app.decorateRequest("span", null);
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) if (COUNTED.has(one)) metrics.routeAdded({ method: one, route: url });
  });
  const requireOwnHost = limits.auth === "off" ? requiringOwnHost(limits) : undefined;
  // Node would refuse it with an empty body.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.addHook("onRequest", (request, reply, done) => {
    const { id: requestId, method, headers, routeOptions } = request;
    const { raw } = reply;
    const arrivedMs = clock();
    const createdAtMs = now();
    request.arrivedMs = arrivedMs;
    request.createdAtMs = createdAtMs;
    reply.headers(answerHeaders(requestId));
    // Anthropic's clients look for it by this name.
    if (routeOptions.config.errorFormat === "messages" || wantsAnthropic(request))
      reply.header("request-id", requestId);
    const { url: route } = routeOptions;
    const span = telemetry?.startRequest({ requestId, method, route, headers, arrivedMs, createdAtMs });
    request.span = span ?? null;
    // Nothing happened on the connection for `connectionTimeout`: the client does not read, or its answer is still being made.
    raw.on("timeout", () => {
      if (raw.writableLength > 0) raw.destroy();
    });
    raw.once("close", () => {
      const status = raw.writableEnded ? reply.statusCode : CLIENT_GONE;
      const code = request.errorCode;
      const seconds = (clock() - arrivedMs) / 1000;
      metrics.requestEnded({ method, route: route ?? "unmatched", status, code, seconds });
      span?.replied({ status, code });
    });
    try {
      app.shutdown.admit(reply);
      requireProtocol(request.raw);
      refuseCrossSite(request);
      requireOwnHost?.(headers);
    } catch (fault) {
      return done(fault as Error);
    }
    done();
  });
  if (telemetry === null) return;
  // The first moment after all that is done before a body is read: host and origin, credentials, scope.
  app.addHook("preParsing", (request, _reply, _payload, done) => {
    request.span?.part("authenticate", request.arrivedMs);
    done();
  });
}
