import { describe, expect, it } from "vitest";
import { serverLimits } from "../../../support/server-limits.js";
import { startTestServer } from "../server.js";

describe("CORS", () => {
  it("is disabled without origins, and enabled for those of the settings on /v1 alone", async () => {
    const headers = { origin: "https://app.example.com" };
    const { app } = startTestServer();
    expect((await app.inject({ url: "/v1/models", headers })).headers).not.toHaveProperty(
      "access-control-allow-origin",
    );
    const open = startTestServer({ limits: serverLimits({ corsOrigins: ["https://app.example.com"] }) });
    const answer = await open.app.inject({ url: "/v1/models", headers });
    expect(answer.headers["access-control-allow-origin"]).toBe("https://app.example.com");
    const preflight = await open.app.inject({
      method: "OPTIONS",
      url: "/v1/chat/completions",
      headers: {
        ...headers,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    expect([preflight.statusCode, preflight.headers["access-control-allow-headers"]]).toEqual([
      204,
      "authorization",
    ]);
    const stranger = await open.app.inject({
      url: "/v1/models",
      headers: { ...headers, origin: "https://evil.example" },
    });
    expect(stranger.headers["access-control-allow-origin"]).not.toBe("https://evil.example");
    expect((await open.app.inject({ url: "/admin/keys", headers })).headers).not.toHaveProperty(
      "access-control-allow-origin",
    );
    expect((await open.app.inject({ url: "/v1/nothing", headers })).statusCode).toBe(404);
  });
});
