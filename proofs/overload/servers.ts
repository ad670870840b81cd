import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type ServerProcess, startServer } from "../../bench/http/server-process.js";
import { makePrompt, seededRandom } from "../../bench/latency/prompts.js";
import type { Traffic } from "./open-loop.js";

const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";
const WORDS = 45;
const BODIES = 64;

export interface Servers {
  readonly gateway: ServerProcess;
  /** Decisions alone, without a call of a provider. */
  readonly decisions: Traffic;
  /** Chat completions of one model, which the upstream answers. */
  readonly chat: Traffic;
  setUpstream(state: "hang" | "answer"): Promise<void>;
  memoryMb(): Promise<number>;
  stop(): Promise<void>;
}

export interface ServersOptions {
  /** Settings of the gateway. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What chat completions ask for: a model, or `auto`. */
  readonly model: string;
  /** Whether the gateway gets the first core for itself, and sender and provider the others (Linux). */
  readonly ownCore: boolean;
}

/** The gateway as it is run, with keys, limits and traces, over an upstream of its own; each in its own process. */
export async function startServers(
  dataDir: string,
  { environment = {}, model, ownCore }: ServersOptions,
): Promise<Servers> {
  const upstream = await startServer("upstream", {
    args: [join(import.meta.dirname, "upstream.js")],
  });
  const gateway = await startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: dataDir,
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "warn",
      OPENAI_API_KEY: "sk-upstream",
      OPENAI_BASE_URL: `${upstream.address}/v1`,
      ...environment,
    },
  });
  if (ownCore) {
    const others = `1-${availableParallelism() - 1}`;
    pin(gateway.child.pid, "0");
    pin(upstream.child.pid, others);
    pin(process.pid, others);
  }
  const to = { address: gateway.address, headers: { authorization: `Bearer ${KEY}` } };
  return {
    gateway,
    decisions: {
      ...to,
      path: "/v1/router",
      bodies: bodiesOf((messages) => ({ messages, cost_weight: 0.3, execute: false })),
    },
    chat: {
      ...to,
      path: "/v1/chat/completions",
      bodies: bodiesOf((messages) => ({ messages, model })),
    },
    async setUpstream(state) {
      await fetch(`${upstream.address}/${state}`, { method: "POST" });
    },
    async memoryMb() {
      const status = await readFile(`/proc/${gateway.child.pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    async stop() {
      await gateway.stop();
      await upstream.stop();
    },
  };
}

/** Keeps all threads of a process on these cores. */
function pin(pid: number | undefined, cores: string): void {
  execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", cores, String(pid)], { stdio: "ignore" });
}

function bodiesOf(body: (messages: readonly object[]) => object): string[] {
  const random = seededRandom(3);
  return Array.from({ length: BODIES }, (_, topic) =>
    JSON.stringify(body([{ role: "user", content: makePrompt(topic, WORDS, random) }])),
  );
}
