import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { systemTimers } from "../../src/foundation/timers.js";
import { freePorts, type Program, RealServer } from "./real-server.js";

export const PASSWORD = "a pass/word:with%signs";

/** For stores and clients of a machine that may be slow. */
export const PATIENT = {
  queryTimeoutMs: 120_000,
  insertTimeoutMs: 120_000,
  memoryBytes: 2 ** 30,
  maxAnswerBytes: 2 ** 26,
  timers: systemTimers,
};

/**
 * Numbers that differ by no more than the last bit are equal in this file: ClickHouse reads decimals fast, which one time in a
 * thousand gives the number beside the one that is meant.
 */
export const allowLastBit = () =>
  expect.addEqualityTesters([
    (left, right) =>
      typeof left === "number" && typeof right === "number" && Number.isFinite(left) && left !== 0
        ? Math.abs(left - right) <= Number.EPSILON * Math.abs(left)
        : undefined,
  ]);

/** A real clickhouse-server of its own: on free ports of loopback. */
export class ClickHouseServer extends RealServer {
  protected readonly program: Program;
  readonly #port: number;

  private constructor(ports: Ports) {
    super("clickhouse");
    this.#port = ports.http;
    for (const folder of ["data", "tmp", "files"]) mkdirSync(join(this.folder, folder));
    writeFileSync(join(this.folder, "config.xml"), configOf(this.folder, ports));
    writeFileSync(join(this.folder, "users.xml"), USERS);
    this.program = {
      name: "clickhouse-server",
      variable: "SEXTANT_TEST_CLICKHOUSE",
      argv: ["--config-file", join(this.folder, "config.xml")],
      readyLine: "Ready for connections",
    };
  }

  static async start(): Promise<ClickHouseServer> {
    const [http = 0, tcp = 0] = await freePorts(2);
    const server = new ClickHouseServer({ http, tcp });
    await server.start();
    return server;
  }

  /** Where it keeps the tables of a database. */
  folderOf(database: string): string {
    return join(this.folder, "data", "data", database);
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
}

interface Ports {
  readonly http: number;
  readonly tcp: number;
}

/**
 * Files that are of no use any more go after a second instead of eight minutes: whether they do is tested, and a busy test
 * would leave a hundred thousand of them.
 */
const CLEARING_UP =
  "<old_parts_lifetime>1</old_parts_lifetime><cleanup_delay_period>1</cleanup_delay_period>" +
  "<cleanup_delay_period_random_add>0</cleanup_delay_period_random_add>";

/** It closes no idle connection, which a test that a busy machine holds up would use again at that moment. */
const configOf = (folder: string, { http, tcp }: Ports) => `<yandex>
  <logger><level>information</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <keep_alive_timeout>3600</keep_alive_timeout>
  <http_port>${http}</http_port>
  <tcp_port>${tcp}</tcp_port>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <user_files_path>${folder}/files/</user_files_path>
  <format_schema_path>${folder}/files/</format_schema_path>
  <users_config>users.xml</users_config>
  <mark_cache_size>268435456</mark_cache_size>
  <timezone>America/St_Johns</timezone>
  <merge_tree>${CLEARING_UP}</merge_tree>
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
