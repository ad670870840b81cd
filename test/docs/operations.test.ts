/** The figures of docs/operations.md are those of docs/benchmarks.md. */
import { expect, it } from "vitest";
import { readPage } from "./examples.js";

const [, section = ""] = readPage("docs/operations.md").split("## How large\n");
const rows = (section.split("\n## ")[0] ?? "")
  .split("\n")
  .filter((line) => /^\| (?!\|)/.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| /, "")));

it("docs/operations.md plans with figures that docs/benchmarks.md has", () => {
  const benchmarks = readPage("docs/benchmarks.md");
  const figures = rows.flatMap(
    ([, measured = ""]) => measured.match(/\d[\d,.]*\d(?: (?:µs|MB|bytes|s)\b)?/g) ?? [],
  );
  expect(figures.length).toBeGreaterThan(6);
  expect(figures.filter((figure) => !benchmarks.includes(figure))).toEqual([]);
});
