/** docs/clients.md names the tests that there are, and the versions that they run with. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const rows = read("../../../docs/clients.md")
  .split("\n")
  .filter((line) => line.includes(".test.ts"));

it("The table of tested clients lists every client test and no other", () => {
  const linked = rows.flatMap((row) => [...row.matchAll(/e2e\/clients\/([^)]+)\)/g)].map(([, file]) => file));
  const tests = readdirSync(new URL(".", import.meta.url)).filter(
    (file) => file.endsWith(".test.ts") && file !== "clients-page.test.ts",
  );
  expect([...new Set(linked)].sort()).toEqual(tests.sort());
});

it("The table of tested clients has the installed versions", () => {
  const { dependencies, devDependencies } = JSON.parse(read("../../../package.json"));
  const { dependencies: ofSecondStage } = JSON.parse(read("../../packages/package.json"));
  /** Names and versions; those of another major are installed by a name of their own: `"ai-6": "npm:ai@6.0.326"`. */
  const installed = [dependencies, devDependencies, ofSecondStage].flatMap((list) =>
    Object.entries<string>(list).map(
      ([name, range]) => /^npm:(.+)@(.+)$/.exec(range)?.slice(1) ?? [name, range],
    ),
  );
  const named = rows.flatMap((row) => [...row.matchAll(/`([\w@/-]+)` (\d[\d.]*)/g)]);
  expect(named.length).toBeGreaterThan(8);
  for (const [said, name, version] of named)
    expect(
      installed.some(
        ([one, range]) => one === name && `${range}.`.replace("^", "").startsWith(`${version}.`),
      ),
      said,
    ).toBe(true);
});
