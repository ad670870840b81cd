import { describe, expect, it } from "vitest";
import { columnsOf } from "../../../src/traces/duckdb/block-columns.js";
import { BlockWriter, type TraceBlock } from "../../../src/traces/duckdb/trace-block.js";
import type { Trace } from "../../../src/traces/trace.js";
import { failedTrace, traceWith, USAGE } from "../trace-for-test.js";

function blockOf(...traces: Trace[]): TraceBlock {
  const writer = new BlockWriter(traces.length);
  for (const trace of traces) writer.add(trace);
  const { block, transfer } = writer.finish();
  // As it arrives in the other thread.
  return structuredClone(block, { transfer: [...transfer] });
}

describe("a block of traces", () => {
  it("names each model, provider and source once", () => {
    const block = blockOf(traceWith({ source: "shop" }), traceWith(), failedTrace({ source: "shop" }));
    expect(block.names).toEqual(["gpt-4o-mini", "openai", "shop", "default"]);
    expect([...block.named]).toEqual([1, 1, 0, 2, 2, 0, 3, 4, 3]);
  });

  it("grows with its texts, whatever they need as UTF-8, and has long ones in pieces", () => {
    const inputs = ["", "x", "é€𝄞", "€".repeat(100_000), "end"];
    const block = blockOf(...inputs.map((input) => traceWith({ content: { input, output: input } })));
    const { traces: columns, pieces } = columnsOf(block, { names: [], slots: [] });
    const texts = (at: number) =>
      columns
        .at(at)
        ?.values.map((value) => (value === null ? null : Buffer.from(value as Uint8Array).toString()));
    const isLong = (text: string) => text.length > 16_384;
    expect(texts(-3)).toEqual(inputs.map((text) => (isLong(text) ? null : text)));
    expect(columns.at(-1)?.values).toEqual(inputs.map((text) => (isLong(text) ? 1 : 0)));
    expect(pieces).toHaveLength(1);
  });

  it("keeps the value of a key with a slot in the slot, and of all others in the list", () => {
    const block = blockOf(traceWith({ metadata: { a: 1, b: "x", c: true } }), traceWith({ metadata: {} }));
    expect(block.keys).toEqual(["a", "b", "c"]);
    const { traces: columns } = columnsOf(block, { names: [], slots: [undefined, 7, undefined] });
    const slots = columns.slice(13, 21).map(({ values }) => values);
    const list = columns[21]?.values as readonly (readonly bigint[])[];
    expect(slots.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => [null, null]));
    expect(slots[7]).toEqual([expect.any(BigInt), null]);
    expect(list.map((each) => each.length)).toEqual([2, 0]);
  });

  it("takes a count that is no count for unknown", () => {
    const counts = [1.4, 1e300, Number.NaN, -3, 2 ** 53];
    const block = blockOf(
      ...counts.map((prompt_tokens) => traceWith({ usage: { ...USAGE, prompt_tokens } })),
    );
    expect(columnsOf(block, { names: [], slots: [] }).traces[8]?.values).toEqual([1n, null, null, -3n, null]);
  });
});
