import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_WAIT_MS = 30_000;
const LAST_WORDS = 10_000;

export interface Program {
  /** As it is called on the PATH; an environment variable `SEXTANT_TEST_…` can name another one. */
  readonly name: string;
  readonly variable: string;
  readonly argv: readonly string[];
  /** What it prints when it takes questions. */
  readonly readyLine: string;
}

/** A server of others as a process of its own, with its files in a temporary folder. */
export abstract class RealServer {
  /** Where it runs; gone after `stop`. */
  protected readonly folder: string;
  #process: ChildProcess | undefined;

  protected constructor(name: string) {
    this.folder = mkdtempSync(join(tmpdir(), `sextant-${name}-`));
  }

  protected abstract readonly program: Program;

  /** Starts it, again after `kill`: on the same port. Resolves when it takes questions. */
  async start(): Promise<void> {
    const { name, variable, argv, readyLine } = this.program;
    const program = process.env[variable] ?? name;
    // Where Debian puts servers, which is not on everybody's path.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    const started = spawn(program, argv, { cwd: this.folder, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = started;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) =>
        reject(new Error(`${program} ${why}. Install ${name}, or name one with ${variable}.\n${said}`));
      const timer = setTimeout(() => fail("did not start in time"), START_WAIT_MS).unref();
      const listen = (chunk: Buffer) => {
        said = (said + chunk.toString("utf8")).slice(-LAST_WORDS);
        if (!said.includes(readyLine)) return;
        clearTimeout(timer);
        resolve();
      };
      started.on("error", (fault) => fail(fault.message));
      started.on("exit", (code) => fail(`ended with ${code}`));
      started.stdout?.on("data", listen);
      started.stderr?.on("data", listen);
    });
  }

  /** It keeps its connections and answers nothing. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  /** It goes on, with what came meanwhile. */
  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  /** It dies at once; what is on disk stays. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Free ports of loopback, all held at once, so that they differ. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(probes.map((probe) => once(probe, "listening")));
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port);
  for (const probe of probes) probe.close();
  await Promise.all(probes.map((probe) => once(probe, "close")));
  return ports;
}
