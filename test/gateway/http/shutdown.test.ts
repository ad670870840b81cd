import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { expect, it } from "vitest";
import { closeWithin } from "../../../src/gateway/http/shutdown.js";
import { listening, startTestServer } from "../server.js";

const REQUEST = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
/** Longer than the time between the end of the grace period and the end of all connections. */
const STANDSTILL_MS = 1200;

/** All that comes until the connection ends; `reset` when it does not end in order. */
async function rest(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (piece) => {
    text += String(piece);
  });
  return once(socket, "end").then(
    () => text,
    () => "reset",
  );
}

it("answers a request that lies unread on a kept connection although the process stood still for all of the grace period", async () => {
  const { app } = startTestServer();
  const socket = connect(await listening(app), "127.0.0.1");
  socket.write(REQUEST);
  expect(String((await once(socket, "data"))[0])).toContain("200 OK");
  const answer = rest(socket);
  socket.write(REQUEST);
  const closed = closeWithin(app, 0);
  // As on a machine that computes something else: no turn of the event loop.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDSTILL_MS);
  expect(await answer).toMatch(
    /503 Service Unavailable\r\n(.+\r\n)*retry-after: 1\r\n(.|\s)*"code":"overloaded"/,
  );
  await closed;
});

it.each(["connection", "request"])(
  "reads on while every turn of the event loop has another %s",
  async (what) => {
    const known = { getConnections: (told: (fault: null, count: number) => void) => told(null, 0) };
    const server = Object.assign(new EventEmitter(), known);
    let [turns, readTurns] = [0, 0];
    const turn = () => server.emit(what) && ++turns < 5 && setImmediate(turn);
    setImmediate(turn);
    const close = async () => {
      readTurns = turns;
    };
    // A grace period that no standstill of the machine outlasts.
    await closeWithin({ server, shutdown: { begin() {} }, close } as unknown as FastifyInstance, 600_000);
    expect(readTurns).toBe(5);
  },
);
