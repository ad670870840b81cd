import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

/** What Node's cluster sends with a connection, and what it gets back: `lib/internal/cluster/round_robin_handle.js`. */
interface ClusterMessage {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: number;
  readonly ack?: number;
}

const CLUSTER = "NODE_CLUSTER";
/** How long a worker may take to take its connections: one that hangs never does (guess). */
const LONGEST_WAIT_MS = 5000;

/**
 * The connections that a worker was sent and has not taken. Node forgets them when the worker ends, and leaves them open: their
 * clients would wait for ever.
 */
export class UnacceptedConnections {
  readonly #worker: ChildProcess;
  readonly #sequenceNumbers = new Set<number>();
  #sent = 0;

  constructor(worker: ChildProcess) {
    this.#worker = worker;
    const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
    worker.send = (message: ClusterMessage, ...rest: unknown[]) => {
      const { cmd, act, seq } = message;
      if (cmd === CLUSTER && act === "newconn" && seq !== undefined) {
        this.#sequenceNumbers.add(seq);
        this.#sent += 1;
      }
      return send(message, ...rest);
    };
    worker.on("internalMessage", ({ cmd, ack }: ClusterMessage) => {
      if (cmd === CLUSTER && ack !== undefined) this.#sequenceNumbers.delete(ack);
    });
  }

  /**
   * Resolves when the worker has taken its connections and the system holds none that it would get, or after some seconds. Node hands
   * over the next one when the last one is taken.
   */
  async allTaken(): Promise<void> {
    const endsAtMs = performance.now() + LONGEST_WAIT_MS;
    let before: number;
    do {
      before = this.#sent;
      // Sockets are read meanwhile, however long the turn takes.
      await delay(1);
    } while ((this.#sent > before || this.#sequenceNumbers.size > 0) && performance.now() < endsAtMs);
  }

  /**
   * Answers Node in place of the worker, which has ended and was removed from the cluster: that it has not taken them, so that
   * they are sent to other workers, or that it has, so that Node closes them.
   */
  giveUp(to: "other workers" | "none"): void {
    for (const ack of [...this.#sequenceNumbers]) {
      this.#worker.emit("internalMessage", { cmd: CLUSTER, ack, accepted: to === "none" });
    }
  }
}
