import { describe, expect, it } from "vitest";
import { figuresOf, type SoakRun } from "../../soak/figures.js";

const MINUTES = 30;

/** Memory that grows by 60 MB an hour, and decisions that take 6 ms longer each hour. */
function run(): SoakRun {
  const minutes = Array.from({ length: MINUTES + 1 }, (_, minute) => minute);
  return {
    readings: minutes.map((minute) => ({
      ...{ minute, residentMb: 300 + minute, heapMb: 100, externalMb: 50, handles: 40, filesMb: 10 },
    })),
    outcomes: minutes.flatMap((minute) =>
      [0.1, 0.5, 0.9].map((within) => ({
        ...{ kind: "decision" as const, status: 200, minute: minute + within, ms: 10 + minute / 10 },
      })),
    ),
    peakMb: 350,
    cpuMs: 93 * 4,
  };
}

describe("The figures of a soak", () => {
  it("have slopes with intervals of memory, handles, files and latency", () => {
    const figures = new Map(figuresOf(run()).map((figure) => [figure.id, figure]));
    expect(figures.get("soak/memory/resident/per-hour")?.value).toBeCloseTo(60);
    expect(figures.get("soak/handles/per-hour")?.value).toBeCloseTo(0);
    expect(figures.get("soak/files/per-hour")?.interval).toBeDefined();
    expect(figures.get("soak/processor-time")?.value).toBeCloseTo(4);
    const latency = figures.get("soak/latency/decision/p50/per-hour");
    expect(latency?.value).toBeCloseTo(6);
    expect(latency?.interval?.low).toBeLessThanOrEqual(6.001);
    expect(figures.get("soak/latency/chat/p50/per-hour")).toMatchObject({ value: null });
  });
});
