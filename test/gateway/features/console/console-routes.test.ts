import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAuthenticator } from "../../../../src/gateway/access/authenticator.js";
import { KeyRing } from "../../../../src/gateway/access/keys/key-ring.js";
import { UNLIMITED } from "../../../../src/gateway/access/principal.js";
import { ConsoleSessions } from "../../../../src/gateway/features/console/console-sessions.js";
import { SqliteStore } from "../../../../src/gateway/storage/sqlite-store.js";
import { seededBytes } from "../../../fakes/random.js";
import { MemoryStore } from "../../../fakes/store.js";
import { serverLimits } from "../../../support/server-limits.js";
import { startTestServer } from "../../server.js";

const SCRIPT = "export const it = 1;\n".repeat(100);
const HOST = "gateway.test:8080";
const folder = mkdtempSync(join(tmpdir(), "sextant-console-routes-"));
const pageFolder = join(folder, "page");

let app: FastifyInstance;
let keys: KeyRing;
let nowMs = Date.UTC(2026, 0, 2);
let ids = 0;

beforeAll(() => {
  mkdirSync(join(pageFolder, "assets"), { recursive: true });
  writeFileSync(join(pageFolder, "index.html"), "<!doctype html><title>Sextant</title>");
  writeFileSync(join(pageFolder, "assets", "index-abc.js"), SCRIPT);
  writeFileSync(join(pageFolder, "assets", "index-abc.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(pageFolder, "assets", "index-abc.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(folder, "secret.js"), "outside");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  const dataDir = mkdtempSync(join(folder, "data-"));
  const now = () => nowMs;
  const randomBytes = seededBytes();
  keys = await KeyRing.open(new SqliteStore(dataDir), {
    defaultLimits: UNLIMITED,
    now,
    randomBytes,
    newId: () => `id${ids++}`,
  });
  const sessions = new ConsoleSessions({
    store: new MemoryStore(now),
    keys,
    now,
    randomBytes,
    idleMs: 60_000,
    longestMs: 600_000,
  });
  const authenticator = createAuthenticator({ keys, sessions });
  const limits = serverLimits({ trustedProxies: ["10.1.0.0/16"] });
  const console = { pageFolder, sessions };
  app = startTestServer({ authenticator, keys, now, console, limits }).app;
});

const signIn = (
  key: string,
  {
    remoteAddress = "127.0.0.1",
    headers = {},
  }: { remoteAddress?: string; headers?: Record<string, string> } = {},
) =>
  app.inject({
    method: "POST",
    url: "/console/session",
    remoteAddress,
    headers: { "content-type": "application/json", host: HOST, ...headers },
    payload: JSON.stringify({ key }),
  });
/** The status for a wrong key from there. */
const guess = async (remoteAddress: string, forwarded: string) =>
  (await signIn("pk_live_guess", { remoteAddress, headers: { "x-forwarded-for": forwarded } })).statusCode;

async function signedIn() {
  const { key, metadata } = await keys.create({ name: "operator", scopes: ["admin"] });
  const reply = await signIn(key);
  const cookie = String(reply.headers["set-cookie"]).split(";", 1)[0] ?? "";
  return { key, metadata, cookie, proof: String(reply.json().proof), reply };
}

describe("The console page", () => {
  it("is the same at all its addresses, and always revalidated", async () => {
    for (const url of ["/console", "/console/", "/console/traces/req_1?status=error"]) {
      const reply = await app.inject({ url });
      expect(reply.statusCode, url).toBe(200);
      expect(reply.body).toContain("<title>Sextant</title>");
      expect(reply.headers["cache-control"]).toBe("no-cache");
    }
  });

  it("has a content security policy without scripts, styles, frames or forms from elsewhere", async () => {
    for (const url of ["/console", "/console/assets/index-abc.js"]) {
      const { headers } = await app.inject({ url });
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; " +
          "frame-ancestors 'none'; style-src 'self'; form-action 'self'; require-trusted-types-for 'script'",
      );
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  });

  it("has assets that are cached for ever, compressed, and not sent again", async () => {
    const url = "/console/assets/index-abc.js";
    const plain = await app.inject({ url });
    expect(plain.body).toBe(SCRIPT);
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const brotli = await app.inject({ url, headers: { "accept-encoding": "gzip, deflate, br;q=1" } });
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(SCRIPT);
    const gzip = await app.inject({ url, headers: { "accept-encoding": "gzip" } });
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    const again = await app.inject({ url, headers: { "if-none-match": String(plain.headers.etag) } });
    expect({ status: again.statusCode, body: again.body }).toEqual({ status: 304, body: "" });
  });

  it.each(["/console/../secret.js", "/console/%2e%2e/secret.js", "/console/..%2fsecret.js", "/console/x.js"])(
    "exposes no other file: %s",
    async (url) => {
      const reply = await app.inject({ url });
      expect(reply.statusCode).toBe(404);
      expect(reply.body).not.toContain("outside");
    },
  );

  it("says what to do when it was not built", async () => {
    const console = { pageFolder: join(folder, "nowhere"), sessions: null };
    const reply = await startTestServer({ console }).app.inject({ url: "/console" });
    expect(reply.statusCode).toBe(404);
    expect(reply.json().error.message).toContain("npm run build");
  });

  it("does not exist when it is switched off", async () => {
    const reply = await startTestServer({ console: null }).app.inject({ url: "/console" });
    expect(reply.statusCode).toBe(404);
  });
});

describe("Signing in to the console", () => {
  it("accepts an admin key and sets a cookie that is unavailable to scripts and other sites", async () => {
    const { reply, metadata } = await signedIn();
    expect(reply.statusCode).toBe(200);
    expect(reply.headers["set-cookie"]).toMatch(
      /^sextant_console=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=60$/,
    );
    expect(reply.json()).toMatchObject({ signed_in: true, key: { id: metadata.id, name: "operator" } });
  });

  it.each([[{ origin: `https://${HOST}` }], [{ "x-forwarded-proto": "https" }]])(
    "restricts the cookie to TLS where the page was loaded that way: %o",
    async (headers) => {
      const { key } = await keys.create({ name: "operator", scopes: ["admin"] });
      expect((await signIn(key, { headers })).headers["set-cookie"]).toMatch(/; Secure$/);
    },
  );

  it("refuses other keys with the API's errors, without naming their owners", async () => {
    const { key } = await keys.create({ name: "app", scopes: ["inference"] });
    expect((await signIn(key)).json().error.code).toBe("insufficient_scope");
    expect((await signIn("pk_live_nobody")).json().error.code).toBe("invalid_api_key");
    expect((await signIn("")).statusCode).toBe(400);
  });

  it("is blocked for a while after too many refused keys, for that address alone", async () => {
    const { key } = await keys.create({ name: "operator", scopes: ["admin"] });
    for (let at = 0; at < 9; at++) expect((await signIn("pk_live_guess")).statusCode).toBe(401);
    // Which is forgotten after a right one.
    expect((await signIn(key)).statusCode).toBe(200);
    for (let at = 0; at < 10; at++) expect((await signIn("pk_live_guess")).statusCode).toBe(401);
    const refused = await signIn(key);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers["retry-after"]).toBe("60");
    expect((await signIn(key, { remoteAddress: "192.0.2.7" })).statusCode).toBe(200);
    nowMs += 60_000;
    expect((await signIn(key)).statusCode).toBe(200);
  });

  it("counts refused keys for the address that a trusted proxy names, and for the sender of any other request", async () => {
    for (let at = 0; at < 10; at++) await guess("10.1.2.3", "192.0.2.1");
    expect(await guess("10.1.9.9", "192.0.2.1")).toBe(429);
    expect(await guess("10.1.2.3", "192.0.2.2")).toBe(401);
    expect(await guess("10.1.2.3", "198.51.100.1, 192.0.2.1")).toBe(429);
    for (let at = 0; at < 10; at++) await guess("203.0.113.5", `192.0.2.${at + 10}`);
    expect(await guess("203.0.113.5", "192.0.2.99")).toBe(429);
  });

  it.each([
    ["ports that the proxy writes", (at: number) => `192.0.2.1:${50_000 + at}`],
    ["what is no address", (at: number) => `guess-${at}`],
  ])(
    "counts refused keys together behind a trusted proxy, whatever is written there: %s",
    async (_, client) => {
      for (let at = 0; at < 10; at++) expect(await guess("10.1.2.3", client(at))).toBe(401);
      expect(await guess("10.1.2.3", client(10))).toBe(429);
    },
  );
});

