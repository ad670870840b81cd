/** `/admin/*`: each field, over the real key ring on a real file. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { createAuthenticator } from "../../../../src/gateway/access/authenticator.js";
import { KeyFile } from "../../../../src/gateway/access/keys/key-file.js";
import { KeyRing } from "../../../../src/gateway/access/keys/key-ring.js";
import { CountingLimiter } from "../../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../../src/gateway/access/limits/period-spend.js";
import { UNLIMITED } from "../../../../src/gateway/access/principal.js";
import { createdKeySchema, keyListSchema, keySchema } from "../../../../src/gateway/api/keys.js";
import { refusalListSchema } from "../../../../src/gateway/api/refusals.js";
import { attempt, principal } from "../../../contracts/limiter.contract.js";
import { seededBytes } from "../../../fakes/random.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { folderForTests } from "../../../support/folders.js";
import { serverLimits } from "../../../support/server-limits.js";
import { failedTrace, traceWith } from "../../traces/trace-for-test.js";
import { ADMIN_KEY, KEY, NOW_MS, post, startTestServer, type TestServer } from "../server.js";

const BOOTSTRAP = `pk_live_${"b".repeat(40)}`;
const folder = folderForTests();
let server: TestServer;
let keys: KeyRing;
let limiter: CountingLimiter;
const traces = new MemoryTraceStore();

beforeAll(async () => {
  let ids = 0;
  keys = await KeyRing.open(new KeyFile(folder), {
    bootstrapApiKey: BOOTSTRAP,
    defaultLimits: UNLIMITED,
    now: () => NOW_MS,
    randomBytes: seededBytes(7),
    newId: () => `${++ids}`,
  });
  const counters = new MemoryCounters({ now: () => NOW_MS, spend: new PeriodSpend() });
  limiter = new CountingLimiter(counters, { now: () => NOW_MS });
  server = startTestServer({ keys, limiter, traces, authenticator: createAuthenticator({ keys }) });
});
afterAll(async () => {
  await server.app.close();
});

const admin = { "x-api-key": BOOTSTRAP };
const create = (payload: unknown) => post(server.app, "/admin/keys", { payload, headers: admin });
const list = async () => (await server.app.inject({ url: "/admin/keys", headers: admin })).json();
const noLimits = { requests_per_minute: null, tokens_per_minute: null, usd_per_month: null };

describe("/admin/keys", () => {
  it("POST creates a working key, returns it once and stores it nowhere", async () => {
    const response = await create({ name: "app", scopes: ["inference"] });
    expect(response.statusCode).toBe(201);
    expect(response.headers["cache-control"]).toBe("no-store");
    const { key, ...created } = createdKeySchema.parse(response.json());
    expect(response.json()).toEqual({
      key: expect.stringMatching(/^pk_live_[0-9A-Za-z]{40}$/),
      id: "key_1",
      name: "app",
      prefix: key.slice(0, 12),
      source: null,
      team: null,
      scopes: ["inference"],
      limits: noLimits,
      created_at: new Date(NOW_MS).toISOString(),
      cost_weight: null,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      previous: null,
      request_id: response.headers["x-request-id"],
    });
    const models = await server.app.inject({ url: "/v1/models", headers: { "x-api-key": key } });
    expect(models.statusCode).toBe(200);
    expect(await readFile(join(folder, "keys.json"), "utf8")).not.toContain(key);
    const { request_id: _, ...stored } = created;
    const use = { requests_per_minute: null, tokens_per_minute: null, usd_per_month: null };
    expect((await list()).data).toEqual([{ ...stored, use }]);
    expect(JSON.stringify(await list())).not.toMatch(/digest|pk_live_[0-9A-Za-z]{20}/);
  });

  it("POST accepts `source`, `limits`, `cost_weight` and `expires_at`", async () => {
    const response = await create({
      name: "batch",
      source: "nightly",
      scopes: ["inference", "traces:read"],
      limits: { requests_per_minute: 60, usd_per_month: 12.5 },
      cost_weight: 0.3,
      expires_at: "2030-01-31T00:00:00+01:00",
    });
    expect(response.json()).toMatchObject({
      source: "nightly",
      scopes: ["inference", "traces:read"],
      limits: { requests_per_minute: 60, tokens_per_minute: null, usd_per_month: 12.5 },
      cost_weight: 0.3,
      expires_at: "2030-01-30T23:00:00.000Z",
    });
  });

  it("POST accepts null for optional fields", async () => {
    const nothing = { source: null, limits: null, expires_at: null };
    const response = await create({ name: "plain", scopes: ["inference"], ...nothing });
    expect(response.json()).toMatchObject({ source: null, limits: noLimits, expires_at: null });
  });

  const valid = { name: "x", scopes: ["inference"] };
  it.each([
    [{ scopes: ["inference"] }, "`name` is missing: it must be a string of 1 to 128 characters.", "name"],
    [{ ...valid, name: "" }, '`name` is "": it must be a string of 1 to 128 characters.', "name"],
    [{ name: "x" }, "`scopes` is missing: it must be a list of scopes.", "scopes"],
    [{ ...valid, scopes: [] }, "`scopes` is an empty list: it must name at least one scope.", "scopes"],
    [
      { ...valid, scopes: ["inference", "admin", "inference"] },
      "`scopes` is a list of 3: it must name each scope once.",
      "scopes",
    ],
    [
      { ...valid, scopes: new Array(20).fill("inference") },
      "`scopes` is a list of 20: it must name at most 4 scopes.",
      "scopes",
    ],
    [
      { ...valid, scopes: ["root"] },
      '`scopes[0]` is "root": it must be one of inference, traces:read, traces:read:all, admin.',
      "scopes[0]",
    ],
    [
      { ...valid, source: "a,b" },
      '`source` is "a,b": it must have 1 to 128 printable ASCII characters, without commas and without spaces at either end.',
      "source",
    ],
    [
      { ...valid, limits: { requests_per_minute: 0 } },
      "`limits.requests_per_minute` is 0: it must be a whole number of at least 1, or null.",
      "limits.requests_per_minute",
    ],
    [
      { ...valid, limits: { usd_per_month: -1 } },
      "`limits.usd_per_month` is -1: it must be a number above 0, or null.",
      "limits.usd_per_month",
    ],
    [
      { ...valid, limits: { rpm: 1 } },
      "`limits.rpm` is not known here. Known are `requests_per_minute`, `tokens_per_minute`, `usd_per_month`.",
      "limits.rpm",
    ],
    [
      { ...valid, expires_at: "tomorrow" },
      '`expires_at` is "tomorrow": it must be a date and time with zone, such as 2030-01-31T00:00:00Z.',
      "expires_at",
    ],
    [
      { ...valid, expires_at: "2020-01-01T00:00:00Z" },
      '`expires_at` is "2020-01-01T00:00:00Z", which has passed.',
      "expires_at",
    ],
    [{ ...valid, expire_at: "x" }, "`expire_at` is not known here. Did you mean `expires_at`?", "expire_at"],
  ])("POST refuses %j", async (body, message, param) => {
    const before = (await list()).data.length;
    const response = await create(body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: "invalid_request", message, param });
    expect((await list()).data).toHaveLength(before);
  });

  it("GET lists the metadata of all keys, oldest first", async () => {
    const keys = await list();
    expect(keyListSchema.parse(keys)).toEqual(keys);
    expect(keys.data.map(({ name }: { name: string }) => name)).toEqual(["app", "batch", "plain"]);
    expect(keys.object).toBe("list");
  });

  it("DELETE revokes a key: it stops working at once, its metadata remains", async () => {
    const { key, id } = (await create({ name: "short-lived", scopes: ["inference"] })).json();
    const response = await server.app.inject({ method: "DELETE", url: `/admin/keys/${id}`, headers: admin });
    expect(response.statusCode).toBe(200);
    expect(keySchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toMatchObject({ id, revoked_at: new Date(NOW_MS).toISOString() });
    const models = await server.app.inject({ url: "/v1/models", headers: { "x-api-key": key } });
    expect([models.statusCode, models.json().error.code]).toEqual([401, "key_revoked"]);
  });

  it("DELETE of an unknown key is 404", async () => {
    const response = await server.app.inject({ method: "DELETE", url: "/admin/keys/nope", headers: admin });
    expect([response.statusCode, response.json().error.code]).toEqual([404, "not_found"]);
  });

  const patch = (id: string, payload: object) =>
    server.app.inject({ method: "PATCH", url: `/admin/keys/${id}`, headers: admin, payload });

  it("PATCH changes name, limits and expiry, and leaves what it does not name", async () => {
    const limits = { requests_per_minute: 60, usd_per_month: 12.5 };
    const { id } = (await create({ name: "growing", scopes: ["inference"], limits })).json();
    const response = await patch(id, { limits: { usd_per_month: 5, requests_per_minute: null } });
    expect(response.statusCode).toBe(200);
    expect(keySchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toMatchObject({
      name: "growing",
      limits: { requests_per_minute: null, tokens_per_minute: null, usd_per_month: 5 },
    });
    const expiring = await patch(id, { name: "grown", expires_at: "2030-01-31T00:00:00Z" });
    expect(expiring.json()).toMatchObject({ name: "grown", expires_at: "2030-01-31T00:00:00.000Z" });
    expect((await patch(id, { cost_weight: 0 })).json()).toMatchObject({ cost_weight: 0 });
    expect((await patch(id, { cost_weight: null })).json()).toMatchObject({ cost_weight: null });
    expect((await patch(id, { expires_at: null })).json()).toMatchObject({ name: "grown", expires_at: null });
  });

  it.each([
    [
      { scopes: ["admin"] },
      "`scopes` is not known here. Known are `name`, `team`, `limits`, `cost_weight`, `expires_at`, `previous`.",
      "scopes",
    ],
    [
      { limits: { usd_per_month: 0 } },
      "`limits.usd_per_month` is 0: it must be a number above 0, or null.",
      "limits.usd_per_month",
    ],
    [
      { expires_at: "2020-01-01T00:00:00Z" },
      '`expires_at` is "2020-01-01T00:00:00Z", which has passed.',
      "expires_at",
    ],
  ])("PATCH refuses %j", async (body, message, param) => {
    const response = await patch("key_1", body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: "invalid_request", message, param });
  });

  const rotate = (id: string, payload: object) =>
    post(server.app, `/admin/keys/${id}/rotate`, { payload, headers: admin });

  it("rotation answers with a new key of the same id, once; the old one works for the grace", async () => {
    const { key: old, id } = (await create({ name: "leaked", scopes: ["inference"] })).json();
    const response = await rotate(id, { grace_seconds: 3600 });
    expect([response.statusCode, response.headers["cache-control"]]).toEqual([200, "no-store"]);
    const { key, previous } = createdKeySchema.parse(response.json());
    expect(previous).toEqual({
      prefix: old.slice(0, 12),
      expires_at: new Date(NOW_MS + 3_600_000).toISOString(),
      refused: null,
    });
    const status = async (apiKey: string) =>
      (await server.app.inject({ url: "/v1/models", headers: { "x-api-key": apiKey } })).statusCode;
    expect([await status(old), await status(key)]).toEqual([200, 200]);
    const { key: newest } = (await rotate(id, { grace_seconds: 0 })).json();
    expect([await status(old), await status(key), await status(newest)]).toEqual([401, 401, 200]);
    expect((await rotate("key_nope", { grace_seconds: 0 })).statusCode).toBe(404);
  });

  it("requests with a replaced secret are counted, with where the last came from, and shown to operators", async () => {
    const { key: old, id } = (await create({ name: "leaked again", scopes: ["inference"] })).json();
    await rotate(id, { grace_seconds: 0 });
    const use = (headers: Record<string, string>) =>
      server.app.inject({ url: "/v1/models", headers, remoteAddress: "198.51.100.7" });
    await use({ "x-api-key": old, "x-source": "nightly" });
    const { statusCode } = await use({ authorization: `Bearer ${old}`, "x-source": "a, b" });
    expect(statusCode).toBe(401);
    await keys.saveUse();
    const refused = {
      ...{ requests: 2, first_at: new Date(NOW_MS).toISOString(), last_at: new Date(NOW_MS).toISOString() },
      ...{ last_address: "198.51.100.7", last_source: null },
    };
    const found = (await list()).data.find((one: { id: string }) => one.id === id);
    expect(found.previous.refused).toEqual(refused);
    const attention = await server.app.inject({ url: "/admin/attention", headers: admin });
    expect(attention.json().replaced_secrets).toContainEqual({ id, name: "leaked again", ...refused });
    expect(attention.body).not.toContain(old);
  });

  it("a change ends the secret before the rotation at once, and never makes it work for longer", async () => {
    const { key: old, id } = (await create({ name: "leaked", scopes: ["inference"] })).json();
    await rotate(id, { grace_seconds: 3600 });
    const change = async () =>
      (await patch(id, { previous: null })).json<{ previous: { expires_at: string } }>().previous.expires_at;
    const ended = await change();
    expect(ended).toBe(new Date(NOW_MS).toISOString());
    const refused = await server.app.inject({
      url: "/v1/models",
      headers: { "x-api-key": old },
    });
    expect([refused.statusCode, refused.json().error.code]).toEqual([401, "key_revoked"]);
    expect(await change()).toBe(ended);
    expect((await patch(id, { previous: {} })).json().error).toMatchObject({ param: "previous" });
  });

  it.each([
    [{}, "`grace_seconds` is missing: it must be a whole number of seconds from 0 to 2592000."],
    [{ grace_seconds: -1 }, "`grace_seconds` is -1: it must be a whole number of seconds from 0 to 2592000."],
  ])("rotation refuses %j", async (body, message) => {
    const response = await rotate("key_1", body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ message, param: "grace_seconds" });
  });

  it("GET shows the use of each limit, and GET /admin/refusals what the limits refused", async () => {
    const limits = { requests_per_minute: 2, usd_per_month: 10 };
    const { id } = (await create({ name: "busy", scopes: ["inference"], limits })).json();
    const busy = principal(id, { requestsPerMinute: 2, usdPerMonth: 10 });
    for (let request = 0; request < 5; request++) await attempt(limiter, busy, { tokens: 1, costUsd: 2.5 });
    const { use } = (await list()).data.find((key: { readonly id: string }) => key.id === id);
    expect(use).toEqual({
      requests_per_minute: { used: 2, limit: 2 },
      tokens_per_minute: null,
      usd_per_month: { used: 5, limit: 10 },
    });
    const refusals = (query: string) => server.app.inject({ url: `/admin/refusals${query}`, headers: admin });
    const response = await refusals("");
    expect(refusalListSchema.parse(response.json())).toEqual(response.json());
    const hour = new Date(NOW_MS - (NOW_MS % 3_600_000)).toISOString();
    const refused = { start: hour, key: id, name: "busy", limit: "requests", requests: 3 };
    expect(response.json()).toMatchObject({ step: 3600, data: [refused] });
    expect((await refusals(`?key=${id}&step=86400`)).json().data).toHaveLength(1);
    expect((await refusals("?key=key_1")).json().data).toEqual([]);
  });

  it("GET with `errors_since` shows the last failed request of each key since then", async () => {
    const [failing, healthy] = await Promise.all(
      ["failing", "healthy"].map(async (name) => (await create({ name, scopes: ["inference"] })).json().id),
    );
    const createdAtMs = NOW_MS - 60_000;
    const error = { code: "upstream_timeout", message: "took too long" } as const;
    const last = failedTrace({ principal: failing, createdAtMs, status: "timeout", error });
    await traces.append([
      failedTrace({ principal: failing, createdAtMs: createdAtMs - 1 }),
      last,
      traceWith({ principal: healthy, createdAtMs }),
    ]);
    const lastErrors = async (since: string) => {
      const url = `/admin/keys?errors_since=${encodeURIComponent(since)}`;
      const body = (await server.app.inject({ url, headers: admin })).json();
      expect(keyListSchema.parse(body)).toEqual(body);
      const found = (id: string) =>
        body.data.find((key: { readonly id: string }) => key.id === id).last_error;
      return [found(failing), found(healthy)];
    };
    const shown = {
      code: "upstream_timeout",
      request_id: last.requestId,
      created_at: new Date(createdAtMs).toISOString(),
    };
    expect(await lastErrors(new Date(createdAtMs).toISOString())).toEqual([shown, null]);
    expect(await lastErrors("2025-01-01T00:00:00+01:00")).toEqual([shown, null]);
    expect(await lastErrors(new Date(createdAtMs + 1).toISOString())).toEqual([null, null]);
    expect((await list()).data.some((key: object) => "last_error" in key)).toBe(false);
  });

  it("GET with `errors_since` lists keys without it while traces cannot be searched", async () => {
    const off = startTestServer({ keys, limiter });
    const url = "/admin/keys?errors_since=2026-01-01T00:00:00Z";
    const response = await off.app.inject({ url, headers: { "x-api-key": ADMIN_KEY } });
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toEqual((await list()).data);
    await off.app.close();
  });

  it.each([
    [
      "errors_since=yesterday",
      '`errors_since` is "yesterday": it must be a date and time with zone, such as 2030-01-31T00:00:00Z.',
    ],
    ["error_since=2026-01-01T00:00:00Z", "`error_since` is not known here. Did you mean `errors_since`?"],
  ])("GET refuses %s", async (query, message) => {
    const response = await server.app.inject({ url: `/admin/keys?${query}`, headers: admin });
    expect([response.statusCode, response.json().error.message]).toEqual([400, message]);
  });

  it.each(["30", "90", "hour", "-60", "90000"])("GET /admin/refusals refuses a step of %s", async (step) => {
    const response = await server.app.inject({ url: `/admin/refusals?step=${step}`, headers: admin });
    expect(response.json().error).toMatchObject({
      param: "step",
      message: `\`step\` is "${step}": it must be a whole number of seconds from 60 to 86400, a multiple of 60.`,
    });
  });

  it("answers other methods with 405 and the allowed methods", async () => {
    const response = await server.app.inject({ method: "GET", url: "/admin/keys/key_1", headers: admin });
    expect([response.statusCode, response.headers.allow]).toEqual([405, "DELETE, PATCH"]);
  });
});

describe("POST /admin/reload", () => {
  const reload = (app: TestServer["app"]) =>
    app.inject({ method: "POST", url: "/admin/reload", headers: { "x-api-key": ADMIN_KEY } });

  it("answers with the version that is now in use", async () => {
    const { app } = startTestServer();
    const response = await reload(app);
    expect(response.json()).toEqual({
      object: "router.profiles",
      version: "fake-2",
      count: 3,
      settings_changed: [],
      notes: ["a graph was rebuilt"],
      request_id: response.headers["x-request-id"],
    });
    await app.close();
  });

  it("accepts a request with a content type but no body", async () => {
    const { app } = startTestServer();
    const headers = { "x-api-key": ADMIN_KEY, "content-type": "application/json" };
    const response = await app.inject({ method: "POST", url: "/admin/reload", headers });
    expect(response.statusCode).toBe(200);
    await app.close();
  });

  it("reports what is wrong with invalid profiles", async () => {
    const reason = "profiles/x/manifest.json has format 9. The profiles in use stay.";
    const { app } = startTestServer({
      reload: () => Promise.reject(new SextantError("profiles_rejected", reason)),
    });
    const response = await reload(app);
    expect(response.statusCode).toBe(409);
    expect(response.json().error).toMatchObject({ code: "profiles_rejected", message: reason });
    await app.close();
  });
});

describe("The admin routes", () => {
  it("require the scope `admin`", async () => {
    const { app } = startTestServer();
    for (const [method, url] of [
      ["GET", "/admin/keys"],
      ["POST", "/admin/keys"],
      ["DELETE", "/admin/keys/key_1"],
      ["PATCH", "/admin/keys/key_1"],
      ["POST", "/admin/keys/key_1/rotate"],
      ["GET", "/admin/refusals"],
      ["POST", "/admin/reload"],
    ] as const) {
      expect((await app.inject({ method, url })).statusCode).toBe(401);
      const response = await app.inject({ method, url, headers: { "x-api-key": KEY } });
      expect([response.statusCode, response.json().error.code]).toEqual([403, "insufficient_scope"]);
    }
    await app.close();
  });

  it("work while the server is at its limit of concurrent requests", async () => {
    const { app } = startTestServer({ limits: serverLimits({ maxRequestsInFlight: 0 }) });
    expect((await app.inject({ url: "/v1/models", headers: { "x-api-key": ADMIN_KEY } })).statusCode).toBe(
      503,
    );
    expect((await app.inject({ url: "/admin/keys", headers: { "x-api-key": ADMIN_KEY } })).statusCode).toBe(
      200,
    );
    await app.close();
  });
});
