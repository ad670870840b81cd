/** Connections that arrive while the server takes none: a burst, or a machine that computes something else. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KEY } from "../gateway/server/server.js";
import { newFolder, removeFolder, startServe } from "./server-process.js";

/** More than Node asks the system to hold by default, 511. */
const CONNECTIONS = 1500;
/** What the system has already decided on is there within this time; dropped connections are tried again after a second. */
const DROPPED_MS = 30_000;

function systemLimit(): number {
  try {
    return Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
  } catch {
    return 0;
  }
}

let folder = "";
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => removeFolder(folder));

it.skipIf(systemLimit() < CONNECTIONS).each(["1", "2"])(
  "new connections wait for a server of %s processes that stands still, and are answered then",
  async (workers) => {
    const server = await startServe(folder, { SEXTANT_BOOTSTRAP_API_KEY: KEY, SEXTANT_WORKERS: workers });
    // The process that listens: with workers, it hands connections out.
    server.child.kill("SIGSTOP");
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(server.port, "127.0.0.1"));
    for (const socket of sockets) socket.on("error", () => {});
    try {
      const opened = await Promise.all(sockets.map(isOpened));
      expect(opened.filter((isOpen) => !isOpen)).toHaveLength(0);
      server.child.kill("SIGCONT");
      const statuses = await Promise.all(sockets.map(statusOf));
      expect(statuses.filter((status) => status !== "HTTP/1.1 200 OK")).toEqual([]);
    } finally {
      server.child.kill("SIGCONT");
      for (const socket of sockets) socket.destroy();
      await server.stop();
    }
  },
);

const isOpened = (socket: Socket): Promise<boolean> =>
  once(socket, "connect", { signal: AbortSignal.timeout(DROPPED_MS) }).then(
    () => true,
    () => false,
  );

async function statusOf(socket: Socket): Promise<string> {
  socket.write("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
  const [first] = await once(socket, "data");
  return String(first).split("\r\n", 1)[0] ?? "";
}
