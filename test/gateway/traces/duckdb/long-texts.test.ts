import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckDbStore } from "../../../../src/gateway/traces/duckdb/duckdb-store.js";
import type { TraceStore } from "../../../../src/gateway/traces/store.js";
import { folderForTests } from "../../../support/folders.js";
import { NOON, traceWith } from "../trace-for-test.js";

const ALL = { scope: "all" } as const;
const PAGE = { limit: 10, offset: 0 };

/** No part of it of eight characters or more comes twice; characters of one to four bytes. */
const TEXT = Array.from(
  { length: 6000 },
  (_, at) => `${at.toString(36)}${["-", "é", "€", "𝄞"][at % 4]}`,
).join("");
const CHARACTERS = [...TEXT];

const folder = folderForTests();

const long = traceWith({ content: { input: TEXT, output: "short" } });
const other = traceWith({ content: { input: "short", output: "x".repeat(40_000) }, createdAtMs: NOON + 1 });
const thought = traceWith({
  content: { input: "short", output: "short", reasoning: TEXT },
  createdAtMs: NOON + 2,
});

describe("A long text in DuckDB", () => {
  let store: TraceStore;
  beforeAll(async () => {
    store = openDuckDbStore(join(folder, "a.duckdb"), { queryTimeoutMs: 30_000, memoryBytes: 2 ** 28 });
    await store.append([long, other, thought]);
  });
  afterAll(() => store.close());

  const found = async (text: string) =>
    (await store.ask("list", { filter: { text }, page: PAGE }, ALL)).traces.map(({ requestId }) => requestId);

  it("is restored whole", async () => {
    expect(await store.ask("find", long.requestId, ALL)).toEqual(long);
    expect(await store.ask("find", other.requestId, ALL)).toEqual(other);
    expect(await store.ask("find", thought.requestId, ALL)).toEqual(thought);
  });

  it.each([8, 200, 400, 1023, 1024, 1025, 5000])(
    "is found by any part of it of %i characters",
    async (length) => {
      const last = CHARACTERS.length - length;
      for (let step = 0; step <= 20; step++) {
        const from = Math.floor((last * step) / 20);
        const part = CHARACTERS.slice(from, from + length).join("");
        expect(await found(part)).toEqual([long.requestId]);
        expect(await found(`${part}!`)).toEqual([]);
      }
    },
  );
});

describe("Long texts in DuckDB", () => {
  it("may exceed the memory limit, and can be checkpointed, found and removed", async () => {
    const store = openDuckDbStore(join(folder, "many.duckdb"), {
      queryTimeoutMs: 60_000,
      memoryBytes: 2 ** 26,
    });
    const text = "a prompt with much context. ".repeat(7000);
    for (let batch = 0; batch < 12; batch++) {
      await store.append(
        Array.from({ length: 20 }, (_, at) =>
          traceWith({
            createdAtMs: NOON + (at % 2),
            content: { input: `${text}${batch}-${at}.`, output: text },
          }),
        ),
      );
    }
    expect((await store.ask("list", { filter: { text: "1-11." }, page: PAGE }, ALL)).total).toBe(2);
    expect(await store.removeBefore(NOON + 1)).toBe(120);
    const [kept] = (await store.ask("list", { filter: { text: " 11-11." }, page: PAGE }, ALL)).traces;
    expect(await store.ask("find", kept?.requestId ?? "", ALL)).toMatchObject({
      content: { input: `${text}11-11.` },
    });
    await store.close();
  });
});
