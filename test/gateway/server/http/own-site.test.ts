import { describe, expect, it } from "vitest";
import { serverLimits } from "../../../support/server-limits.js";
import { ADMIN_KEY, hello, KEY, startTestServer } from "../server.js";

type Server = ReturnType<typeof startTestServer>["app"];

const ask = (app: Server, headers: Record<string, string>, url = "/v1/models") =>
  app.inject({ url, headers: { "x-api-key": KEY, ...headers } });

describe("A server without authentication", () => {
  const { app } = startTestServer({ limits: serverLimits({ auth: "off" }) });
  const { app: named } = startTestServer({
    limits: serverLimits({
      auth: "off",
      allowedHosts: ["gateway.test"],
      corsOrigins: ["https://app.test"],
    }),
  });

  it("answers requests to loopback, by any name and port", async () => {
    for (const host of ["localhost:8080", "LOCALHOST", "app.localhost:1", "127.8.0.1", "[::1]:80"])
      expect((await ask(app, { host })).statusCode, host).toBe(200);
  });

  it.each([
    ...["attacker.test", "attacker.test:8080", "localhost.attacker.test", "127.0.0.1.attacker.test"],
    ...["192.168.1.4", "[::2]", "localhost@attacker.test", "a b"],
  ])("refuses requests to host %j, which DNS rebinding may have sent here", async (host) => {
    for (const url of ["/v1/models", "/admin/keys", "/console", "/metrics", "/docs", "/nowhere"]) {
      const reply = await ask(app, { host }, url);
      expect([reply.statusCode, reply.json().error.code]).toEqual([403, "cross_site_request"]);
    }
  });

  it("names the host and the remedy in the error", async () => {
    expect((await ask(app, { host: "attacker.test" })).json().error.message).toBe(
      'The request is addressed to "attacker.test". While authentication is off, only loopback names and addresses are ' +
        "answered. Use http://localhost, or add the name to SEXTANT_ALLOWED_HOSTS.",
    );
  });

  it.each(["http://localhost:3000", "http://127.0.0.1:8080", "https://[::1]"])(
    "answers pages of origin %s",
    async (origin) => {
      expect((await ask(app, { origin })).statusCode).toBe(200);
    },
  );

  it.each(["https://attacker.test", "null", "http://localhost.attacker.test", "file://"])(
    "refuses pages of origin %s",
    async (origin) => {
      const reply = await ask(app, { origin });
      expect([reply.statusCode, reply.json().error.code]).toEqual([403, "cross_site_request"]);
    },
  );

  it("answers the configured hosts and origins, in any case and on any port", async () => {
    expect((await ask(named, { host: "Gateway.test:8443" })).statusCode).toBe(200);
    expect((await ask(named, { host: "other.test" })).statusCode).toBe(403);
    expect((await ask(named, { origin: "https://app.test" })).statusCode).toBe(200);
    expect((await ask(named, { origin: "https://app.test:1" })).statusCode).toBe(403);
  });
});

describe("A server with authentication", () => {
  const { app } = startTestServer();

  it("answers under any host name, since callers need a key", async () => {
    expect((await ask(app, { host: "gateway.test", origin: "https://attacker.test" })).statusCode).toBe(200);
  });
});

describe("The admin routes", () => {
  const { app } = startTestServer();
  const routes = ["GET /admin/keys", "POST /admin/keys", "POST /admin/reload", "POST /admin/router/explain"];
  const asAdmin = (headers: Record<string, string>, route = "GET /admin/keys") => {
    const [method, url] = route.split(" ") as ["GET", string];
    const sent = { "x-api-key": ADMIN_KEY, host: "gateway.test", ...headers };
    return app.inject({ method, url, headers: sent, ...(route.startsWith("POST") && { payload: hello }) });
  };

  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://attacker.test" },
    { origin: "null" },
  ])("refuse requests from pages of another origin, with any credentials: %j", async (headers) => {
    for (const route of routes) {
      const reply = await asAdmin(headers, route);
      expect([reply.statusCode, reply.json().error.code]).toEqual([403, "cross_site_request"]);
    }
  });

  it.each([
    {},
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
    { origin: "http://gateway.test" },
  ])("answer the console's own page, the address bar, and programs: %j", async (headers) => {
    expect((await asAdmin(headers)).statusCode).toBe(200);
  });
});
