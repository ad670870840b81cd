import { expect, it } from "vitest";
import { RepeatedWarning } from "../../src/foundation/repeated-warning.js";

it("RepeatedWarning: a fault that repeats twice a second is logged at once, then once a minute with its count, and anew after a success", () => {
  let nowMs = 0;
  const lines: unknown[] = [];
  const warning = new RepeatedWarning("key file not followed", {
    warn: (...line) => lines.push([nowMs, ...line]),
    clock: () => nowMs,
  });
  for (; nowMs <= 120_000; nowMs += 500) warning.failed(new Error("EACCES"));
  const fault = "Error: EACCES";
  expect(lines).toEqual([
    [0, { fault }, "key file not followed"],
    [60_000, { fault, repeated: 119 }, "key file not followed"],
    [120_000, { fault, repeated: 119 }, "key file not followed"],
  ]);
  warning.succeeded();
  warning.failed("ENOENT");
  expect(lines.at(-1)).toEqual([120_500, { fault: "ENOENT" }, "key file not followed"]);
});
