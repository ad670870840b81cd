import { describe, expect, it } from "vitest";
import type { RawRow } from "../../../src/workbench/outcomes/jsonl.js";
import { type RowFilter, RowSelection } from "../../../src/workbench/outcomes/row-filter.js";

const row = (values: Record<string, unknown>) => ({ row: 1, values }) as RawRow;
const takes = (values: Record<string, unknown>, filter: RowFilter) =>
  new RowSelection(filter).takesAnswer(row(values));

describe("A selection of rows", () => {
  it("takes the rows that have one of the values of each field", () => {
    const filter = { kind: ["checked", "tools"], capped: [0] };
    expect(takes({ kind: "tools", capped: 0 }, filter)).toBe(true);
    expect(takes({ kind: "tools", capped: 0n }, filter)).toBe(true);
    expect(takes({ kind: "tools", capped: "0" }, filter)).toBe(true);
    expect(takes({ kind: "judged", capped: 0 }, filter)).toBe(false);
    expect(takes({ kind: "tools", capped: 1 }, filter)).toBe(false);
  });

  it("ignores fields that a file lacks, and takes null as the empty value", () => {
    expect(takes({ id: "a" }, { kind: ["checked"] })).toBe(true);
    expect(takes({ kind: null }, { kind: ["checked"] })).toBe(false);
    expect(takes({ kind: null }, { kind: [""] })).toBe(true);
    expect(takes({ kind: "x" }, {})).toBe(true);
  });

  it("leaves out the answers to prompts that it left out", () => {
    const only = new RowSelection({ kind: ["checked"] });
    expect(only.takesPrompt(row({ id: "a", kind: "checked" }))).toBe(true);
    expect(only.takesPrompt(row({ id: "b", kind: "judged" }))).toBe(false);
    expect(only.takesAnswer(row({ id: "a" }))).toBe(true);
    expect(only.takesAnswer(row({ id: "b" }))).toBe(false);
  });

  it("names a value that no row had", () => {
    const only = new RowSelection({ kind: ["checked", "tool"], capped: [0] });
    only.takesPrompt(row({ id: "a", kind: "checked" }));
    expect(only.unmet()).toEqual({ field: "kind", value: "tool" });
    only.takesPrompt(row({ id: "b", kind: "tool" }));
    expect(only.unmet()).toEqual({ field: "capped", value: "0" });
    only.takesAnswer(row({ id: "a", capped: 0 }));
    expect(only.unmet()).toBeUndefined();
  });
});
