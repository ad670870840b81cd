import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServerDependencies } from "../../dependencies.js";
import { wantsAnthropic } from "../anthropic-form.js";
import { overloaded } from "./admission.js";

declare module "fastify" {
  interface FastifyRequest {
    /** When the request's head had been read, on the monotonic clock of `ServerDependencies`. */
    arrivedMs: number;
    /** The same moment in milliseconds since the epoch. */
    createdAtMs: number;
    /** Code of the error that the client was told; empty without one. */
    errorCode: string;
  }
}

/** Status of a request whose client went away before the answer was complete, as nginx counts it. */
const CLIENT_GONE = 499;

/** Methods that do something; Fastify adds HEAD to every GET. */
const COUNTED: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** The status as it is counted, once the connection is done with the request. */
export const statusOf = ({ raw, statusCode }: FastifyReply): number =>
  raw.writableEnded ? statusCode : CLIENT_GONE;

/** Notes when each request arrived, names it in its reply, and counts how it ended. */
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
    reply.header("x-request-id", request.id);
    // Anthropic's clients look for it by this name.
    if (request.routeOptions.config.errorFormat === "messages" || wantsAnthropic(request))
      reply.header("request-id", request.id);
    reply.raw.once("close", () =>
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

/**
 * Searches of traces at one time. They wait for each other in the store, so that more would only run out of time there; they
 * are counted apart from requests that run models, so that neither keeps the other out.
 */
const MOST_SEARCHES = 32;

/** Refuses requests of this instance's routes past `MOST_SEARCHES`, before anything is done for them. */
export function limitSearches(app: FastifyInstance): void {
  let running = 0;
  app.addHook("onRequest", (_request: FastifyRequest, reply: FastifyReply, done) => {
    if (running >= MOST_SEARCHES)
      return done(
        overloaded(`${running} searches of traces are running, which is the limit. Try again in a moment.`),
      );
    running += 1;
    reply.raw.once("close", () => {
      running -= 1;
    });
    done();
  });
}
