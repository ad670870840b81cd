import { afterAll, beforeAll } from "vitest";
import { openClickHouseStore } from "../../src/traces/clickhouse/clickhouse-store.js";
import { traceStoreContract } from "../contracts/trace-store.contract.js";
import { ClickHouseServer } from "./clickhouse-server.js";

let server: ClickHouseServer;
beforeAll(async () => {
  server = await ClickHouseServer.start();
});
afterAll(() => server.stop());

let databases = 0;

traceStoreContract("the ClickHouse store", {
  open: async () => {
    databases += 1;
    return openClickHouseStore(server.url(`contract_${databases}`), { queryTimeoutMs: 30_000 });
  },
  dispose: async (store) => {
    await store.close();
    await server.ask(`DROP DATABASE contract_${databases}`);
  },
  runs: 25,
});
