import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { AUTHORIZATION } from "../../bench/traces/gateway.js";
import { temporaryFolder } from "../../bench/traces/temporary-folder.js";
import { countTraces, exportedTraces, startGateway } from "./gateway-process.js";
import { makeKeys } from "./keys.js";
import { childrenOf, clientPortsOf } from "./process-sockets.js";
import type { Target, TargetOptions } from "./target.js";

/** One gateway with worker processes, which its supervisor starts again when they are killed. Linux only. */
export async function openWorkers(
  count: number,
  { upstreamUrl, requests, random }: TargetOptions,
): Promise<Target> {
  const folder = await temporaryFolder("sextant-chaos-");
  const server = await startGateway({
    folder,
    upstreamUrl,
    environment: { SEXTANT_WORKERS: String(count) },
  });
  const { address } = server;
  const supervisor = server.child.pid ?? 0;
  const port = Number(new URL(address).port);
  return {
    keys: await makeKeys(address, { headers: AUTHORIZATION, requests }),
    addresses: () => [address],
    // A worker that is still starting has no connections yet.
    async isWhole() {
      const workers = await childrenOf(supervisor);
      const ports = await Promise.all(workers.map((worker) => clientPortsOf(worker, port)));
      return ports.filter(({ size }) => size > 0).length === count;
    },
    async kill(connections, beforeKill) {
      const workers = await childrenOf(supervisor);
      const victim = workers[Math.floor(random() * workers.length)] ?? 0;
      // Stopped first, so that it takes no further connection after they are listed.
      process.kill(victim, "SIGSTOP");
      const ports = await clientPortsOf(victim, port);
      beforeKill([...connections].filter(({ socket }) => ports.has(socket.localPort ?? 0)));
      process.kill(victim, "SIGKILL");
    },
    sharesLimits: async () => undefined,
    traces: () => exportedTraces(address),
    traceCount: () => countTraces(address),
    stop: () => server.stop(),
    async spent(principal) {
      const file = JSON.parse(await readFile(join(folder, "spend.json"), "utf8")) as {
        readonly spent_nano_usd: Readonly<Record<string, number>>;
      };
      return file.spent_nano_usd[principal] ?? 0;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
