import { describe, expect, it } from "vitest";
import { LengthsFile } from "../../../src/engine/lengths/lengths-file.js";
import { SavedLengths } from "../../../src/engine/lengths/saved-lengths.js";
import { SextantError } from "../../../src/foundation/errors.js";
import type { Timers } from "../../../src/foundation/timers.js";
import { RpcChannel, type RpcHandlers } from "../../../src/foundation/workers/rpc-channel.js";
import { CountingLimiter } from "../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../src/gateway/access/limits/period-spend.js";
import type { SupervisorApi, WorkerApi } from "../../../src/gateway/cluster/cluster-api.js";
import { connectToSupervisor } from "../../../src/gateway/cluster/supervisor-connection.js";
import { openWorkerService, type SharedParts } from "../../../src/gateway/cluster/worker-service.js";
import { LocalConversations } from "../../../src/gateway/conversations/local-conversations.js";
import type { TraceStore } from "../../../src/gateway/traces/store.js";
import { limiterContract } from "../../contracts/limiter.contract.js";
import { FakeAccessLog } from "../../fakes/access-log.js";
import { FakeClock } from "../../fakes/clock.js";
import { ManualTime, quiet } from "../../fakes/manual-time.js";
import { FakeTraceSink } from "../../fakes/trace-sink.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { transportPair } from "../../fakes/transport.js";
import { rejectionOf } from "../../support/errors.js";
import { folderForTest } from "../../support/folders.js";
import { recordAt } from "../conversations/record-for-test.js";
import { memoryForTest } from "../conversations/responses-for-test.js";
import { traceWith } from "../traces/trace-for-test.js";

interface Joined {
  readonly giveFeedback?: SharedParts["giveFeedback"];
  readonly store?: TraceStore;
  readonly counters?: SharedParts["counters"];
  readonly lengths?: SharedParts["lengths"];
  readonly timers?: Timers;
  readonly bufferTraces?: number;
}

function joined({
  store = new MemoryTraceStore(),
  counters,
  lengths,
  timers,
  bufferTraces = 1000,
  giveFeedback = async () => undefined,
}: Joined = {}) {
  const sink = new FakeTraceSink(true);
  const [supervisorEnd, worker] = transportPair();
  const conversations = new LocalConversations({ ttlMs: 60_000, now: () => 0 });
  const responses = memoryForTest();
  const service = openWorkerService({
    ...{ sink, store, giveFeedback, counters, lengths, conversations, responses },
  });
  const channel = new RpcChannel<WorkerApi, SupervisorApi>(
    supervisorEnd,
    service.handlers as RpcHandlers<SupervisorApi>,
  );
  const supervisor = connectToSupervisor(worker, {
    timers: timers ?? new ManualTime().timers,
    traces: { kept: true, content: true, bufferTraces },
  });
  return { supervisor, sink, service, channel };
}

limiterContract(
  "a limiter that another process counts for",
  async (clock) => {
    const counters = new MemoryCounters({ now: clock.now, spend: new PeriodSpend() });
    return new CountingLimiter(joined({ counters }).supervisor.counters, { now: clock.now });
  },
  { sequences: 20 },
);

