import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDuckDbStore } from "../../../src/traces/duckdb/duckdb-store.js";
import type { Trace } from "../../../src/traces/trace.js";
import { anyTraces } from "../arbitrary-traces.js";
import { failedTrace, HOSTILE, NOON, routedTrace, traceWith } from "../trace-for-test.js";
import { writeFirstVersion } from "./first-version.js";

const ALL = { scope: "all" } as const;
const PAGE = { limit: 1000, offset: 0 };

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sextant-second-version-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** Opens a file of the first version with these traces, and hands the store to the task. */
async function withMigrated(
  traces: readonly Trace[],
  task: (store: ReturnType<typeof openDuckDbStore>) => Promise<void>,
): Promise<void> {
  const path = join(folder, `${files++}.duckdb`);
  await writeFirstVersion(path, traces);
  const store = openDuckDbStore(path, { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
  await task(store).finally(() => store.close());
}

async function all(store: ReturnType<typeof openDuckDbStore>): Promise<Trace[]> {
  const found: Trace[] = [];
  for await (const batch of store.export({}, ALL)) found.push(...batch);
  return found;
}

describe("a file of the first version", () => {
  it("has all its traces as they were, whatever is in them", async () => {
    const texts = HOSTILE.map((text) => Buffer.from(text).toString());
    const traces = [
      traceWith(),
      failedTrace(),
      routedTrace(),
      ...texts.map((text) =>
        traceWith({
          principal: text,
          source: text,
          finishReason: text,
          metadata: { [text]: text, n: 1 },
          error: { code: text, message: text },
          content: { input: text, output: text },
        }),
      ),
    ].map((trace, at) => ({ ...trace, createdAtMs: NOON + at }));
    await withMigrated(traces, async (store) => expect(await all(store)).toEqual(traces));
  });

  it("finds by metadata what was there and what is added, with more keys than have a column", async () => {
    const keys = Array.from({ length: 12 }, (_, at) => `key ${at}`);
    const traces = keys.map((_, at) =>
      traceWith({ metadata: Object.fromEntries(keys.slice(at).map((key) => [key, at])) }),
    );
    await withMigrated(traces, async (store) => {
      await store.append(traces.map((trace) => ({ ...trace, requestId: `${trace.requestId}+` })));
      for (const [at, key] of keys.entries()) {
        const found = await store.list({ metadata: [{ key, value: String(at) }] }, PAGE, ALL);
        expect(found.total).toBe(2);
      }
    });
  });

  it("answers what a file that began as the second does", async () => {
    await fc.assert(
      fc.asyncProperty(anyTraces, async (traces) => {
        const fresh = openDuckDbStore(join(folder, `${files++}.duckdb`), {
          queryTimeoutMs: 30_000,
          memoryBytes: 2 ** 28,
        });
        await fresh.append(traces);
        await withMigrated(traces, async (store) => {
          expect(await all(store)).toEqual(await all(fresh));
          expect(await store.list({}, PAGE, ALL)).toEqual(await fresh.list({}, PAGE, ALL));
          const by = ["model", "provider", "source", "day"] as const;
          expect(await store.stats({}, by, ALL)).toEqual(await fresh.stats({}, by, ALL));
        }).finally(() => fresh.close());
      }),
      { numRuns: 2 },
    );
  });
});
