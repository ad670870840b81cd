import type { ChildProcess } from "node:child_process";

/** What Node's cluster sends with a connection, and what it gets back: `lib/internal/cluster/round_robin_handle.js`. */
interface ClusterMessage {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: number;
  readonly ack?: number;
}

const CLUSTER = "NODE_CLUSTER";

/**
 * The connections that a worker was sent and has not taken. Node forgets them when the worker ends, and leaves them open: their
 * clients would wait for ever.
 */
export class UntakenConnections {
  readonly #worker: ChildProcess;
  readonly #sequenceNumbers = new Set<number>();

  constructor(worker: ChildProcess) {
    this.#worker = worker;
    const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
    worker.send = (message: ClusterMessage, ...rest: unknown[]) => {
      const { cmd, act, seq } = message;
      if (cmd === CLUSTER && act === "newconn" && seq !== undefined) this.#sequenceNumbers.add(seq);
      return send(message, ...rest);
    };
    worker.on("internalMessage", ({ cmd, ack }: ClusterMessage) => {
      if (cmd === CLUSTER && ack !== undefined) this.#sequenceNumbers.delete(ack);
    });
  }

  /**
   * Answers Node in place of the worker, which has ended and was removed from the cluster: that it has not taken them, so that
   * they are sent to other workers, or that it has, so that Node closes them.
   */
  giveUp(to: "other workers" | "nobody"): void {
    for (const ack of [...this.#sequenceNumbers]) {
      this.#worker.emit("internalMessage", { cmd: CLUSTER, ack, accepted: to === "nobody" });
    }
  }
}
