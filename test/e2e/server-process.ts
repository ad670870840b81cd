import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Limits of time that a busy machine would exceed: what is tested does not depend on its speed. */
export const PATIENCE = {
  SEXTANT_MAX_QUEUE_MS: "600000",
  SEXTANT_TRACE_QUERY_TIMEOUT_MS: "600000",
};

export interface EndedCommand {
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `sextant` as it is installed, with these words, in a folder. */
export function startCommand(
  words: readonly string[],
  { cwd, environment }: { readonly cwd: string; readonly environment: Readonly<Record<string, string>> },
): { readonly child: ChildProcessWithoutNullStreams; readonly ended: Promise<EndedCommand> } {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (piece) => {
      said[name] += String(piece);
    });
  const ended = new Promise<EndedCommand>((resolve) =>
    child.once("close", (exitCode) => resolve({ exitCode, ...said })),
  );
  return { child, ended };
}

/** `sextant serve` as it is installed, in a process and a data folder of its own. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly port: number;
  /** Everything it printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Asks it to stop. @returns its exit code; null when it was killed */
  stop(): Promise<number | null>;
}

/** An empty folder. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), "sextant-process-"));

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export interface ServeOptions {
  /** A command that runs a command, with its arguments. */
  readonly under?: readonly string[];
  /** The command line's program; default that of this repository. */
  readonly main?: string;
}

/** Resolves when it listens. @throws Error with what it printed when it ends before */
export async function startServe(
  folder: string,
  environment: Readonly<Record<string, string>>,
  { under = [], main = MAIN }: ServeOptions = {},
): Promise<ServerProcess> {
  const [program = "", ...rest] = [...under, process.execPath, main, "serve"];
  const child = spawn(program, rest, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...PATIENCE,
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: join(folder, "data"),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.stderr.on("data", (piece) => {
    stderr += String(piece);
  });
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (piece) => {
      stdout += String(piece);
      const found = /sextant listening on (\S+)\n/.exec(stdout)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => reject(new Error(`it ended before it listened: ${stdout}${stderr}`)));
  });
  return {
    child,
    address,
    port: Number(new URL(address).port),
    stdout: () => stdout,
    stderr: () => stderr,
    async stop() {
      child.kill("SIGTERM");
      return await exited;
    },
  };
}
