import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { KEY, type ServerProcess, startServer } from "../http/server-process.js";
import { pythonEnvironment } from "../python-environment.js";
import type { Target } from "./load.js";

const BIND_LOOPBACK = join("bench", "gateway", "bind-loopback.cjs");
const LITELLM = join("bench", "gateway", "litellm");

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

/** Folder of another gateway, which is installed from its own lockfile at the first run. */
function installed(name: "portkey" | "llms"): string {
  const folder = join("bench", "gateway", name);
  if (!existsSync(join(folder, "node_modules"))) {
    console.log(`installing ${name} from its lockfile …`);
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: folder,
      stdio: "ignore",
    });
  }
  return folder;
}

async function startPortkey(upstream: string): Promise<Contestant> {
  const port = await freePort();
  const script = join(
    installed("portkey"),
    "node_modules",
    "@portkey-ai",
    "gateway",
    "build",
    "start-server.js",
  );
  const server = await startServer("Portkey", {
    args: ["--require", `./${BIND_LOOPBACK}`, script, `--port=${port}`, "--headless"],
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

/** `@musistudio/llms`, the server inside claude-code-router. */
async function startLlms(upstream: string): Promise<Contestant> {
  const port = await freePort();
  const server = await startServer("llms", {
    args: ["--require", `./${BIND_LOOPBACK}`, join(installed("llms"), "start.cjs")],
    environment: { LLMS_PORT: String(port), LLMS_UPSTREAM: `${upstream}/v1/chat/completions` },
  });
  // It names the provider before the model.
  return { name: "llms", server, address: `http://127.0.0.1:${port}`, headers: {}, modelPrefix: "fake," };
}

/**
 * LiteLLM's proxy, one process. With a key: its master key is asked for, each request is logged as JSON, and a callback logs its cost.
 * Its virtual keys, budgets and spend need Postgres and an engine that Prisma downloads. Without a key: nothing of that.
 */
async function startLiteLlm(
  upstream: string,
  dataDir: string,
  { name, program, key }: { readonly name: string; readonly program: string; readonly key?: string },
): Promise<Contestant> {
  const port = await freePort();
  const config = join(dataDir, `litellm-${port}.json`);
  const model = { model: "openai/gpt-4o-mini", api_base: `${upstream}/v1`, api_key: "sk-upstream" };
  await writeFile(
    config,
    JSON.stringify({
      model_list: [{ model_name: "gpt-4o-mini", litellm_params: model }],
      litellm_settings: key === undefined ? {} : { json_logs: true, callbacks: "cost_log.cost_log" },
      general_settings: key === undefined ? {} : { master_key: key },
    }),
  );
  const server = await startServer(name, {
    program: "sh",
    // It says on the standard error that it is ready.
    args: [
      "-c",
      'exec "$0" --config "$1" --host 127.0.0.1 --port "$2" --num_workers 1 2>&1',
      program,
      config,
      String(port),
    ],
    environment: {
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      ...(key === undefined
        ? { LITELLM_LOG: "ERROR", LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: "true" }
        : { LITELLM_LOG: "INFO", PYTHONPATH: LITELLM }),
    },
    // Some ten milliseconds before it listens; it is called seconds later.
    ready: /Set models:[\s\S]*?(gpt-4o-mini)/,
  });
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return { name, server, address: `http://127.0.0.1:${port}`, headers };
}

/** With authentication, limits, cost and traces on. */
export async function startSextant(
  upstream: string,
  dataDir: string,
  {
    name = "Sextant",
    root = ".",
    environment = {},
  }: {
    readonly name?: string;
    readonly root?: string;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<Contestant> {
  const server = await startServer(name, {
    args: [join(root, "dist", "cli", "main.js"), "serve"],
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
      ...environment,
    },
  });
  return { name, server, address: server.address, headers: { authorization: `Bearer ${KEY}` } };
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
  /** Whether other gateways take part. */
  readonly peers: boolean;
  /** A built checkout of another commit that takes part too. */
  readonly earlier?: string | undefined;
  /** Called with each that has started, so that it can be stopped whatever happens. */
  readonly onStarted: (contestant: Contestant) => void;
}

/** The direct call first, then the floor, ours, an earlier one of ours, and those of others. */
export async function startContestants(options: ContestantOptions): Promise<void> {
  const { upstream, dataDir, peers, earlier, onStarted } = options;
  onStarted({ name: "direct", server: null, address: upstream, headers: {} });
  onStarted(await startFloor(upstream));
  onStarted(await startSextant(upstream, join(dataDir, "now")));
  const withoutTraces = { SEXTANT_CH_ENABLED: "false" };
  onStarted(
    await startSextant(upstream, join(dataDir, "bare"), { name: "Sextant bare", environment: withoutTraces }),
  );
  if (earlier !== undefined)
    onStarted(await startSextant(upstream, join(dataDir, "earlier"), { name: "earlier", root: earlier }));
  if (!peers) return;
  onStarted(await startPortkey(upstream));
  onStarted(await startLlms(upstream));
  const litellm = join(pythonEnvironment(LITELLM), "litellm");
  onStarted(await startLiteLlm(upstream, dataDir, { name: "LiteLLM", program: litellm, key: KEY }));
  onStarted(await startLiteLlm(upstream, dataDir, { name: "LiteLLM bare", program: litellm }));
}
