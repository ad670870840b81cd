import { join } from "node:path";
import { expect, it } from "vitest";
import { openDuckDbStore } from "../../../../src/gateway/traces/duckdb/duckdb-store.js";
import { promptText } from "../../../../src/gateway/traces/trace-messages.js";
import { folderForTest } from "../../../support/folders.js";
import { traceWith } from "../trace-for-test.js";

const MEGABYTE = 2 ** 20;

it("The DuckDB store exports long texts in small batches, whole and in order", async () => {
  const path = join(folderForTest(), "a.duckdb");
  const store = openDuckDbStore(path, { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
  const traces = [9, 9, 0, 17, 0].map((megabytes, at) =>
    traceWith({
      createdAtMs: 1_000_000 + at,
      content: { input: `${at}`, output: "x".repeat(megabytes * MEGABYTE) },
    }),
  );
  await store.append(traces);
  for (const selection of [{ filter: {} }, { filter: {}, most: 10 }]) {
    const parts: (readonly string[])[] = [];
    for await (const part of store.export(selection, { scope: "all" })) {
      parts.push(part.map(({ content }) => promptText(content?.input ?? "")));
      for (const trace of part) expect(trace).toEqual(traces[trace.createdAtMs - 1_000_000]);
    }
    expect(parts).toEqual([["0"], ["1"], ["2"], ["3"], ["4"]]);
  }
  await store.close();
});

it("The DuckDB store exports sixteen traces at once, and half a megabyte of long texts", async () => {
  const path = join(folderForTest(), "a.duckdb");
  const store = openDuckDbStore(path, { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
  const kilobytes = [...Array.from({ length: 18 }, () => 1), 400, 1, 400, 400, 1];
  await store.append(
    kilobytes.map((size, at) =>
      traceWith({ createdAtMs: 1_000_000 + at, content: { input: "x".repeat(size * 1000), output: "" } }),
    ),
  );
  const sizes: number[] = [];
  for await (const part of store.export({ filter: {} }, { scope: "all" })) sizes.push(part.length);
  expect(sizes).toEqual([16, 4, 1, 2]);
  await store.close();
});
