import { describe, expect, it } from "vitest";
import { startTestServer } from "../../server.js";

const { app } = startTestServer();

const page = (path: string) => app.inject({ url: path });

describe("GET /docs", () => {
  it("is a page whose scripts, styles and images come from this server, without credentials", async () => {
    const { statusCode, headers, body } = await page("/docs");
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    const parts = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "");
    expect(parts.length).toBeGreaterThan(4);
    for (const url of parts) {
      expect(url).toMatch(/^\/docs\//);
      expect((await page(url)).statusCode, url).toBe(200);
    }
    // A script in the page itself would be stopped by the policy.
    expect(body).not.toMatch(/<script(?![^>]* src=)/);
  });

  it("has a content security policy without external sources on each of its files", async () => {
    for (const url of ["/docs", "/docs/static/swagger-ui-bundle.js", "/docs/static/swagger-initializer.js"]) {
      const policy = String((await page(url)).headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/https?:|unsafe-eval|script-src[^;]*unsafe/);
    }
  });

  it("shows the document of /openapi.json", async () => {
    const [shown, document] = await Promise.all([page("/docs/json"), page("/openapi.json")]);
    expect(shown.json()).toEqual(document.json());
  });

  it("answers 404 in the common error format for other paths, also outside of its folder", async () => {
    for (const url of ["/docs/x.js", "/docs/static/../../package.json", "/docs/static/%2e%2e/package.json"]) {
      const response = await page(url);
      expect([response.statusCode, response.json().error.code], url).toEqual([404, "not_found"]);
      expect(response.json().request_id).toBe(response.headers["x-request-id"]);
    }
  });
});
