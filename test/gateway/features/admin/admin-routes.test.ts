/** `/admin/*`: each field, over the real key ring on a real file. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { createAuthenticator } from "../../../../src/gateway/access/authenticator.js";
import { KeyRing } from "../../../../src/gateway/access/keys/key-ring.js";
import { budgetSchema } from "../../../../src/gateway/access/limits/budget.js";
import { CountingLimiter } from "../../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../../src/gateway/access/limits/period-spend.js";
import { UNLIMITED } from "../../../../src/gateway/access/principal.js";
import { refusalListSchema } from "../../../../src/gateway/features/keys/refusals-schema.js";
import { createdKeySchema, keyListSchema, keySchema } from "../../../../src/gateway/features/keys/schema.js";
import { SqliteStore } from "../../../../src/gateway/storage/sqlite-store.js";
import { attempt, principal } from "../../../contracts/limiter.contract.js";
import { seededBytes } from "../../../fakes/random.js";
import { MemoryStore } from "../../../fakes/store.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { folderForTest } from "../../../support/folders.js";
import { serverLimits } from "../../../support/server-limits.js";
import { ADMIN_KEY, errorOf, expectFieldError, get, NOW_MS, post, startTestServer } from "../../server.js";
import { failedTrace, traceWith } from "../../traces/trace-for-test.js";

const BOOTSTRAP = `pk_live_${"b".repeat(40)}`;
const admin = { "x-api-key": BOOTSTRAP };
const NOW = new Date(NOW_MS).toISOString();

let folder: string;
let app: FastifyInstance;
let keys: KeyRing;
let limiter: CountingLimiter;
let traces: MemoryTraceStore;

beforeEach(async () => {
  folder = folderForTest();
  const now = () => NOW_MS;
  let ids = 0;
  keys = await KeyRing.open(new SqliteStore(folder), {
    bootstrapApiKey: BOOTSTRAP,
    defaultLimits: UNLIMITED,
    now,
    randomBytes: seededBytes(7),
    newId: () => `${++ids}`,
  });
  limiter = new CountingLimiter(new MemoryCounters({ now, spend: new PeriodSpend() }), {
    now,
    refusals: new MemoryStore(),
  });
  traces = new MemoryTraceStore();
  ({ app } = startTestServer({ keys, limiter, traces, authenticator: createAuthenticator({ keys }) }));
});

const create = (payload: unknown) => post(app, "/admin/keys", { payload, headers: admin });
/** A new key with the scope `inference`. */
const made = async (name: string, more: object = {}): Promise<{ id: string; key: string }> =>
  (await create({ name, scopes: ["inference"], ...more })).json();
const list = async (query = "") => {
  const body = (await get(app, `/admin/keys${query}`, admin)).json();
  expect(keyListSchema.parse(body)).toEqual(body);
  return body.data;
};
const listed = async (id: string, query = "") =>
  (await list(query)).find((key: { readonly id: string }) => key.id === id);
const patch = (id: string, payload: object) =>
  app.inject({ method: "PATCH", url: `/admin/keys/${id}`, headers: admin, payload });
const rotate = (id: string, payload: object) =>
  post(app, `/admin/keys/${id}/rotate`, { payload, headers: admin });
/** What a request with that key is answered. */
const use = async (key: string) => {
  const response = await get(app, "/v1/models", { "x-api-key": key });
  return response.statusCode === 200 ? 200 : response.json().error.code;
};
const unused = { requests_per_minute: null, tokens_per_minute: null, usd_per_month: null };
const noLimits = { ...unused, max_usd_per_request: null, allowed_models: null, min_cost_weight: null };

