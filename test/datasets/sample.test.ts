import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scoreSample } from "../../datasets/sample/score-sample.js";

const file = (name: string) =>
  readFileSync(new URL(`../../datasets/sample/${name}`, import.meta.url), "utf8");

it("The outcomes of the sample match the rule that generates them", () => {
  expect(scoreSample(file("prompts.jsonl"))).toBe(file("outcomes.jsonl"));
});
