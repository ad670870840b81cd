/** The one file that knows Node's cluster: processes that share a port, whose connections the primary hands out in turn. */
import cluster from "node:cluster";
import type { Channel, LinkMessage } from "./link.js";
import type { WorkerProcess } from "./worker-processes.js";

/** Starts this program once more, with the same arguments, as a worker. */
export function forkWorker(): WorkerProcess {
  // Structured cloning keeps what JSON loses: undefined, dates, numbers that are none.
  cluster.setupPrimary({ serialization: "advanced" });
  const worker = cluster.fork();
  // A message to a process that ends meanwhile is lost, and its end is told by `ended`.
  worker.on("error", () => {});
  return {
    channel: {
      send: (message) => {
        if (worker.isConnected()) worker.send(message, () => {});
      },
      onMessage: (listen) => {
        worker.on("message", (message: LinkMessage) => listen(message));
      },
    },
    ended: new Promise((resolve) => {
      worker.once("exit", (code: number | null, signal: string | null) => {
        resolve(signal ?? `exit code ${code}`);
      });
    }),
    kill: () => {
      worker.process.kill("SIGKILL");
    },
  };
}

/** The way to the primary when this process is a worker; undefined in every other process. */
export function channelToPrimary(): Channel | undefined {
  if (!cluster.isWorker) return undefined;
  return {
    send: (message) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => {});
    },
    onMessage: (listen) => {
      process.on("message", (message: LinkMessage) => listen(message));
    },
  };
}
