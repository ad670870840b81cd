/** Makes the traffic of a minute into that of a day: charts of one minute show one bar. */
import { randomBytes } from "node:crypto";
import { encodeTime } from "ulid";
import { openDuckDbStore } from "../../../../src/gateway/traces/duckdb/duckdb-store.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";

const HOUR_MS = 3_600_000;
const COPIES = 8;

/** Adds copies of the stored traces, spread over the day before, fewer at night, with latencies as real providers have them. */
export async function spreadOverDay(traceFile: string): Promise<void> {
  const store = openDuckDbStore(traceFile, { queryTimeoutMs: 60_000, memoryBytes: 256 * 1024 * 1024 });
  try {
    const traces: Trace[] = [];
    for await (const batch of store.export({ filter: {} }, { scope: "all" })) traces.push(...batch);
    const random = linearCongruential(7);
    const copies = traces.flatMap((trace) =>
      Array.from({ length: COPIES }, () => copyOf(trace, { hoursBack: busyHour(random), random })),
    );
    await store.append(copies.sort((left, right) => left.createdAtMs - right.createdAtMs));
  } finally {
    await store.close();
  }
}

interface CopySources {
  readonly hoursBack: number;
  /** The next number from 0 to 1. */
  readonly random: () => number;
}

function copyOf(trace: Trace, { hoursBack, random }: CopySources): Trace {
  const createdAtMs = Math.round(trace.createdAtMs - hoursBack * HOUR_MS);
  const latencyMs = trace.latencyMs + 300 + 2_500 * random() ** 3;
  return {
    ...trace,
    requestId: `req_${encodeTime(createdAtMs, 10)}${randomBytes(8).toString("hex").toUpperCase()}`,
    createdAtMs,
    latencyMs,
    ttftMs: trace.ttftMs === null ? null : latencyMs * (0.2 + 0.3 * random()),
  };
}

/** Hours before now, from 0.02 to 24: most likely in the last ten. */
function busyHour(random: () => number): number {
  const hours = 0.02 + 23.9 * random();
  return hours > 10 && random() < 0.6 ? 10 * random() + 0.02 : hours;
}

/** The same numbers in every run, so that pictures can be compared. */
function linearCongruential(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
