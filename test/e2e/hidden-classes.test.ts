import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst, Visitor } from "vite";
import { expect, it } from "vitest";

/** Literals that begin with what they copy and go on: in Node 20 each such object gets a hidden class of its own. */
function beginningWithACopy(code: string): string[] {
  const found: string[] = [];
  new Visitor({
    ObjectExpression({ start, end, properties: [first, ...others] }) {
      if (first?.type !== "SpreadElement" || others.length === 0) return;
      const { argument } = first;
      if (argument.type === "ObjectExpression" && argument.properties.length === 0) return;
      found.push(code.slice(start, end));
    },
  }).visit(parseAst(code));
  return found;
}

it("has the objects of a literal share their hidden class in the built package", () => {
  expect(beginningWithACopy("f({ ...one, two: 2 }, { ...{}, ...one, two: 2 }, { ...one })")).toEqual([
    "{ ...one, two: 2 }",
  ]);
  const names = readdirSync("dist", { encoding: "utf8", recursive: true });
  const files = names.filter((name) => name.endsWith(".js") && !name.startsWith("console"));
  expect(files).toContain(join("cli", "main.js"));
  expect(files.flatMap((file) => beginningWithACopy(readFileSync(join("dist", file), "utf8")))).toEqual([]);
});
