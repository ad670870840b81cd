import { describe, expect, it } from "vitest";
import { type AnchorMemberships, billTable } from "../../../src/workbench/fitting/cluster-tables.js";

const ANCHORS = 400;
/** Even anchors are of cluster 0, odd ones of cluster 1. */
const members: AnchorMemberships = {
  start: Uint32Array.from({ length: ANCHORS + 1 }, (_, anchor) => anchor),
  cluster: Uint16Array.from({ length: ANCHORS }, (_, anchor) => anchor % 2),
  weight: new Float32Array(ANCHORS).fill(1),
};
/** One topic holds them all. */
const topics = { topicOf: new Uint16Array(ANCHORS), topicCount: 1 };
const everyone = Uint32Array.from({ length: ANCHORS }, (_, anchor) => anchor);
const level = new Float32Array(ANCHORS);
/** In cluster 0 every tenth code is thirty times as high as the others; in cluster 1 all are alike. */
const codes = Float32Array.from(everyone, (anchor) => (anchor % 20 === 0 ? 2999 : 99));
const ability = codes.reduce((sum, code) => sum + Math.log2(1 + code), 0) / ANCHORS;

describe("The expected bills of a model", () => {
  it("are means, so that rare high ones make a cluster expensive", () => {
    const { expected } = billTable({ anchors: everyone, codes, ability, level, ...topics }, members, 2);
    const mean = 0.1 * 3000 + 0.9 * 100;
    expect((expected[0] as number) / mean).toBeGreaterThan(0.9);
    expect((expected[0] as number) / mean).toBeLessThan(1.01);
    expect((expected[1] as number) / 100).toBeGreaterThan(0.99);
    expect((expected[1] as number) / 100).toBeLessThan(1.12);
  });

  it("ignore unknown values", () => {
    const unknown = codes.map((code, anchor) => (anchor % 4 === 1 ? Number.NaN : code));
    const { expected } = billTable(
      { anchors: everyone, codes: unknown, ability, level, ...topics },
      members,
      2,
    );
    expect((expected[1] as number) / 100).toBeGreaterThan(0.99);
    expect((expected[1] as number) / 100).toBeLessThan(1.2);
  });

  it("follow ability and the prompts' levels where nothing was measured", () => {
    const nothing = codes.map(() => Number.NaN);
    const levels = Float32Array.from(everyone, (anchor) => anchor % 2);
    const table = billTable(
      { anchors: everyone, codes: nothing, ability: 5, level: levels, ...topics },
      members,
      2,
    );
    expect([...table.expected]).toEqual([32, 64, 48]);
    expect(table.smear).toBe(1);
  });

  it("of a model scored on expensive prompts alone are lower elsewhere", () => {
    const odd = everyone.filter((anchor) => anchor % 2 === 1);
    const levels = Float32Array.from(everyone, (anchor) => (anchor % 2 === 1 ? 1 : -1));
    const same = new Float32Array(odd.length).fill(199);
    const { expected } = billTable(
      { anchors: odd, codes: same, ability: Math.log2(100), level: levels, ...topics },
      members,
      2,
    );
    expect(expected[1]).toBeCloseTo(200, 2);
    expect(expected[0]).toBeCloseTo(50, 2);
  });
});
