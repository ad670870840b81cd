import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { TraceStore } from "../../../../src/gateway/traces/store.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { folderForTests } from "../../../support/folders.js";
import { NOON, said, traceWith } from "../trace-for-test.js";
import { openStore } from "./database-for-test.js";

const ALL = { scope: "all" } as const;
const PAGE = { limit: 10, offset: 0 };

/** No part of it of eight characters or more comes twice; characters of one to four bytes. */
const TEXT = Array.from(
  { length: 6000 },
  (_, at) => `${at.toString(36)}${["-", "é", "€", "𝄞"][at % 4]}`,
).join("");
const CHARACTERS = [...TEXT];

const folder = folderForTests();

const long = traceWith({ content: { input: said(TEXT), output: "short" } });
const other = traceWith({
  content: { input: said("short"), output: "x".repeat(40_000) },
  createdAtMs: NOON + 1,
});
const thought = traceWith({
  content: { input: said("short"), output: "short", reasoning: TEXT },
  createdAtMs: NOON + 2,
});

describe("A long text in DuckDB", () => {
  let store: TraceStore;
  beforeAll(async () => {
    store = openStore(join(folder, "a.duckdb"));
    await store.append([long, other, thought]);
  });
  afterAll(() => store.close());

  const exportSizes = async (traces: readonly Trace[], most = {}) => {
    const sizes: number[] = [];
    let at = 0;
    for await (const part of store.export({ filter: { model: "exported" }, ...most }, ALL)) {
      sizes.push(part.length);
      for (const trace of part) expect(trace).toEqual(traces[at++]);
    }
    return sizes;
  };
  const exportable = (...kilobytes: readonly number[]) =>
    kilobytes.map((size, at) =>
      traceWith({
        model: "exported",
        createdAtMs: NOON - 1000 + at,
        content: { input: said(`${at}`), output: "x".repeat(size * 1000) },
      }),
    );
  afterEach(() => store.removeBefore(NOON));

  it("is exported alone, whole and in order, where it has megabytes", async () => {
    const traces = exportable(2000, 2000, 0, 3000, 0);
    await store.append(traces);
    for (const most of [{}, { most: 10 }]) expect(await exportSizes(traces, most)).toEqual([1, 1, 1, 1, 1]);
  });

  it("is exported with others, sixteen at once and half a megabyte", async () => {
    const traces = exportable(...Array.from({ length: 18 }, () => 1), 400, 1, 400, 400, 1);
    await store.append(traces);
    expect(await exportSizes(traces)).toEqual([16, 4, 1, 2]);
  });

  const found = async (text: string) =>
    (await store.ask("list", { filter: { text }, page: PAGE }, ALL)).traces.map(({ requestId }) => requestId);

  it("is restored whole", async () => {
    expect(await store.ask("find", long.requestId, ALL)).toEqual(long);
    expect(await store.ask("find", other.requestId, ALL)).toEqual(other);
    expect(await store.ask("find", thought.requestId, ALL)).toEqual(thought);
  });

  it.each([8, 1023, 1024, 1025, 5000])("is found by any part of it of %i characters", async (length) => {
    const last = CHARACTERS.length - length;
    for (let step = 0; step <= 10; step++) {
      const from = Math.floor((last * step) / 10);
      const part = CHARACTERS.slice(from, from + length).join("");
      expect(await found(part)).toEqual([long.requestId]);
      expect(await found(`${part}!`)).toEqual([]);
    }
  });
});
