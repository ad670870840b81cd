import { afterAll, beforeAll } from "vitest";
import { openClickHouseStore } from "../../src/gateway/traces/clickhouse/clickhouse-store.js";
import { overviewFiguresContract } from "../contracts/overview-figures.contract.js";
import { traceSeriesContract } from "../contracts/trace-series.contract.js";
import { type StoreUnderTest, traceStoreContract } from "../contracts/trace-store.contract.js";
import { allowLastBit, ClickHouseServer, PATIENT } from "./clickhouse-server.js";

allowLastBit();

let server: ClickHouseServer;
beforeAll(async () => {
  server = await ClickHouseServer.start();
});
afterAll(() => server.stop());

let databases = 0;

const underTest: StoreUnderTest = {
  open: async () => {
    databases += 1;
    return openClickHouseStore(server.url(`contract_${databases}`), PATIENT);
  },
  dispose: async (store) => {
    await store.close();
    await server.ask(`DROP DATABASE contract_${databases}`);
  },
};

traceStoreContract("the ClickHouse store", underTest);
traceSeriesContract("the ClickHouse store", underTest);
// How time is cut into steps is compared for all zones with DuckDB.
overviewFiguresContract("the ClickHouse store", underTest, {
  zones: ["Europe/Berlin", "Australia/Lord_Howe"],
});
