import { describe, expect, it } from "vitest";
import { passes } from "../../../src/profiles/outcomes/row-filter.js";

const row = (values: Record<string, unknown>) => ({ row: 1, values }) as Parameters<typeof passes>[0];

describe("A filter of rows", () => {
  it("lets through the rows that have one of the values of each field", () => {
    const filter = { kind: ["checked", "tools"], capped: [0] };
    expect(passes(row({ kind: "tools", capped: 0 }), filter)).toBe(true);
    expect(passes(row({ kind: "tools", capped: "0" }), filter)).toBe(true);
    expect(passes(row({ kind: "judged", capped: 0 }), filter)).toBe(false);
    expect(passes(row({ kind: "tools", capped: 1 }), filter)).toBe(false);
  });

  it("ignores fields that a file lacks, and takes null as the empty value", () => {
    expect(passes(row({ id: "a" }), { kind: ["checked"] })).toBe(true);
    expect(passes(row({ kind: null }), { kind: ["checked"] })).toBe(false);
    expect(passes(row({ kind: null }), { kind: [""] })).toBe(true);
    expect(passes(row({ kind: "x" }), {})).toBe(true);
  });
});
