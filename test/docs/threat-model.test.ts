/** The threat model names tests that exist. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, readPage } from "./examples.js";

const [, section = ""] = readPage("SECURITY.md").split("## Threat model\n");
const rows = section
  .split("\n## ")[0]
  ?.split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| who |"))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));

/** `file` *title*, *another title*; `other file` *title* */
const testsOf = (cell: string) =>
  cell.split("; ").map((part) => ({
    path: /^`(test\/\S+)`/.exec(part)?.[1] ?? "",
    titles: [...part.matchAll(/\*([^*]+)\*/g)].map(([, title = ""]) => title),
  }));

describe("The threat model", () => {
  it("says of every attacker what they want, what stops them, and which tests show it", () => {
    expect(rows?.length).toBeGreaterThan(15);
    for (const row of rows ?? []) expect(row).toHaveLength(4);
  });

  it.each(rows?.map(([who, wants, , shown = ""]) => [`${who}: ${wants}`, shown] as const) ?? [])(
    "names tests that exist: %s",
    (_, shown) => {
      for (const { path, titles } of testsOf(shown)) {
        expect(existsSync(join(ROOT, path)), path).toBe(true);
        const source = readFileSync(join(ROOT, path), "utf8");
        expect(titles.length, path).toBeGreaterThan(0);
        for (const title of titles) expect(source.includes(title), `${path}: ${title}`).toBe(true);
      }
    },
  );
});
