import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_WAIT_MS = 30_000;

export const PASSWORD = "a pass/word:with%signs";

/**
 * A real clickhouse-server of its own: on free ports of loopback, its files in a temporary folder.
 *
 * The program is `clickhouse-server` from the PATH, or the one that SEXTANT_TEST_CLICKHOUSE names.
 */
export class ClickHouseServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "sextant-clickhouse-"));
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(ports: { readonly http: number; readonly tcp: number }) {
    this.#port = ports.http;
    for (const folder of ["data", "tmp", "files"]) mkdirSync(join(this.#folder, folder));
    writeFileSync(join(this.#folder, "config.xml"), configOf(this.#folder, ports));
    writeFileSync(join(this.#folder, "users.xml"), USERS);
  }

  static async start(): Promise<ClickHouseServer> {
    const [http, tcp] = await freePorts();
    const server = new ClickHouseServer({ http, tcp });
    await server.start();
    return server;
  }

  /** @param user `default`, who may do everything, `guarded`, who has a password, or `reader`, who may change nothing */
  url(database: string, user = "default"): string {
    const credentials = user === "guarded" ? `${user}:${encodeURIComponent(PASSWORD)}` : user;
    return `http://${credentials}@127.0.0.1:${this.#port}/${database}`;
  }

  /** What the server answers to a statement, tab-separated. */
  async ask(statement: string): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/`, { method: "POST", body: statement });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text.trimEnd();
  }

  /** Starts it, again after `kill`: on the same port, with what it had on disk. Resolves when it answers. */
  async start(): Promise<void> {
    const program = process.env.SEXTANT_TEST_CLICKHOUSE ?? "clickhouse-server";
    const started = spawn(program, ["--config-file", join(this.#folder, "config.xml")], {
      cwd: this.#folder,
      // Where Debian puts it, which is not on everybody's path.
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) =>
        reject(
          new Error(
            `${program} ${why}. Install clickhouse-server, or name one with SEXTANT_TEST_CLICKHOUSE.\n${said}`,
          ),
        );
      const timer = setTimeout(() => fail("did not start in time"), START_WAIT_MS).unref();
      started.on("error", (fault) => fail(fault.message));
      started.on("exit", (code) => fail(`ended with ${code}`));
      started.stderr?.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString("utf8")).slice(-10_000);
        if (!said.includes("Ready for connections")) return;
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
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const configOf = (folder: string, { http, tcp }: { readonly http: number; readonly tcp: number }) => `<yandex>
  <logger><level>information</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${http}</http_port>
  <tcp_port>${tcp}</tcp_port>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <user_files_path>${folder}/files/</user_files_path>
  <format_schema_path>${folder}/files/</format_schema_path>
  <users_config>users.xml</users_config>
  <mark_cache_size>268435456</mark_cache_size>
  <timezone>America/St_Johns</timezone>
</yandex>
`;

const userOf = (name: string, password: string, profile: string) =>
  `<${name}><password>${password}</password><networks><ip>127.0.0.1</ip></networks>` +
  `<profile>${profile}</profile><quota>default</quota></${name}>`;

const USERS = `<yandex>
  <profiles><default></default><readonly><readonly>1</readonly></readonly></profiles>
  <users>
    ${userOf("default", "", "default")}
    ${userOf("guarded", PASSWORD, "default")}
    ${userOf("reader", "", "readonly")}
  </users>
  <quotas><default></default></quotas>
</yandex>
`;

/** Both held at once, so that they differ. */
async function freePorts(): Promise<[number, number]> {
  const [first, second] = [await probe(), await probe()];
  first.close();
  second.close();
  await Promise.all([once(first, "close"), once(second, "close")]);
  return [first.port, second.port];
}

async function probe() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}
