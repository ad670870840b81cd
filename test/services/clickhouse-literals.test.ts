import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openClickHouseStore } from "../../src/gateway/traces/clickhouse/clickhouse-store.js";
import { addressOf, ClickHouseClient } from "../../src/gateway/traces/clickhouse/client.js";
import {
  identifier,
  joined,
  literal,
  type Sql,
  sql,
  type Value,
} from "../../src/gateway/traces/clickhouse/sql.js";
import type { TraceStore } from "../../src/gateway/traces/store.js";
import { HOSTILE, said, traceWith, USAGE } from "../gateway/traces/trace-for-test.js";
import { allowLastBit, ClickHouseServer, PATIENT } from "./clickhouse-server.js";

allowLastBit();

let server: ClickHouseServer;
let client: ClickHouseClient;
let store: TraceStore;
beforeAll(async () => {
  server = await ClickHouseServer.start();
  client = new ClickHouseClient(addressOf(server.url("default")), PATIENT);
  store = openClickHouseStore(server.url("literals"), PATIENT);
});
afterAll(async () => {
  await store.close();
  await server.stop();
});

const LIMIT = { timeoutMs: 60_000 };
/** Each has up to twenty values. */
const RUNS = { numRuns: 30 };

/** What the server takes each for. */
async function askedBack(values: readonly Value[], seen = (value: Value): Sql => sql`${value}`) {
  const columns = values.map((value, at) => sql`${seen(value)} AS ${identifier(`v${at}`)}`);
  const { rows } = await client.query(sql`SELECT ${joined(columns, ", ")}`, LIMIT);
  return values.map((_, at) => rows[0]?.[`v${at}`]);
}

/** Not so near to 0 that a figure of requests could be it. */
const isUsual = (value: number): boolean => Math.abs(value) > 1e-15;

const unicode = (text: string): string => Buffer.from(text).toString();

