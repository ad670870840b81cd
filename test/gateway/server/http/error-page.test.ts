import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../../../src/foundation/errors.js";
import { startTestServer } from "../server.js";

function errorPage(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, type, meaning }]) => `| ${status} | \`${code}\` | \`${type}\` | ${meaning} |`,
  );
  return `# Errors

Every error has the same body, which OpenAI's client libraries read as their own:

\`\`\`json
{"error": {"message": "\`messages[0].role\` is \\"robot\\": it must be one of system, developer, user, assistant, tool.",
           "type": "invalid_request_error", "code": "invalid_request", "param": "messages[0].role"},
 "request_id": "req_01KAFC0S3VZ7TJD8M0HRB1PGCE"}
\`\`\`

The message says what was wrong, with which value, and what to do; our own never repeat message contents or keys. What a provider said about the
request reaches its caller, in \`upstream_rejected\`, \`content_filter\`, \`context_length_exceeded\` and the \`message\` of \`attempts\`: at most 2,000 characters, keys and
addresses removed. It is never logged, and kept in a trace only while that keeps content. \`param\` is the
path of the field at fault, or null. \`request_id\` is that of the header \`x-request-id\`. Some codes add members at the top level:
\`missing_profiles\` and \`available_profiles\`; \`excluded\`; \`attempts\`; \`retry_after\` in seconds, which is also the headers \`Retry-After\`
(whole seconds) and \`Retry-After-Ms\`. 401 comes with \`WWW-Authenticate\`, 405 with \`Allow\`.

| status | code | type | when |
|---|---|---|---|
${rows.join("\n")}
`;
}

describe("docs/errors.md", () => {
  it("is generated from the table of codes (`npx vitest run test/gateway/server/http/error-page.test.ts -u` writes it)", async () => {
    await expect(errorPage()).toMatchFileSnapshot("../../../../docs/errors.md");
  });
});

describe("docs/api.md", () => {
  it("describes every route, every field of its request and every field of its answer", async () => {
    const page = readFileSync(new URL("../../../../docs/api.md", import.meta.url), "utf8");
    const { app } = startTestServer();
    const document = (await app.inject({ url: "/openapi.json" })).json();
    await app.close();
    for (const [path, methods] of Object.entries<Record<string, object>>(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        expect(page).toContain(`## ${method.toUpperCase()} ${path}`);
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
