import { expect, it } from "vitest";
import { shareLabels } from "../../../src/workbench/labels/choose-prompts.js";

const topic = (prompts: number, graded = 0) => ({ prompts, graded });

it.each([
  ["gives each its share of the prompts", [topic(600), topic(300), topic(100)], [6, 3, 1]],
  ["counts the labels that there are", [topic(490, 10), topic(500)], [0, 10]],
  ["takes no more of one than it has", [topic(3), topic(0), topic(5)], [3, 0, 5]],
])("shareLabels, of ten labels over topics, %s", (_, topics, shares) => {
  expect([...shareLabels(10, topics)]).toEqual(shares);
});