const FRAGMENTS = [
  ...["'", "\\", "\0", "\n", "\\'", "--", "/*", "*/", ";", "`", "${", "{p:String}", "?", "%", "\\x41"],
  ...["' OR 1=1 --", "'; DROP TABLE sextant_traces; --", "FORMAT JSON", "😀", "\ud83d", "\ude00", "é"],
];
/** Any UTF-16 units, half pairs among them, mixed with what means something to a parser. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...FRAGMENTS),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

describe("A ClickHouse literal has the same value on the server", () => {
  it("for a hostile text", async () => {
    expect(await askedBack(HOSTILE)).toEqual(HOSTILE);
  });

  it("for any text, with half a surrogate pair replaced by U+FFFD", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 20 }), async (texts) => {
        expect(await askedBack(texts)).toEqual(texts.map(unicode));
        const bytes = await askedBack(texts, (text) => sql`hex(${text})`);
        expect(bytes).toEqual(texts.map((text) => Buffer.from(text).toString("hex").toUpperCase()));
      }),
      RUNS,
    );
  });

  it("for a text of a megabyte", async () => {
    const text = "'\\\0€".repeat(150_000);
    expect(await askedBack([text])).toEqual([text]);
  });

  it("for a number, integer or not, to the bit", async () => {
    const anyNumber = fc.oneof(fc.maxSafeInteger(), fc.double({ min: -1e9, max: 1e9, noNaN: true }));
    const isMeant = (value: number) => Number.isSafeInteger(value) || isUsual(value);
    const anyNumbers = fc.array(anyNumber.filter(isMeant), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(anyNumbers, async (numbers) => {
        const bits = await askedBack(numbers, (value) => sql`hex(reinterpretAsString(toFloat64(${value})))`);
        const restored = bits.map((hex) => Buffer.from(String(hex).padEnd(16, "0"), "hex").readDoubleLE());
        expect(restored.map(String)).toEqual(numbers.map(String));
      }),
      RUNS,
    );
  });

  it("for a 64-bit integer", async () => {
    const anyBigInt = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
      fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 0n),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyBigInt, { minLength: 1, maxLength: 20 }), async (integers) => {
        expect(await askedBack(integers, (value) => sql`toString(${value})`)).toEqual(integers.map(String));
      }),
      RUNS,
    );
  });

  it("for null, a boolean or a list", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(anyText)), fc.array(fc.integer()), async (texts, integers) => {
        expect(await askedBack([texts, integers, [texts, []], null, true, false])).toEqual([
          texts.map((text) => (text === null ? null : unicode(text))),
          integers,
          [texts.map((text) => (text === null ? null : unicode(text))), []],
          null,
          1,
          0,
        ]);
      }),
      RUNS,
    );
  });

  it("for a name", async () => {
    for (const name of ["a`b", "a\\b", "a b", "'", "$1", "é😀"]) {
      const { rows } = await client.query(sql`SELECT 1 AS ${identifier(name)}`, LIMIT);
      expect(rows).toEqual([{ [name]: 1 }]);
    }
  });

  it.each([[2 ** 53], [Number.NaN], [Number.POSITIVE_INFINITY], [2n ** 64n], [-(2n ** 63n) - 1n]])(
    "or is refused: %s",
    (value) => {
      expect(() => literal(value)).toThrow(RangeError);
    },
  );
});

describe("A trace stored in ClickHouse", () => {
  const anyNumber = fc.double({ min: 0, max: 1e9, noNaN: true }).filter(isUsual);
  /** A double has whole picodollars exactly up to 2,000 dollars. */
  const anyCost = fc.integer({ min: 0, max: 2e15 }).map((picodollars) => picodollars / 1e12);
  const wellFormed = anyText.map(unicode);

  it("is restored, with any texts and numbers, and found by them", async () => {
    const anyParts = fc.record({
      model: wellFormed,
      provider: fc.option(wellFormed),
      source: wellFormed,
      principal: wellFormed,
      latencyMs: anyNumber,
      ttftMs: fc.option(anyNumber),
      streamed: fc.boolean(),
      finishReason: fc.option(wellFormed),
      metadata: fc.dictionary(wellFormed, fc.oneof(wellFormed, anyNumber, fc.boolean()), {
        noNullPrototype: true,
      }),
      error: fc.option(fc.record({ code: wellFormed, message: wellFormed })),
      content: fc.record({ input: wellFormed.map(said), output: wellFormed }),
      usage: fc.record({
        prompt_tokens: fc.nat(),
        completion_tokens: fc.maxSafeInteger(),
        total_cost_usd: fc.option(anyCost),
      }),
    });
    await fc.assert(
      fc.asyncProperty(anyParts, async (parts) => {
        const trace = traceWith({ ...parts, usage: { ...USAGE, ...parts.usage } });
        await store.append([trace]);
        expect(await store.ask("find", trace.requestId, { scope: { source: trace.source } })).toEqual(trace);
        const filter = {
          model: parts.model,
          source: parts.source,
          text: parts.content.output,
          metadata: Object.entries(parts.metadata).map(([key, value]) => ({ key, value: String(value) })),
        };
        const query = { filter, page: { limit: 1000, offset: 0 } };
        const { traces } = await store.ask("list", query, { scope: "all" });
        const found = traces.find(({ requestId }) => requestId === trace.requestId);
        const { completion_tokens: tokensOut, total_cost_usd: costUsd } = parts.usage;
        expect(found).toMatchObject({ latencyMs: parts.latencyMs, tokensOut, costUsd });
      }),
      RUNS,
    );
  });

  it("has its cost to the bit, and sums of costs to the nano-dollar", async () => {
    const source = "costs";
    const picodollars = Array.from(
      { length: 3000 },
      (_, at) => 1 + ((at * 982_451_653_001) % 1_999_999_999_999_989),
    );
    const costs = picodollars.map((cost) => cost / 1e12);
    await store.append(
      costs.map((total_cost_usd) => traceWith({ source, usage: { ...USAGE, total_cost_usd } })),
    );
    const query = { filter: { source }, page: { limit: 3000, offset: 0 } };
    const { traces } = await store.ask("list", query, { scope: "all" });
    const sorted = (values: readonly unknown[]) => values.map(String).sort();
    expect(sorted(traces.map(({ costUsd }) => costUsd))).toEqual(sorted(costs));
    const [all] = await store.ask("stats", { filter: { source }, by: [] }, { scope: "all" });
    const sum = picodollars.reduce((before, cost) => before + BigInt(cost), 0n);
    expect(all?.costUsd.toFixed(9)).toBe((Number(sum / 1000n) / 1e9).toFixed(9));
  });

  it("has the score of its feedback to the bit", async () => {
    const scores = [0, 1, 0.1, 0.3, 0.7, 1 / 3, 0.123_456_789_012_345_68];
    for (const score of scores) {
      const { requestId } = traceWith();
      await store.append([traceWith({ requestId })]);
      const feedback = { score, comment: "It's \\ good.", givenAtMs: 1 };
      expect(await store.keepFeedback(requestId, feedback, { scope: "all" })).toBe(true);
      const found = await store.ask("find", requestId, { scope: "all" });
      expect([String(found?.feedback?.score), found?.feedback?.comment]).toEqual([
        String(score),
        feedback.comment,
      ]);
    }
  });
});
