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
  text: "help texts, made by test/cli/cli-page.test.ts, whose examples run-examples.slow.test.ts runs; two that are listed below",
  yaml: "run-examples.slow.test.ts runs its commands of sextant",
  mermaid: "a diagram",
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

  it("of type text are help texts, a stream, a part of an object, a list of steps and a query", () => {
    const others = examplesIn("text").filter(({ page }) => page !== "docs/cli.md");
    expect(others.map(({ name }) => name)).toEqual([
      "docs/api.md, Streams, text 1",
      "docs/api.md, What a decision rests on, text 1",
      "docs/api.md, POST /v1/router/batch, text 1",
      "docs/architecture.md, Architecture, text 1",
      "docs/architecture.md, The way of a request, text 1",
      "docs/comparisons.md, What it says, text 1",
      "docs/python.md, Notebooks in Python, text 1",
      "docs/spans.md, Which attributes they read, text 1",
    ]);
  });
});
