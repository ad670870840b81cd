import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type ServerProcess, startServer } from "../http/server-process.js";
import type { Target } from "./load.js";

const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";
const PORTKEY = join("bench", "gateway", "portkey");

/** A gateway, or none: what a call goes through. */
export interface Contestant extends Target {
  /** Null for the direct call, which has no gateway. */
  readonly server: ServerProcess | null;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Installed from its own lockfile at the first run. */
async function startPortkey(upstream: string): Promise<Contestant> {
  if (!existsSync(join(PORTKEY, "node_modules"))) {
    console.log("installing Portkey's gateway from its lockfile …");
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: PORTKEY,
      stdio: "ignore",
    });
  }
  const port = await freePort();
  const script = join(PORTKEY, "node_modules", "@portkey-ai", "gateway", "build", "start-server.js");
  const server = await startServer("Portkey", {
    args: [script, `--port=${port}`, "--headless"],
    environment: { NODE_ENV: "production" },
    ready: /Ready for (connections)/,
  });
  return {
    name: "Portkey",
    server,
    address: `http://127.0.0.1:${port}`,
    headers: {
      authorization: "Bearer sk-upstream",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `${upstream}/v1`,
    },
  };
}

/** With authentication, limits, cost and traces on. */
export async function startSextant(upstream: string, dataDir: string): Promise<Contestant> {
  const server = await startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: dataDir,
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "warn",
      SEXTANT_REQUESTS_PER_MINUTE: "1000000000",
      SEXTANT_TOKENS_PER_MINUTE: "1000000000",
      SEXTANT_USD_PER_MONTH: "1000000",
      // On a busy machine a request must not be refused because it waited.
      SEXTANT_MAX_QUEUE_MS: "600000",
      OPENAI_API_KEY: "sk-upstream",
      OPENAI_BASE_URL: `${upstream}/v1`,
    },
  });
  return { name: "Sextant", server, address: server.address, headers: { authorization: `Bearer ${KEY}` } };
}

export async function startFloor(upstream: string): Promise<Contestant> {
  const server = await startServer("floor", {
    args: [join(import.meta.dirname, "floor.js")],
    environment: { FLOOR_UPSTREAM: upstream },
  });
  return { name: "floor", server, address: server.address, headers: {} };
}

export interface ContestantOptions {
  /** Address of what answers in the end. */
  readonly upstream: string;
  /** Where ours keeps its traces. */
  readonly dataDir: string;
  readonly portkey: "with" | "without";
  /** Called with each that has started, so that it can be stopped whatever happens. */
  readonly onStarted: (contestant: Contestant) => void;
}

/** The direct call first, then the floor, ours, and Portkey's. */
export async function startContestants(options: ContestantOptions): Promise<void> {
  const { upstream, dataDir, portkey, onStarted } = options;
  onStarted({ name: "direct", server: null, address: upstream, headers: {} });
  onStarted(await startFloor(upstream));
  onStarted(await startSextant(upstream, dataDir));
  if (portkey === "with") onStarted(await startPortkey(upstream));
}
