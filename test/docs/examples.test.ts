import { describe, expect, it } from "vitest";
import { examplesIn } from "./examples.js";

/** Where the blocks of each language are run, every one of them; or why they are not. */
const KINDS: Readonly<Record<string, string>> = {
  bash: "run-examples.slow.test.ts",
  sh: "run-examples.slow.test.ts",
  js: "run-examples.slow.test.ts",
  python: "test/services/python-examples.test.ts",
  json: "json.test.ts",
  sql: "test/gateway/traces/duckdb/documented-queries.test.ts",
  text: "help texts, made by test/cli/cli-page.test.ts, whose examples run-examples.slow.test.ts runs; and what is neither command nor code",
  yaml: "run-examples.slow.test.ts runs its commands of sextant",
};

describe("Code blocks in the documentation", () => {
  it("have a language that a test runs", () => {
    const others = examplesIn().filter(({ language }) => !Object.hasOwn(KINDS, language));
    expect(others.map(({ name, language }) => `${name}: ${language || "no language"}`)).toEqual([]);
  });

  it("include every language that is listed here", () => {
    const used = new Set(examplesIn().map(({ language }) => language));
    expect(Object.keys(KINDS).filter((language) => !used.has(language))).toEqual([]);
  });
});
