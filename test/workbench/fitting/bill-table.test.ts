import { describe, expect, it } from "vitest";
import { billTable } from "../../../src/workbench/fitting/topic-tables.js";

const ANCHORS = 400;
const everyone = Uint32Array.from({ length: ANCHORS }, (_, anchor) => anchor);
/** On topic 0, that of even anchors, every tenth code is thirty times as high as the others; on topic 1 all are alike. */
const codes = Float32Array.from(everyone, (anchor) => (anchor % 20 === 0 ? 2999 : 99));
const usual = {
  anchors: everyone,
  codes,
  ability: codes.reduce((sum, code) => sum + Math.log2(1 + code), 0) / ANCHORS,
  level: new Float32Array(ANCHORS),
  topicOf: Uint16Array.from(everyone, (anchor) => anchor % 2),
  topicCount: 2,
};
const tableOf = (changes: Partial<typeof usual>) => billTable({ ...usual, ...changes });

describe("The expected bills of a model", () => {
  it("are means, so that rare high ones make a topic expensive", () => {
    const [rarelyHigh, alike] = tableOf({}).expected as Float32Array & [number, number];
    expect(Math.abs(rarelyHigh / (0.1 * 3000 + 0.9 * 100) - 0.955)).toBeLessThan(0.055);
    expect(Math.abs(alike / 100 - 1.055)).toBeLessThan(0.065);
  });

  it("ignore unknown values", () => {
    const unknown = codes.map((code, anchor) => (anchor % 4 === 1 ? Number.NaN : code));
    const alike = tableOf({ codes: unknown }).expected[1] as number;
    expect(Math.abs(alike / 100 - 1.095)).toBeLessThan(0.105);
  });

  it("follow ability and the prompts' levels where nothing was measured", () => {
    const level = Float32Array.from(everyone, (anchor) => anchor % 2);
    const { expected, smear } = tableOf({ codes: codes.map(() => Number.NaN), ability: 5, level });
    expect([...expected, smear]).toEqual([32, 64, 1]);
  });

  it("of a model scored on expensive prompts alone are lower elsewhere", () => {
    const anchors = everyone.filter((anchor) => anchor % 2 === 1);
    const level = Float32Array.from(everyone, (anchor) => (anchor % 2 === 1 ? 1 : -1));
    const same = new Float32Array(anchors.length).fill(199);
    const { expected } = tableOf({ anchors, codes: same, ability: Math.log2(100), level });
    expect(expected[0]).toBeCloseTo(50, 2);
    expect(expected[1]).toBeCloseTo(200, 2);
  });
});
