import { Database } from "../../../../src/gateway/traces/duckdb/database.js";

export const openDatabase = (path: string): Promise<Database> =>
  Database.open(path, { threads: 1, memoryBytes: 2 ** 28, scratchDir: `${path}.tmp` });
