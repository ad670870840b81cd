import { describe, expect, it } from "vitest";
import { serverLimits } from "../../support/server-limits.js";
import { ADMIN_KEY, KEY, startTestServer } from "../server.js";

type Server = ReturnType<typeof startTestServer>["app"];

const console = { pageFolder: "/nowhere", sessions: null };

/** A server with every route there is, and these: also those that no document names. */
async function withRoutes() {
  const { app } = startTestServer({ console });
  const routes: { readonly method: "GET"; readonly url: string }[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat())
      routes.push({ method: one as "GET", url: url.replace(/:\w+|\*/, "x") });
  });
  await app.ready();
  return { app, routes };
}

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

  it.each(["/v1/models", "/metrics"])(
    "refuses images, scripts and frames of other sites that name %s",
    async (url) => {
      const from = (site: string, dest: string) => ({ "sec-fetch-site": site, "sec-fetch-dest": dest });
      for (const dest of ["image", "script", "iframe", "empty"])
        expect((await ask(app, from("cross-site", dest), url)).json().error.code).toBe("cross_site_request");
      for (const headers of [
        from("cross-site", "document"),
        from("same-origin", "empty"),
        from("none", "document"),
      ])
        expect((await ask(app, headers, url)).statusCode).not.toBe(403);
    },
  );

  it("answers the configured hosts and origins, in any case and on any port", async () => {
    expect((await ask(named, { host: "Gateway.test:8443" })).statusCode).toBe(200);
    expect((await ask(named, { host: "other.test" })).statusCode).toBe(403);
    const page = { origin: "https://app.test", "sec-fetch-site": "cross-site", "sec-fetch-dest": "empty" };
    expect((await ask(named, page)).statusCode).toBe(200);
    expect((await ask(named, { origin: "https://app.test:1" })).statusCode).toBe(403);
  });
});

describe("A server with authentication", () => {
  const { app } = startTestServer();

  it("answers under any host name, since callers need a key", async () => {
    expect((await ask(app, { host: "gateway.test", origin: "https://attacker.test" })).statusCode).toBe(200);
  });
});

describe("Every route of operators", async () => {
  const { app, routes } = await withRoutes();
  const ownPagesOnly = routes.filter(({ url }) => /^\/admin\/|^\/console\/session$/.test(url));
  const asAdmin = (headers: Record<string, string>, route = ownPagesOnly[0]) =>
    app.inject({ ...route, headers: { "x-api-key": ADMIN_KEY, host: "gateway.test", ...headers } });

  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://attacker.test" },
    { origin: "null" },
  ])("refuses requests from pages of another origin, with any credentials: %j", async (headers) => {
    expect(ownPagesOnly.length).toBeGreaterThan(50);
    for (const route of ownPagesOnly) {
      const { statusCode } = await asAdmin(headers, route);
      expect(statusCode, `${route.method} ${route.url}`).toBe(403);
    }
  });

  it.each([
    {},
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
    { origin: "http://gateway.test" },
  ])("answers the console's own page, the address bar, and programs: %j", async (headers) => {
    for (const route of ownPagesOnly) expect((await asAdmin(headers, route)).statusCode).not.toBe(403);
  });
});

describe("Every answer", async () => {
  const { app, routes } = await withRoutes();

  const expected = {
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
  };

  it("is of no use to other sites, is what it says it is, and stays in no cache", async () => {
    const others = ["/nowhere", "/%", "/v1/router"].map((url) => ({ method: "GET" as const, url }));
    for (const route of [...routes, ...others]) {
      for (const headers of [{}, { "x-api-key": ADMIN_KEY }]) {
        const answer = await app.inject({ ...route, headers });
        expect(answer.headers, `${route.method} ${route.url} ${answer.statusCode}`).toMatchObject(expected);
      }
    }
  });
});
