import { Database } from "../../../../src/gateway/traces/duckdb/database.js";
import {
  type DuckDbStoreOptions,
  openDuckDbStore,
} from "../../../../src/gateway/traces/duckdb/duckdb-store.js";
import type { TraceStore } from "../../../../src/gateway/traces/store.js";

export const openDatabase = (path: string): Promise<Database> =>
  Database.open(path, { threads: 1, memoryBytes: 2 ** 28, scratchDir: `${path}.tmp` });

/** With little memory, and a time limit that no question reaches, however busy the machine is. */
export const openStore = (path: string, options: Partial<DuckDbStoreOptions> = {}): TraceStore =>
  openDuckDbStore(path, { queryTimeoutMs: 300_000, memoryBytes: 2 ** 28, ...options });
