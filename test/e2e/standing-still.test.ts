/** What becomes of a server whose surroundings fail it: nobody reads what it prints, or the machine computes something else. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { KEY } from "../gateway/server.js";
import { folderForTest } from "../support/folders.js";
import { sampleSet } from "./sample-set.js";
import { startServe } from "./server-process.js";
import { callerOf } from "./whole-gateway.js";

/** More than Node asks the system to hold by default, 511. */
const CONNECTIONS = 1500;

const start = (environment: Readonly<Record<string, string>> = {}) =>
  startServe(folderForTest(), {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_PROFILES: sampleSet(),
    ...environment,
  });

it("A server goes on when no one reads what it prints and logs", async () => {
  const server = await start({ SEXTANT_SANDBOX: "true", SEXTANT_LOG_LEVEL: "trace" });
  server.child.stdout?.destroy();
  server.child.stderr?.destroy();
  const call = callerOf(server.address);
  for (let asked = 0; asked < 6; asked++) {
    const messages = [{ role: "user", content: `What is 2 + ${asked}?` }];
    const body = { model: "sandbox/gpt-4o-mini", messages };
    expect((await call("/v1/chat/completions", { body })).status).toBe(200);
  }
  expect(await server.stop()).toBe(0);
});

function systemLimit(): number {
  try {
    return Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
  } catch {
    return 0;
  }
}

it.skipIf(systemLimit() < CONNECTIONS)(
  "New connections wait for a server that stands still, and are answered then",
  async () => {
    const server = await start();
    server.child.kill("SIGSTOP");
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(server.port, "127.0.0.1"));
    for (const socket of sockets) socket.on("error", () => {});
    try {
      // One that the system dropped would never be opened: nobody takes those before it.
      await Promise.all(sockets.map((socket) => once(socket, "connect")));
      server.child.kill("SIGCONT");
      expect(new Set(await Promise.all(sockets.map(statusOf)))).toEqual(new Set(["HTTP/1.1 200 OK"]));
    } finally {
      server.child.kill("SIGCONT");
      for (const socket of sockets) socket.destroy();
      await server.stop();
    }
  },
);

async function statusOf(socket: Socket): Promise<string> {
  socket.write("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
  const [first] = await once(socket, "data");
  return String(first).split("\r\n", 1)[0] ?? "";
}
