/** The one file that knows Node's cluster: processes that share a port, whose connections the supervisor distributes round-robin. */
import cluster, { type Worker } from "node:cluster";
import type { MessageTransport, RpcMessage } from "../../foundation/workers/rpc-channel.js";
import { UnacceptedConnections } from "./unaccepted-connections.js";
import type { WorkerProcess } from "./worker-processes.js";

/** Workers that take connections. */
const listening = new Set<Worker>();

/** Starts this program once more, with the same arguments, as a worker. */
export function forkWorker(): WorkerProcess {
  // Structured cloning keeps what JSON loses: undefined, dates, numbers that are none.
  cluster.setupPrimary({ serialization: "advanced" });
  const worker = cluster.fork();
  // A message to a process that exits meanwhile is lost; `ended` reports the exit.
  worker.on("error", () => {});
  const unaccepted = new UnacceptedConnections(worker.process);
  giveUpWhenEnded(worker, unaccepted);
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
    handedOver: () => unaccepted.allTaken(),
    kill: () => {
      worker.process.kill("SIGKILL");
    },
  };
}

/** Has its connections sent to other workers, or closed when there is none, that it had not taken when it ended. */
function giveUpWhenEnded(worker: Worker, unaccepted: UnacceptedConnections): void {
  worker.once("listening", () => listening.add(worker));
  worker.once("exit", () => listening.delete(worker));
  // After the last message of the worker, unlike `exit`.
  worker.process.once("close", () => {
    // With connections on their way to it, Node does not emit this by itself, and keeps the worker.
    if (cluster.workers?.[worker.id] !== undefined) worker.process.emit("disconnect");
    unaccepted.giveUp(listening.size > 0 ? "other workers" : "none");
  });
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