describe("/admin/keys", () => {
  it("POST creates a working key, returns it once and stores it nowhere", async () => {
    const response = await create({ name: "app", scopes: ["inference"] });
    expect(response.statusCode).toBe(201);
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
      created_at: NOW,
      cost_weight: null,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      previous: null,
      request_id: response.headers["x-request-id"],
    });
    expect(await use(key)).toBe(200);
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), "latin1")).not.toContain(key.slice(12));
    const { request_id: _, ...stored } = created;
    expect(await list()).toEqual([{ ...stored, use: unused }]);
    expect(JSON.stringify(await list())).not.toMatch(/digest|pk_live_[0-9A-Za-z]{20}/);
  });

  it("POST accepts `source`, `limits`, `cost_weight` and `expires_at`", async () => {
    const caps = { max_usd_per_request: 0.05, allowed_models: ["gpt-*"], min_cost_weight: 0.2 };
    const limits = { requests_per_minute: 60, usd_per_month: 12.5, ...caps };
    const given = { source: "nightly", scopes: ["inference", "traces:read"], cost_weight: 0.3 };
    const expires_at = "2030-01-31T00:00:00+01:00";
    expect((await create({ name: "batch", ...given, limits, expires_at })).json()).toMatchObject({
      ...given,
      limits: { ...noLimits, ...limits },
      expires_at: "2030-01-30T23:00:00.000Z",
    });
  });

  it.each<[param: string, change: object, fault: string]>([
    ["name", { name: undefined }, "is missing: it must be a string of 1 to 128 characters."],
    ["scopes", { scopes: undefined }, "is missing: it must be a list of scopes."],
    ["scopes", { scopes: ["admin", "admin"] }, "is a list of 2: it must name each scope once."],
    ["scopes", { scopes: Array(20).fill("admin") }, "is a list of 20: it must name at most 4 scopes."],
    ["scopes[0]", { scopes: ["root"] }, "it must be one of inference, traces:read, traces:read:all, admin."],
    ["source", { source: "a,b" }, "without commas and without spaces at either end."],
    ["limits.requests_per_minute", { limits: { requests_per_minute: 0 } }, "of at least 1, or null."],
    ["limits.usd_per_month", { limits: { usd_per_month: -1 } }, "it must be a number above 0, or null."],
    [
      "limits.allowed_models",
      { limits: { allowed_models: [] } },
      "such as `gpt-5.5` or `claude-*`, or null.",
    ],
    [
      "limits.min_cost_weight",
      { limits: { min_cost_weight: 2 } },
      "is 2: it must be a number from 0 to 1, or null.",
    ],
    ["limits.rpm", { limits: { rpm: 1 } }, "`max_usd_per_request`, `allowed_models`, `min_cost_weight`."],
    ["expires_at", { expires_at: "tomorrow" }, "a date and time with zone, such as 2030-01-31T00:00:00Z."],
    ["expire_at", { expire_at: "x" }, "is not known here. Did you mean `expires_at`?"],
  ])("POST refuses %s in %j", async (param, change, fault) => {
    const error = await errorOf(create({ name: "x", scopes: ["inference"], ...change }));
    expectFieldError(error, { param, fault });
    expect(await list()).toEqual([]);
  });

  it("DELETE revokes a key: it stops working at once, its metadata remains", async () => {
    const { key, id } = await made("short-lived");
    const response = await app.inject({ method: "DELETE", url: `/admin/keys/${id}`, headers: admin });
    expect(response.statusCode).toBe(200);
    expect(keySchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toMatchObject({ id, revoked_at: NOW });
    expect(await use(key)).toBe("key_revoked");
    const unknown = app.inject({ method: "DELETE", url: "/admin/keys/nope", headers: admin });
    expect((await errorOf(unknown, 404)).code).toBe("not_found");
  });

  it("PATCH changes name, limits and expiry, and leaves what it does not name", async () => {
    const { id } = await made("growing", { limits: { requests_per_minute: 60, usd_per_month: 12.5 } });
    const response = await patch(id, { limits: { usd_per_month: 5, requests_per_minute: null } });
    expect(response.statusCode).toBe(200);
    expect(keySchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toMatchObject({ name: "growing", limits: { ...noLimits, usd_per_month: 5 } });
    const expiring = await patch(id, { name: "grown", expires_at: "2030-01-31T00:00:00Z" });
    expect(expiring.json()).toMatchObject({ name: "grown", expires_at: "2030-01-31T00:00:00.000Z" });
    expect((await patch(id, { cost_weight: 0 })).json()).toMatchObject({ cost_weight: 0 });
    expect((await patch(id, { cost_weight: null })).json()).toMatchObject({ cost_weight: null });
    expect((await patch(id, { expires_at: null })).json()).toMatchObject({ name: "grown", expires_at: null });
  });

  it.each([
    ["scopes", { scopes: ["admin"] }, "`limits`, `cost_weight`, `expires_at`, `previous`."],
    ["limits.usd_per_month", { limits: { usd_per_month: 0 } }, "is 0: it must be a number above 0, or null."],
    ["expires_at", { expires_at: "2020-01-01T00:00:00Z" }, 'is "2020-01-01T00:00:00Z", which has passed.'],
  ])("PATCH refuses %s in %j", async (param, body, fault) => {
    expectFieldError(await errorOf(patch((await made("app")).id, body)), { param, fault });
  });

  it("rotation answers with a new key of the same id, once; the old one works for the grace", async () => {
    const { key: old, id } = await made("leaked");
    const response = await rotate(id, { grace_seconds: 3600 });
    expect(response.statusCode).toBe(200);
    const { key, previous } = createdKeySchema.parse(response.json());
    const expires_at = new Date(NOW_MS + 3_600_000).toISOString();
    expect(previous).toEqual({ prefix: old.slice(0, 12), expires_at, refused: null });
    expect([await use(old), await use(key)]).toEqual([200, 200]);
    expect((await rotate("key_nope", { grace_seconds: 0 })).statusCode).toBe(404);
  });

  it("requests with a replaced secret are counted, with where the last came from, and shown to operators", async () => {
    const { key: old, id } = await made("leaked");
    await rotate(id, { grace_seconds: 0 });
    const come = (headers: Record<string, string>) =>
      app.inject({ url: "/v1/models", headers, remoteAddress: "198.51.100.7" });
    await come({ "x-api-key": old, "x-source": "nightly" });
    await come({ authorization: `Bearer ${old}`, "x-source": "a, b" });
    await keys.saveUse();
    const times = { requests: 2, first_at: NOW, last_at: NOW };
    const refused = { ...times, last_address: "198.51.100.7", last_source: null };
    expect((await listed(id)).previous.refused).toEqual(refused);
    const attention = await get(app, "/admin/attention", admin);
    expect(attention.json().replaced_secrets).toEqual([{ id, name: "leaked", ...refused }]);
    expect(attention.body).not.toContain(old);
  });

  it("a change ends the secret before the rotation at once, and never makes it work for longer", async () => {
    const { key: old, id } = await made("leaked");
    await rotate(id, { grace_seconds: 3600 });
    const change = async () => (await patch(id, { previous: null })).json().previous.expires_at;
    expect(await change()).toBe(NOW);
    expect(await use(old)).toBe("key_revoked");
    expect(await change()).toBe(NOW);
    expect((await patch(id, { previous: {} })).json().error).toMatchObject({ param: "previous" });
  });

  it.each([
    [{}, "is missing"],
    [{ grace_seconds: -1 }, "is -1"],
  ])("rotation refuses %j", async (body, fault) => {
    expect(await errorOf(rotate((await made("app")).id, body))).toMatchObject({
      message: `\`grace_seconds\` ${fault}: it must be a whole number of seconds from 0 to 2592000.`,
      param: "grace_seconds",
    });
  });

  it("GET shows the use of each limit, and GET /admin/refusals what the limits refused", async () => {
    const { id } = await made("busy", { limits: { requests_per_minute: 2, usd_per_month: 10 } });
    const busy = principal(id, { requestsPerMinute: 2, usdPerMonth: 10 });
    for (let request = 0; request < 5; request++) await attempt(limiter, busy, { tokens: 1, costUsd: 2.5 });
    expect((await listed(id)).use).toEqual({
      requests_per_minute: { used: 2, limit: 2 },
      tokens_per_minute: null,
      usd_per_month: { used: 5, limit: 10 },
    });
    const refusals = async (query: string) => (await get(app, `/admin/refusals${query}`, admin)).json();
    const body = await refusals("");
    expect(refusalListSchema.parse(body)).toEqual(body);
    const start = new Date(NOW_MS - (NOW_MS % 3_600_000)).toISOString();
    const refused = { start, key: id, name: "busy", limit: "requests", budget: null, requests: 3 };
    expect(body).toMatchObject({ step: 3600, data: [refused] });
    expect((await refusals(`?key=${id}&step=86400`)).data).toHaveLength(1);
    expect((await refusals("?key=key_9")).data).toEqual([]);
  });

  it("GET counts the refusals of tokens and of anonymous requests, too", async () => {
    for (const id of ["jwt:ada", "anonymous"])
      for (const costUsd of [0, 0])
        await attempt(limiter, principal(id, { requestsPerMinute: 1 }), { tokens: 1, costUsd });
    const { data } = (await get(app, "/admin/refusals", admin)).json();
    expect(data).toMatchObject(["jwt:ada", "anonymous"].map((key) => ({ key, name: null, requests: 1 })));
    const { refusals } = (await get(app, "/admin/attention", admin)).json();
    expect(refusals).toEqual([{ limit: "requests", budget: null, requests: 2 }]);
  });

  it("GET shows everywhere what a budget refuses that is used up for such requests, although not all of it is", async () => {
    const { id } = await made("agents");
    const budget = { name: "customers", by: "metadata.customer", usd: 0.2 };
    limiter.useBudgets([budgetSchema.parse(budget)]);
    const shown = async (path: string) => (await get(app, path, admin)).json();
    const ask = (costUsd: number, requestId: string) =>
      attempt(limiter, principal(id, {}), { tokens: 1, costUsd }, { requestId });
    await ask(0.1, "req_0");
    // What exceeds the whole budget says nothing of what is left.
    await ask(0.3, "req_1");
    expect((await shown("/admin/budgets")).data).toMatchObject([{ value: "", state: "ok" }]);
    for (let request = 2; request < 5; request++) await ask(0.11, `req_${request}`);
    expect((await shown("/admin/budgets")).data).toMatchObject([{ state: "reached", usd: { used: 0.1 } }]);
    const refusal = { key: id, name: "agents", limit: "budget", budget: "customers", requests: 4 };
    expect((await shown("/admin/refusals")).data).toMatchObject([refusal]);
    const { error } = await shown("/admin/traces/req_3");
    expect(error).toMatchObject({
      code: "trace_not_found",
      message: expect.stringContaining('of the budget "customers" (metadata.customer not named) are used'),
    });
    limiter.useBudgets([budgetSchema.parse({ ...budget, usd: 1 })]);
    expect((await shown("/admin/budgets")).data).toMatchObject([{ state: "ok" }]);
  });

  it("GET with `errors_since` shows the last failed request of each key since then", async () => {
    const [failing, healthy] = [await made("failing"), await made("healthy")];
    const createdAtMs = NOW_MS - 60_000;
    const error = { code: "upstream_timeout", message: "took too long" } as const;
    const last = failedTrace({ principal: failing.id, createdAtMs, status: "timeout", error });
    await traces.append([
      failedTrace({ principal: failing.id, createdAtMs: createdAtMs - 1 }),
      last,
      traceWith({ principal: healthy.id, createdAtMs }),
    ]);
    const at = (ms: number) => new Date(ms).toISOString();
    const lastErrors = async (since: string) => {
      const keys = await list(`?errors_since=${encodeURIComponent(since)}`);
      return keys.map((key: { readonly last_error: unknown }) => key.last_error);
    };
    const shown = { code: "upstream_timeout", request_id: last.requestId, created_at: at(createdAtMs) };
    expect(await lastErrors(at(createdAtMs))).toEqual([shown, null]);
    expect(await lastErrors("2025-01-01T00:00:00+01:00")).toEqual([shown, null]);
    expect(await lastErrors(at(createdAtMs + 1))).toEqual([null, null]);
    expect(await listed(failing.id)).not.toHaveProperty("last_error");
  });

  const STEP = "it must be a whole number of seconds from 60 to 86400, a multiple of 60.";
  it.each([
    [
      "/admin/keys?errors_since=yesterday",
      '`errors_since` is "yesterday": it must be a date and time with zone, such as 2030-01-31T00:00:00Z.',
    ],
    ["/admin/keys?error_since=x", "`error_since` is not known here. Did you mean `errors_since`?"],
    ["/admin/refusals?step=30", `\`step\` is "30": ${STEP}`],
    ["/admin/refusals?step=hour", `\`step\` is "hour": ${STEP}`],
    ["/admin/refusals?step=90000", `\`step\` is "90000": ${STEP}`],
  ])("GET refuses %s", async (url, message) => {
    expect((await errorOf(get(app, url, admin))).message).toBe(message);
  });
});

