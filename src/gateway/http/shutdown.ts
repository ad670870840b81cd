import type { Server, ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { FastifyInstance, FastifyReply } from "fastify";
import { overloaded } from "./error-reply.js";

declare module "fastify" {
  interface FastifyInstance {
    readonly shutdown: Shutdown;
  }
}

/**
 * For how long a stopping server still accepts connections, to answer with 503: requests that were sent when it was told to
 * stop, on new or on idle connections, would be reset otherwise. Many round trips (guess).
 */
const DRAIN_MS = 250;
/** Time for clients to read the last bytes after the grace period, before connections are cut (guess). */
const FLUSH_MS = 1000;
const IDLE_CHECK_MS = 50;
/** Connections and requests that a stopping server still takes before it stops: more than the system holds for it by default. */
const MOST_WAITING = 16_384;

/** The requests under way, and what a stopping server does with them and with further ones. */
class Shutdown {
  readonly #running = new Map<ServerResponse, Pick<AbortController, "abort">>();
  #hasStarted = false;

  /** @throws SextantError `overloaded` once the server is stopping */
  admit(reply: FastifyReply): void {
    if (!this.#hasStarted) return;
    reply.header("connection", "close");
    throw overloaded(
      "The server is shutting down. Send the request again: another instance or a restarted one answers.",
    );
  }

  /** An AbortSignal that aborts as `cancelling` says. */
  signalOf(raw: ServerResponse): AbortSignal {
    return this.cancelling(raw, new AbortController()).signal;
  }

  /** Aborts when the client goes away before its answer is complete, and at `cutOff`: then with a SextantError as the reason. */
  cancelling<Controller extends Pick<AbortController, "abort">>(
    raw: ServerResponse,
    controller: Controller,
  ): Controller {
    const ended = () => {
      this.#running.delete(raw);
      if (!raw.writableEnded) controller.abort(new ClientWentAway("The client went away."));
    };
    if (raw.destroyed) ended();
    else {
      this.#running.set(raw, controller);
      raw.once("close", ended);
    }
    return controller;
  }

  /** From now on, requests are refused, and connections are closed after their answer. */
  begin(): void {
    this.#hasStarted = true;
    for (const raw of this.#running.keys()) if (!raw.headersSent) raw.setHeader("connection", "close");
  }

  /** Ends the requests under way: each fails with `overloaded`, which its client is told. */
  cutOff(): void {
    const message =
      "The server is shutting down and cannot wait for the rest of the answer. Send the request again: another instance or a restarted one answers.";
    for (const controller of this.#running.values()) controller.abort(overloaded(message));
  }
}

/** Why a request is cancelled whose client is gone. */
export class ClientWentAway extends Error {}

/** Closes connections after `closeWithin` or `app.close` as soon as their requests are finished. */
export function addShutdown(app: FastifyInstance): void {
  const shutdown = new Shutdown();
  app.decorate("shutdown", shutdown);
  app.addHook("preClose", (done) => {
    shutdown.begin();
    closeConnectionsOnceIdle(app.server);
    done();
  });
}

/**
 * Stops accepting and waits for requests under way. Those that take longer than the grace period are then ended with an error,
 * of which their clients are told, and all connections are closed.
 */
export async function closeWithin(app: FastifyInstance, graceMs: number): Promise<void> {
  const { server, shutdown } = app;
  shutdown.begin();
  const timers = [
    setTimeout(() => shutdown.cutOff(), graceMs),
    // Timers come before sockets: on a machine that computes something else, no turn may have read anything in all that time.
    setTimeout(() => void readWaiting(server).then(() => server.closeAllConnections()), graceMs + FLUSH_MS),
  ];
  try {
    await readWaiting(server);
    if (await hasConnections(server)) await wait(Math.min(DRAIN_MS, graceMs));
    await readWaiting(server);
    await app.close();
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/**
 * Accepts the connections that the system holds for the server, and reads the requests on all of them: turns of the event loop
 * until one has nothing new, however long they take.
 */
async function readWaiting(server: Server): Promise<void> {
  let taken = 0;
  let before: number;
  const count = () => {
    taken += 1;
  };
  server.on("connection", count).on("request", count);
  do {
    before = taken;
    await nextTurn();
  } while (taken > before && taken < MOST_WAITING);
  server.off("connection", count).off("request", count);
}

const hasConnections = (server: Server): Promise<boolean> =>
  new Promise((resolve) => server.getConnections((_fault, count) => resolve(count > 0)));

/** A connection that was busy when the server began to close would otherwise keep it open for its keep-alive time. */
function closeConnectionsOnceIdle(server: Server): void {
  // After the turn in which sockets are read, so that no request lies unread on a connection that is closed.
  const timer = setInterval(() => setImmediate(() => server.closeIdleConnections()), IDLE_CHECK_MS);
  server.once("close", () => clearInterval(timer));
  timer.unref();
}
