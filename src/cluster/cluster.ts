/** The one file that knows Node's cluster: processes that share a port, whose connections the supervisor distributes round-robin. */
import cluster from "node:cluster";
import type { MessageTransport, RpcMessage } from "../workers/rpc-channel.js";
import type { WorkerProcess } from "./worker-processes.js";

/** Starts this program once more, with the same arguments, as a worker. */
export function forkWorker(): WorkerProcess {
  // Structured cloning keeps what JSON loses: undefined, dates, numbers that are none.
  cluster.setupPrimary({ serialization: "advanced" });
  const worker = cluster.fork();
  // A message to a process that exits meanwhile is lost; `ended` reports the exit.
  worker.on("error", () => {});
  return {
    transport: {
      send: (message) => {
        if (worker.isConnected()) worker.send(message, () => {});
      },
      onMessage: (listen) => {
        worker.on("message", (message: RpcMessage) => listen(message));
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

/** The message transport to the supervisor; undefined when this process is not a worker. */
export function transportToSupervisor(): MessageTransport | undefined {
  if (!cluster.isWorker) return undefined;
  return {
    send: (message) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => {});
    },
    onMessage: (listen) => {
      process.on("message", (message: RpcMessage) => listen(message));
    },
  };
}