describe("POST /admin/reload", () => {
  const reload = (server = startTestServer().app, headers: Record<string, string> = {}) =>
    server.inject({ method: "POST", url: "/admin/reload", headers: { "x-api-key": ADMIN_KEY, ...headers } });

  it("answers with the version that is now in use", async () => {
    const response = await reload();
    expect(response.json()).toEqual({
      object: "router.profiles",
      version: "fake-2",
      count: 3,
      settings_changed: [],
      notes: ["a graph was rebuilt"],
      request_id: response.headers["x-request-id"],
    });
  });

  it("accepts a request with a content type but no body", async () => {
    expect((await reload(undefined, { "content-type": "application/json" })).statusCode).toBe(200);
  });

  it("reports what is wrong with invalid profiles", async () => {
    const message = "profiles/x/manifest.json has format 9. The profiles in use stay.";
    const refuse = () => Promise.reject(new SextantError("profiles_rejected", message));
    const error = await errorOf(reload(startTestServer({ reload: refuse }).app), 409);
    expect(error).toMatchObject({ code: "profiles_rejected", message });
  });
});

describe("The admin routes", () => {
  it("work while the server is at its limit of concurrent requests", async () => {
    const { app: full } = startTestServer({ limits: serverLimits({ maxRequestsInFlight: 0 }) });
    const status = async (url: string) => (await get(full, url, { "x-api-key": ADMIN_KEY })).statusCode;
    expect([await status("/v1/models"), await status("/admin/keys")]).toEqual([503, 200]);
  });
});
