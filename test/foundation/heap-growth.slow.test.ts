import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const MODULE = pathToFileURL(join(import.meta.dirname, "../../src/foundation/heap-growth.ts")).href;

/** Makes garbage that lives long enough to leave the young generation, and prints how often the old one was collected. */
const CHURN = `
  const { PerformanceObserver, constants } = await import("node:perf_hooks");
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  }).observe({ entryTypes: ["gc"] });
  const live = Array.from({ length: 300_000 }, (_, index) => ({ index, text: "x" + index }));
  const recent = [];
  for (let index = 0; index < 4_000_000; index++) recent[index % 200_000] = { index, list: [index] };
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(collections + 0 * live.length);
`;

async function collections(preparation: string): Promise<number> {
  const code = `${preparation}${CHURN}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", code];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

describe("limitHeapGrowth", () => {
  it("has the old generation collected at least twice as often as V8 would by itself", async () => {
    const [byItself, limited] = await Promise.all([
      collections(""),
      collections(`(await import(${JSON.stringify(MODULE)})).limitHeapGrowth();`),
    ]);
    expect(byItself).toBeGreaterThan(0);
    expect(limited).toBeGreaterThanOrEqual(2 * byItself);
  });
});
