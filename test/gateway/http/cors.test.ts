import { expect, it } from "vitest";
import { serverLimits } from "../../support/server-limits.js";
import { startTestServer } from "../server.js";

it("CORS is disabled without origins, and enabled for those of the settings on /v1 alone", async () => {
  const origin = "https://app.example.com";
  const { app: closed } = startTestServer();
  const { app: open } = startTestServer({ limits: serverLimits({ corsOrigins: [origin] }) });
  const allowed = async (app: typeof open, url: string, from = origin) =>
    (await app.inject({ url, headers: { origin: from } })).headers["access-control-allow-origin"];
  expect(await allowed(closed, "/v1/models")).toBeUndefined();
  expect(await allowed(open, "/v1/models")).toBe(origin);
  expect(await allowed(open, "/v1/models", "https://evil.example")).not.toBe("https://evil.example");
  expect(await allowed(open, "/admin/keys")).toBeUndefined();
  const { headers } = await open.inject({ url: "/v1/models", headers: { origin } });
  expect(headers["access-control-expose-headers"]).toContain("x-left-out");
  const preflight = await open.inject({
    method: "OPTIONS",
    url: "/v1/chat/completions",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    },
  });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers["access-control-allow-headers"]).toBe("authorization");
  expect((await open.inject({ url: "/v1/nothing", headers: { origin } })).statusCode).toBe(404);
});
