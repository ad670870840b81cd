/** Begins to upgrade a file and is killed after so many statements, of which none is the last. */
import type { Connection } from "../../../../src/gateway/traces/duckdb/database.js";
import { prepareTables } from "../../../../src/gateway/traces/duckdb/prepare-tables.js";
import { openDatabase } from "./database-for-test.js";

const [, , path = "", after = ""] = process.argv;
const database = await openDatabase(path);
const connection = await database.connect();
let left = Number(after);

const counted = new Proxy(connection, {
  get(target: Connection, name: keyof Connection) {
    return (...given: unknown[]): unknown => {
      if (left-- === 0) process.kill(process.pid, "SIGKILL");
      return (target[name] as (...given: unknown[]) => unknown).apply(target, given);
    };
  },
});
await prepareTables(counted);
