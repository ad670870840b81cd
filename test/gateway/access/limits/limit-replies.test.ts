import { expect, it } from "vitest";
import { durationText } from "../../../../src/gateway/access/limits/limit-replies.js";

it.each([
  [0, "0ms"],
  [0.2, "1ms"],
  [999, "999ms"],
  [1_000, "1s"],
  [59_999, "59.999s"],
  [60_000, "1m0s"],
  [86_460, "1m26.46s"],
])("A duration of %d ms is written as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
