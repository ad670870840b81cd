import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openClickHouseStore } from "../../src/gateway/traces/clickhouse/clickhouse-store.js";
import { addressOf, ClickHouseClient } from "../../src/gateway/traces/clickhouse/http-client.js";
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
import { ClickHouseServer, PATIENT } from "./clickhouse-server.js";

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
    const anyNumber = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    const isMeant = (value: number) => Number.isSafeInteger(value) || !Number.isInteger(value);
    const anyNumbers = fc.array(anyNumber.filter(isMeant), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(anyNumbers, async (numbers) => {
        const bits = await askedBack(numbers, (value) => sql`hex(reinterpretAsString(toFloat64(${value})))`);
        const restored = bits.map((hex) => Buffer.from(String(hex).padEnd(16, "0"), "hex").readDoubleLE());
        expect(restored).toEqual(numbers);
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
  const anyNumber = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Object.is(value, -0));
  const wellFormed = anyText.map(unicode);

  it("is restored to the bit, with any texts and numbers, and found by them", async () => {
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
        total_cost_usd: fc.option(anyNumber),
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
});
