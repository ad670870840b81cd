import { traceStoreContract } from "../contracts/trace-store.contract.js";
import { MemoryTraceStore } from "../fakes/trace-store.js";

traceStoreContract("the reference in memory", {
  open: async () => new MemoryTraceStore(),
  dispose: (store) => store.close(),
  runs: 50,
});
