import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { openTraceStore } from "../../src/gateway/traces/open-traces.js";
import type { TraceStore } from "../../src/gateway/traces/store.js";

export type StoreName = "duckdb" | "clickhouse";

/** A trace store that is filled once and then used by this process or by a gateway, one at a time. */
export interface BenchStore {
  readonly name: StoreName;
  /** Folder of everything that the gateway writes. */
  readonly dataDir: string;
  /** Environment variables that make a gateway use it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Opens it with a gateway's default settings. */
  open(): TraceStore;
  /** Size of the traces on disk; of a file only after it is closed. */
  bytes(): Promise<number>;
  remove(): Promise<void>;
}

export interface BenchStoreOptions {
  readonly dataDir: string;
  /** URL of a ClickHouse server, whose user may create databases; a file when left out. */
  readonly clickhouseUrl?: string;
}

export async function makeBenchStore({ dataDir, clickhouseUrl }: BenchStoreOptions): Promise<BenchStore> {
  return clickhouseUrl === undefined
    ? storeOf("duckdb", { dataDir, store: {}, bytes: () => folderBytes(dataDir), remove: async () => {} })
    : clickhouseStore(dataDir, clickhouseUrl);
}

async function clickhouseStore(dataDir: string, serverUrl: string): Promise<BenchStore> {
  const database = `sextant_bench_${process.pid}_${Date.now()}`;
  const ask = (statement: string) => askServer(serverUrl, statement);
  await ask(`CREATE DATABASE ${database}`);
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  const sum = `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '${database}'`;
  return storeOf("clickhouse", {
    dataDir,
    store: { SEXTANT_TRACE_STORE: "clickhouse", SEXTANT_CLICKHOUSE_URL: url.href },
    bytes: async () => Number(await ask(sum)),
    remove: async () => void (await ask(`DROP DATABASE ${database}`)),
  });
}

interface StoreOptions extends Pick<BenchStore, "dataDir" | "bytes" | "remove"> {
  readonly store: Readonly<Record<string, string>>;
}

function storeOf(name: StoreName, { dataDir, store, bytes, remove }: StoreOptions): BenchStore {
  const environment = { ...store, SEXTANT_DATA_DIR: dataDir };
  return {
    name,
    dataDir,
    environment,
    open: () => openTraceStore(loadSettings(environment, { workingDirectory: dataDir })),
    bytes,
    async remove() {
      await remove();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function askServer(url: string, statement: string): Promise<string> {
  const { origin, username, password } = new URL(url);
  const credentials = `${decodeURIComponent(username || "default")}:${decodeURIComponent(password)}`;
  const answer = await fetch(origin, {
    method: "POST",
    body: statement,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
  });
  if (!answer.ok) throw new Error(`ClickHouse answers ${answer.status} to ${statement}`);
  return (await answer.text()).trim();
}

/** Bytes of all files in a folder and below. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map((file) => sizeOf(join(file.parentPath, file.name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** 0 for a file that is gone, such as a lock: a server may use the folder. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
