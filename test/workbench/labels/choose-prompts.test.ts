import { describe, expect, it } from "vitest";
import { shareLabels } from "../../../src/workbench/labels/choose-prompts.js";

const topic = (prompts: number, graded = 0) => ({ prompts, graded });

describe("shareLabels", () => {
  it("gives each topic its share of the prompts", () => {
    expect([...shareLabels(10, [topic(600), topic(300), topic(100)])]).toEqual([6, 3, 1]);
  });

  it("counts the labels that there are", () => {
    expect([...shareLabels(10, [topic(490, 10), topic(500)])]).toEqual([0, 10]);
  });

  it("takes no more of a topic than it has, and stops when all are taken", () => {
    expect([...shareLabels(10, [topic(3), topic(0), topic(5)])]).toEqual([3, 0, 5]);
  });
});
