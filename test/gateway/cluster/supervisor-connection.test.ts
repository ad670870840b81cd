import { expect, it } from "vitest";
import { RpcChannel, type RpcHandlers } from "../../../src/foundation/workers/rpc-channel.js";
import { CountingLimiter } from "../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../src/gateway/access/limits/period-spend.js";
import type { SupervisorApi, WorkerApi } from "../../../src/gateway/cluster/cluster-api.js";
import { connectToSupervisor } from "../../../src/gateway/cluster/supervisor-connection.js";
import { openWorkerService, type SharedParts } from "../../../src/gateway/cluster/worker-service.js";
import { LocalConversations } from "../../../src/gateway/conversations/local-conversations.js";
import { principal } from "../../contracts/limiter.contract.js";
import { ManualTime, quiet } from "../../fakes/manual-time.js";
import { FakeTraceSink } from "../../fakes/trace-sink.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { transportPair } from "../../fakes/transport.js";
import { memoryForTest } from "../conversations/responses-for-test.js";
import { traceWith } from "../traces/trace-for-test.js";

const now = () => 0;

/** What a worker has of its supervisor. */
function joined(counters?: SharedParts["counters"]) {
  const [supervisorEnd, worker] = transportPair();
  const service = openWorkerService({
    counters,
    lengths: undefined,
    sink: new FakeTraceSink(true),
    store: new MemoryTraceStore(),
    responses: memoryForTest(),
    conversations: new LocalConversations({ ttlMs: 60_000, now }),
    giveFeedback: async () => undefined,
  });
  new RpcChannel<WorkerApi, SupervisorApi>(supervisorEnd, service.handlers as RpcHandlers<SupervisorApi>);
  const traces = { kept: true, content: true, bufferTraces: 40 };
  return connectToSupervisor(worker, { timers: new ManualTime().timers, traces });
}

it("Limits in a cluster apply to all workers together", async () => {
  const counters = new MemoryCounters({ now, spend: new PeriodSpend() });
  const limiters = [1, 2, 3].map(() => new CountingLimiter(joined(counters).counters, { now }));
  const caller = principal("key_1", { requestsPerMinute: 20 });
  const asked = Array.from({ length: 60 }, async (_, at) =>
    limiters[at % 3]?.reserve(caller, { tokens: 1, costUsd: null }),
  );
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
});

it("Traces of a worker are dropped and counted when the supervisor has not acknowledged earlier ones", async () => {
  const { sink, traceStats } = joined();
  for (let trace = 0; trace < 45; trace++) sink.record(traceWith());
  expect(traceStats()).toMatchObject({ recorded: 5, buffered: 40, dropped: 5 });
  await quiet();
  sink.record(traceWith());
  expect(traceStats()).toMatchObject({ buffered: 9, dropped: 5 });
});