describe("A signed-in console page", () => {
  /** What GET /admin/keys answers. */
  const answerTo = async (headers: Record<string, string>) => {
    const reply = await app.inject({ url: "/admin/keys", headers });
    return reply.statusCode === 200 ? "ok" : reply.json().error.code;
  };

  it("uses the API with cookie and proof, since browsers send the cookie with any request", async () => {
    const { cookie, proof } = await signedIn();
    const both = { cookie, "x-sextant-session": proof };
    expect(await answerTo({ ...both, "sec-fetch-site": "same-origin" })).toBe("ok");
    expect(await answerTo({ ...both, "sec-fetch-site": "cross-site" })).toBe("cross_site_request");
    expect(await answerTo({ cookie })).toBe("missing_credentials");
    expect(await answerTo({ cookie, "x-sextant-session": "x" })).toBe("invalid_session");
    expect(await answerTo({ "x-sextant-session": proof })).toBe("missing_credentials");
  });

  it("uses the key in a header instead, when there is one", async () => {
    const { cookie, proof } = await signedIn();
    const { key } = await keys.create({ name: "app", scopes: ["inference"] });
    const session = { cookie, "x-sextant-session": proof };
    expect(await answerTo({ ...session, "x-api-key": key })).toBe("insufficient_scope");
    expect(await answerTo({ ...session, authorization: `Bearer ${key}` })).toBe("insufficient_scope");
  });

  it("stays signed in when it is reloaded, with a later expiry", async () => {
    const { cookie, proof } = await signedIn();
    nowMs += 30_000;
    const reply = await app.inject({ url: "/console/session", headers: { cookie } });
    expect(reply.json()).toMatchObject({ signed_in: true, proof });
    expect(reply.headers["set-cookie"]).toContain("Max-Age=60");
    nowMs += 45_000;
    const renewed = String(reply.headers["set-cookie"]).split(";", 1)[0] ?? "";
    expect(await answerTo({ cookie: renewed, "x-sextant-session": proof })).toBe("ok");
  });

  it("gets the reason why its session ended, and the cookie is deleted", async () => {
    const { cookie, metadata } = await signedIn();
    await keys.revoke(metadata.id);
    const reply = await app.inject({ url: "/console/session", headers: { cookie } });
    expect(reply.json()).toMatchObject({ signed_in: false, reason: expect.stringContaining("revoked") });
    expect(reply.headers["set-cookie"]).toContain("Max-Age=0");
  });

  it("ends its session by signing out", async () => {
    const { cookie, proof } = await signedIn();
    const headers = { cookie, "x-sextant-session": proof };
    const reply = await app.inject({ method: "DELETE", url: "/console/session", headers });
    expect(reply.statusCode).toBe(204);
    expect(reply.headers["set-cookie"]).toContain("Max-Age=0");
    expect(await answerTo(headers)).toBe("invalid_session");
  });

  it("needs no sign-in where authentication is off", async () => {
    const server = startTestServer({ console: { pageFolder, sessions: null } });
    const reply = await server.app.inject({ url: "/console/session" });
    expect(reply.json()).toEqual({ authentication: "off", signed_in: true });
  });
});
