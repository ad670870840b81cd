import { traceSeriesContract } from "../../contracts/trace-series.contract.js";
import { type StoreUnderTest, traceStoreContract } from "../../contracts/trace-store.contract.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";

const underTest: StoreUnderTest = {
  open: async () => new MemoryTraceStore(),
  dispose: (store) => store.close(),
  runs: 50,
};

traceStoreContract("the reference in memory", underTest);
traceSeriesContract("the reference in memory", underTest);