describe("Limits in a cluster", () => {
  it("apply to all workers together", async () => {
    const clock = new FakeClock();
    const counters = new MemoryCounters({ now: clock.now, spend: new PeriodSpend() });
    const limiters = [1, 2, 3].map(
      () => new CountingLimiter(joined({ counters }).supervisor.counters, { now: clock.now }),
    );
    const limits = { requestsPerMinute: 20, tokensPerMinute: null, usdPerMonth: null };
    const principal = { id: "key_1", kind: "api_key", source: null, scopes: [], limits } as const;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, async (_, index) =>
        limiters[index % 3]?.reserve(principal, { tokens: 1, costUsd: null }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(20);
  });
});

describe("Conversations in a cluster", () => {
  it("are known to every worker of the supervisor", async () => {
    const { supervisor } = joined();
    supervisor.conversations.remember("a", recordAt(0));
    expect(await supervisor.conversations.find("a")).toEqual(recordAt(0));
    expect(await supervisor.conversations.find("b")).toBeUndefined();
  });
});

describe("Finished requests of a worker", () => {
  it("are sent to the supervisor in order, within a few milliseconds of their end", async () => {
    const time = new ManualTime();
    const { supervisor, sink } = joined({ timers: time.timers });
    const traces = Array.from({ length: 5 }, () => traceWith());
    for (const trace of traces) supervisor.sink.record(trace);
    await time.advance(9);
    expect(sink.traces).toEqual([]);
    await time.advance(1);
    expect(sink.traces).toEqual(traces);
    expect(time.running).toBe(0);
  });

  it("are dropped and counted when the supervisor has not acknowledged earlier ones", async () => {
    const { supervisor } = joined({ bufferTraces: 40 });
    for (let trace = 0; trace < 45; trace++) supervisor.sink.record(traceWith());
    expect(supervisor.traceStats()).toMatchObject({ recorded: 5, buffered: 40, dropped: 5 });
    await quiet();
    supervisor.sink.record(traceWith());
    expect(supervisor.traceStats()).toMatchObject({ buffered: 9, dropped: 5 });
  });
});

describe("Feedback in a cluster", () => {
  it("reaches the supervisor after the traces that wait to be sent", async () => {
    const feedback = { score: 0.5, comment: "so-so", givenAtMs: 7 };
    let recorded = -1;
    const given: unknown[] = [];
    const { supervisor, sink } = joined({
      giveFeedback: async (requestId, outcome, { scope }) => {
        recorded = sink.traces.length;
        given.push(requestId, outcome, scope);
        return feedback;
      },
    });
    supervisor.sink.record(traceWith());
    const outcome = { score: 0.5, comment: "so-so" };
    expect(await supervisor.giveFeedback("req_1", outcome, { scope: { source: "shop" } })).toEqual(feedback);
    expect(recorded).toBe(1);
    expect(given).toEqual(["req_1", outcome, { source: "shop" }]);
  });
});

describe("Length corrections in a cluster", () => {
  const observation = { model: "m", expectedTokens: 100, actualTokens: 500 };
  async function openLengths(time: ManualTime) {
    const file = new LengthsFile(folderForTest());
    return SavedLengths.open({ file, timers: time.timers, log: new FakeAccessLog() });
  }

  it("learn from all workers, and reach all of them within a second", async () => {
    const time = new ManualTime();
    const lengths = await openLengths(new ManualTime());
    const [one, other] = [0, 1].map(() => joined({ lengths, timers: time.timers }).supervisor.lengths);
    await Promise.all([one?.useProfiles("v1"), other?.useProfiles("v1")]);
    for (let answer = 0; answer < 20; answer++) {
      one?.observe(observation);
      other?.observe(observation);
    }
    expect(one?.ratioOf("m")).toBe(1);
    await time.advance(1000);
    await time.advance(1000);
    expect(lengths.corrections().get("m")?.answers).toBe(40);
    for (const worker of [one, other]) {
      expect(worker?.ratioOf("m")).toBe(lengths.ratioOf("m"));
      expect(worker?.corrections()).toEqual(lengths.corrections());
    }
  });
});

describe("The supervisor's trace store", () => {
  it("passes its own errors to workers", async () => {
    const store = new MemoryTraceStore();
    await store.close();
    const { supervisor } = joined({ store });
    expect((await supervisor.health()).traces).toEqual(store.health());
    const asked = supervisor.queries.ask("find", "req_1", { scope: "all" });
    expect((await rejectionOf(asked, SextantError)).code).toBe("store_down");
  });

  it("passes on traces and samples of them", async () => {
    const store = new MemoryTraceStore();
    const traces = Array.from({ length: 9 }, () => traceWith());
    await store.append(traces);
    const { queries } = joined({ store }).supervisor;
    const [trace] = traces;
    const { requestId = "" } = trace ?? {};
    const scope = { scope: "all" } as const;
    expect(await queries.ask("find", requestId, scope)).toEqual(await store.ask("find", requestId, scope));
    const sampled = async (from: Pick<TraceStore, "export">) => {
      const found: string[] = [];
      for await (const batch of from.export({ filter: {}, most: 4 }, scope))
        found.push(...batch.map((one) => one.requestId));
      return found;
    };
    expect(await sampled(queries)).toHaveLength(4);
    expect(await sampled(queries)).toEqual(await sampled(store));
  });
});
