import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_WAIT_MS = 10_000;

/**
 * A real redis-server of its own: on a free port of loopback, in a temporary folder, without persistence.
 *
 * The program is `redis-server` from the PATH, or the one that SEXTANT_TEST_REDIS names.
 */
export class RedisServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "sextant-redis-"));
  readonly #arguments: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    settings: readonly string[],
  ) {
    this.#arguments = [
      ...["--port", String(port), "--bind", "127.0.0.1", "--dir", this.#folder],
      ...["--save", "", "--appendonly", "no", ...settings],
    ];
  }

  /** @param settings further arguments, such as `--requirepass`, `secret` */
  static async start(...settings: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), settings);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  /** Starts it, again after `kill`: on the same port and empty. Resolves when it accepts commands. */
  async start(): Promise<void> {
    const program = process.env.SEXTANT_TEST_REDIS ?? "redis-server";
    const started = spawn(program, this.#arguments, { stdio: ["ignore", "pipe", "inherit"] });
    this.#process = started;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) =>
        reject(
          new Error(`${program} ${why}. Install redis-server, or name one with SEXTANT_TEST_REDIS.\n${said}`),
        );
      const timer = setTimeout(() => fail("did not start in time"), START_WAIT_MS).unref();
      started.on("error", (fault) => fail(fault.message));
      started.on("exit", (code) => fail(`ended with ${code}`));
      started.stdout?.on("data", (chunk: Buffer) => {
        said += chunk.toString("utf8");
        if (!said.includes("Ready to accept connections")) return;
        clearTimeout(timer);
        resolve();
      });
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

  /** It dies at once and forgets everything. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
