import { once } from "node:events";
import { join } from "node:path";
import { type ServerProcess, startServer } from "../http/server-process.js";
import type { Lag } from "./lag-monitor.js";
import { type Memory, memoryOf } from "./machine.js";

export const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";
export const AUTHORIZATION = { authorization: `Bearer ${KEY}` };

/** A gateway in a process of its own. */
export interface Gateway {
  readonly address: string;
  /** Event loop delay since the last call. */
  lag(): Promise<Lag>;
  memory(): Promise<Memory>;
  /** Traces by what became of them, as `/metrics` says: `written`, `spilled`, `dropped`, … */
  traceCounts(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
  /** Kills it, as a crash does. Idempotent. */
  kill(): Promise<void>;
}

export async function startGateway(environment: Readonly<Record<string, string>>): Promise<Gateway> {
  const server = await startServer("sextant serve", {
    args: ["--import", join(import.meta.dirname, "lag-monitor.js"), join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_PORT: "0",
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "warn",
      ...environment,
    },
    messages: "ipc",
  });
  return {
    address: server.address,
    lag: () => askLag(server),
    memory: () => memoryOf(server.child.pid ?? 0),
    traceCounts: () => traceCountsOf(server.address),
    stop: () => server.stop(),
    async kill() {
      if (server.child.exitCode !== null || server.child.signalCode !== null) return;
      const ended = once(server.child, "exit");
      server.child.kill("SIGKILL");
      await ended;
    },
  };
}

async function askLag({ child }: ServerProcess): Promise<Lag> {
  const answered = once(child, "message");
  child.send("lag");
  const [lag] = (await answered) as [Lag];
  return lag;
}

async function traceCountsOf(address: string): Promise<Map<string, number>> {
  const answer = await fetch(`${address}/metrics`, { headers: AUTHORIZATION });
  const found = (await answer.text()).matchAll(/^sextant_traces_total\{state="(\w+)"\} (\d+)/gm);
  return new Map([...found].map(([, state, count]) => [state ?? "", Number(count)]));
}

/** Asks `/v1/traces` with that query string until the signal says stop. @returns how many answers came in time */
export async function keepSearching(
  { address }: Pick<Gateway, "address">,
  { query, signal }: { readonly query: (number: number) => string; readonly signal: AbortSignal },
): Promise<number> {
  let answers = 0;
  for (let number = 0; !signal.aborted; number++) {
    try {
      const answer = await fetch(`${address}/v1/traces?${query(number)}`, { headers: AUTHORIZATION, signal });
      await answer.text();
      // A search that takes too long is answered with 504, which is what its limit is for.
      if (!answer.ok && answer.status !== 504)
        throw new Error(`the search was answered with ${answer.status}`);
      answers += 1;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return answers;
}
