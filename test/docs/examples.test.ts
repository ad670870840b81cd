import { describe, expect, it } from "vitest";
import { examplesIn, examplesOf } from "./examples.js";

/** Where the blocks of each language are run, every one of them; or why they are not. */
const KINDS: Readonly<Record<string, string>> = {
  bash: "shell.slow.test.ts",
  sh: "shell.slow.test.ts",
  js: "javascript.slow.test.ts",
  python: "test/services/python-examples.test.ts",
  json: "json.test.ts",
  sql: "test/gateway/traces/duckdb/documented-queries.test.ts",
  text: "help texts, made by test/cli/cli-page.test.ts, whose examples shell.slow.test.ts runs; two that are listed below",
  yaml: "shell.slow.test.ts runs its commands of sextant",
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

describe("examplesOf", () => {
  it("returns blocks with page, heading, number, language and code", () => {
    const text = "# Title\n\n```js\na();\n```\n\n## Next\n\n```\nb\n```\n\n  ```sh\n  c\n  ```\n";
    expect(examplesOf("page.md", text)).toEqual([
      { page: "page.md", heading: "Title", name: "page.md, Title, js 1", language: "js", code: "a();\n" },
      { page: "page.md", heading: "Next", name: "page.md, Next,  1", language: "", code: "b\n" },
      { page: "page.md", heading: "Next", name: "page.md, Next, sh 1", language: "sh", code: "  c\n" },
    ]);
  });

  it("does not take a line of code that begins with # for a heading", () => {
    expect(examplesOf("page.md", "# A\n\n```sh\n# comment\nls\n```\n")).toMatchObject([
      { heading: "A", code: "# comment\nls\n" },
    ]);
  });
});
