import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../../src/foundation/errors.js";
import { withTables } from "../../support/page-tables.js";
import { startTestServer } from "../server.js";

describe("docs/errors.md", () => {
  it("has the table of codes (`npx vitest run test/gateway/http/error-page.test.ts -u` writes it)", async () => {
    const rows = Object.entries(ERROR_CODES).map(
      ([code, { status, type, meaning }]) => `| ${status} | \`${code}\` | \`${type}\` | ${meaning} |`,
    );
    const page = new URL("../../../docs/errors.md", import.meta.url);
    const text = withTables(page, {
      "| status | code | type | when |": rows,
    });
    await expect(text).toMatchFileSnapshot("../../../docs/errors.md");
  });
});

describe("docs/api.md", () => {
  it("describes every route, every field of its request and every field of its answer", async () => {
    const page = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
    const { app } = startTestServer();
    const document = (await app.inject({ url: "/openapi.json" })).json();
    for (const [path, methods] of Object.entries<Record<string, object>>(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const missing = fieldNames(operation).filter((field) => !new RegExp(`\\b${field}\\b`).test(page));
        expect([...new Set(missing)], `${method} ${path}`).toEqual([]);
      }
    }
  });
});

/** Names of all properties anywhere in the schemas of an operation. */
function fieldNames(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === "properties" && typeof value === "object" && value !== null
      ? [...Object.keys(value), ...Object.values(value).flatMap(fieldNames)]
      : fieldNames(value),
  );
}
