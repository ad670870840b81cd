import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { ReplacedSecretError } from "../../../../src/gateway/access/keys/key-records.js";
import { KeyRing, type KeyRingOptions } from "../../../../src/gateway/access/keys/key-ring.js";
import { requireScope, type Scope, UNLIMITED } from "../../../../src/gateway/access/principal.js";
import { SqliteStore } from "../../../../src/gateway/storage/sqlite-store.js";
import { seededBytes } from "../../../fakes/random.js";
import { rejectionOf } from "../../../support/errors.js";
import { folderForTest } from "../../../support/folders.js";

let folder = "";
let nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
beforeEach(() => {
  folder = folderForTest();
  nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
});

const opened: SqliteStore[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** As a process of its own has it. */
function store(): SqliteStore {
  const one = new SqliteStore(folder);
  opened.push(one);
  return one;
}

/** All that is on disk. */
const stored = (): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join();

let seed = 1;
const open = (changes: Partial<KeyRingOptions> = {}) =>
  KeyRing.open(store(), {
    defaultLimits: UNLIMITED,
    now: () => nowMs,
    randomBytes: seededBytes(seed++),
    newId: randomUUID,
    ...changes,
  });

const newKey = { name: "app", scopes: ["inference"] } as const;
const code = (expected: string) => expect.objectContaining({ code: expected });
/** Immediate and delayed refusals alike, as a promise. */
const authenticate = async (ring: KeyRing, key: string) => ring.authenticate(key);

describe("A created API key", () => {
  it("authenticates with its source, scopes and limits", async () => {
    const ring = await open();
    const limits = { requests_per_minute: 60, tokens_per_minute: 10_000, usd_per_month: 12.5 };
    const caps = { max_usd_per_request: 0.05, allowed_models: ["gpt-*"], min_cost_weight: 0 };
    const own = { source: "billing", team: "platform", costWeight: 0.3 };
    const { key, metadata } = await ring.create({ ...newKey, limits: { ...limits, ...caps }, ...own });
    expect(metadata.limits).toEqual({ ...limits, ...caps });
    const counted = { requestsPerMinute: 60, tokensPerMinute: 10_000, usdPerMonth: 12.5 };
    const given = { id: metadata.id, kind: "api_key", scopes: ["inference"], limits: counted, caps };
    const principal = { ...given, ...own };
    for (const one of [ring, await open()]) expect(await authenticate(one, key)).toEqual(principal);
  });

  it("gets the current default limits when it has none of its own", async () => {
    const defaultLimits = { requestsPerMinute: 5, tokensPerMinute: null, usdPerMonth: 1 };
    const { key } = await (await open()).create({ ...newKey, limits: { usd_per_month: 20 } });
    const { limits, caps } = await authenticate(await open({ defaultLimits }), key);
    expect([limits, caps]).toEqual([{ ...defaultLimits, usdPerMonth: 20 }, undefined]);
  });

  it("is usable until it is revoked or expires", async () => {
    const ring = await open({
      bootstrapApiKey: `pk_live_${"b".repeat(40)}`,
      defaultLimits: { ...UNLIMITED, usdPerMonth: 3 },
    });
    const kept = await ring.create({ ...newKey, limits: { usd_per_month: 5 } });
    const revoked = await ring.create({ ...newKey, name: "revoked" });
    await ring.create({ ...newKey, name: "brief", expiresAtMs: nowMs + 1000 });
    await ring.revoke(revoked.metadata.id);
    const names = () => ring.usable().map(({ name, limits }) => `${name} ${limits.usdPerMonth}`);
    expect(names()).toEqual(["app 5", "brief 3", "bootstrap 3"]);
    nowMs += 1000;
    expect(names()).toEqual(["app 5", "bootstrap 3"]);
    expect(ring.usable()[0]?.id).toBe(kept.metadata.id);
  });

  it("is stored as a digest only, in files that only the owner can read", async () => {
    const ring = await open();
    const { key, metadata } = await ring.create(newKey);
    expect(stored()).not.toContain(key.slice(12));
    expect(stored()).toMatch(/"digest":"[0-9a-f]{64}"/);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    expect(ring.list()).toEqual([metadata]);
    expect(metadata).toMatchObject({
      ...newKey,
      prefix: key.slice(0, 12),
      created_at: "2026-01-02T03:04:05.678Z",
      revoked_at: null,
      last_used_at: null,
    });
  });

  it("stops working at its expiry, to the millisecond", async () => {
    const ring = await open();
    const { key } = await ring.create({ ...newKey, expiresAtMs: nowMs + 1000 });
    nowMs += 999;
    await authenticate(ring, key);
    nowMs += 1;
    await expect(authenticate(ring, key)).rejects.toEqual(code("key_expired"));
  });

  it("stops working when it is revoked by id or by prefix, and stays revoked", async () => {
    const ring = await open();
    const { key, metadata } = await ring.create(newKey);
    const other = await ring.create(newKey);
    const revoked = await ring.revoke(metadata.id);
    expect(revoked.revoked_at).toBe("2026-01-02T03:04:05.678Z");
    await expect(authenticate(ring, key)).rejects.toEqual(code("key_revoked"));
    nowMs += 5000;
    expect((await ring.revoke(metadata.prefix)).revoked_at).toBe("2026-01-02T03:04:05.678Z");
    await authenticate(ring, other.key);
    await expect(ring.revoke("key_nope")).rejects.toEqual(code("not_found"));
  });
});

describe("A rejected API key", () => {
  it("gets the same error whether or not it resembles an existing key", async () => {
    const ring = await open();
    const { key } = await ring.create(newKey);
    const near = [`${key}x`, key.slice(0, -1), `${key.slice(0, 20)}${"0".repeat(28)}`];
    for (const wrong of [...near, "pk_live_", "x", "{}", "é"])
      await expect(authenticate(ring, wrong)).rejects.toMatchObject({
        code: "invalid_api_key",
        message:
          "The API key is not known. Check that it was copied whole, or create one with `sextant keys create`.",
      });
  });

  it("is reported as expired or revoked only to a caller that presents the whole key", async () => {
    const ring = await open();
    const { key, metadata } = await ring.create(newKey);
    await ring.revoke(metadata.id);
    for (let length = 0; length < key.length; length++) {
      const guess = key.slice(0, length).padEnd(key.length, "A");
      if (guess !== key) await expect(authenticate(ring, guess)).rejects.toEqual(code("invalid_api_key"));
    }
  });
});

describe("Several processes that share a data folder", () => {
  it("see a new key at once and a revocation at the next refresh", async () => {
    const server = await open();
    const tool = await open();
    const { key, metadata } = await tool.create(newKey);
    expect(await authenticate(server, key)).toMatchObject({ id: metadata.id });
    await tool.revoke(metadata.id);
    expect(await server.refresh()).toBe(true);
    await expect(authenticate(server, key)).rejects.toEqual(code("key_revoked"));
    expect(await server.refresh()).toBe(false);
  });

  it("create a single first key, and lose none when all of them create keys at once", async () => {
    const rings = await Promise.all(Array.from({ length: 4 }, () => open()));
    const made = await Promise.all(rings.map((ring) => ring.createFirst(newKey)));
    const [first, ...more] = made.flatMap((key) => key ?? []);
    expect(more).toEqual([]);
    const created = await Promise.all(rings.map((ring) => ring.create(newKey)));
    const fresh = await open();
    expect(fresh.list()).toHaveLength(5);
    for (const one of [first, ...created]) await authenticate(fresh, one?.key ?? "");
  });

  it("keep the keys they know while one is unreadable, and refuse to start with it", async () => {
    const ring = await open();
    const { key } = await ring.create(newKey);
    await store().put({ kind: "key", key: "key_1" }, '{"id":"key_1"}');
    await authenticate(ring, key);
    await expect(authenticate(ring, "pk_live_unknown")).rejects.toEqual(code("invalid_api_key"));
    await expect(open()).rejects.toThrow(
      /state\.db has a key that cannot be read\. Restore it from a backup/,
    );
  });

  it("take what else changed when one of the changes is unreadable", async () => {
    const [ring, other] = [await open(), await open()];
    const { key, metadata } = await ring.create(newKey);
    await ring.refresh();
    await other.refresh();
    await other.revoke(metadata.id);
    await store().put({ kind: "key", key: "key_1" }, '{"id":"key_1"}');
    await expect(ring.refresh()).rejects.toThrow("has a key that cannot be read");
    await expect(authenticate(ring, key)).rejects.toEqual(code("key_revoked"));
  });
});

it("The bootstrap key has the scope admin from the start, is neither stored nor listed, and makes a first key unnecessary", async () => {
  const bootstrapApiKey = `pk_live_${"b".repeat(32)}`;
  const ring = await open({ bootstrapApiKey });
  const principal = { id: "key_bootstrap", scopes: ["admin"] };
  expect(await authenticate(ring, bootstrapApiKey)).toMatchObject(principal);
  expect(await ring.createFirst(newKey)).toBeUndefined();
  expect(ring.list()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  await ring.create(newKey);
  await authenticate(ring, bootstrapApiKey);
});

describe("last_used_at", () => {
  it("is written only by saveUse, rounded to the minute, and never undoes a revocation made by another process", async () => {
    const ring = await open();
    const { key, metadata } = await ring.create(newKey);
    const stamp = async () => (await store().entries("key")).at(-1)?.sequence;
    const created = await stamp();
    await authenticate(ring, key);
    expect(await stamp()).toBe(created);
    await ring.saveUse();
    expect((await open()).list()[0]?.last_used_at).toBe("2026-01-02T03:04:00.000Z");
    const saved = await stamp();
    await ring.saveUse();
    expect(await stamp()).toBe(saved);
    nowMs += 60_000;
    await authenticate(ring, key);
    await (await open()).revoke(metadata.id);
    await ring.saveUse();
    await expect(authenticate(ring, key)).rejects.toEqual(code("key_revoked"));
  });
});

describe("requireScope", () => {
  const principal = { id: "k", kind: "api_key", source: null, limits: UNLIMITED } as const;
  it("accepts the scope itself and admin, and otherwise names the missing scope, to the holder of a token as a claim", () => {
    const requiring = (scope: Scope, ...scopes: readonly Scope[]) =>
      requireScope({ ...principal, scopes }, scope);
    requiring("inference", "inference");
    requiring("traces:read:all", "admin");
    expect(() => requiring("admin", "inference")).toThrow(code("insufficient_scope"));
    expect(() => requiring("inference")).toThrow(/\(none\).*`inference`/);
    const token = { ...principal, kind: "jwt", scopes: ["inference"] } as const;
    expect(() => requireScope(token, "admin")).toThrow(/This token .* claim `scope`/);
  });
});

describe("A changed API key", () => {
  it("has its new name, limits and expiry in every process, and keeps what was left out", async () => {
    const [ring, other] = [await open(), await open()];
    const limits = { requests_per_minute: 60, tokens_per_minute: 10_000, usd_per_month: 12.5 };
    const { key, metadata } = await ring.create({ ...newKey, limits });
    const name = "app, production";
    const change = { limits: { usd_per_month: 5, tokens_per_minute: null }, costWeight: 0.4 };
    expect(await ring.update(metadata.id, { name, ...change, expiresAtMs: nowMs + 60_000 })).toMatchObject({
      name,
      limits: { requests_per_minute: 60, tokens_per_minute: null, usd_per_month: 5 },
      cost_weight: 0.4,
      expires_at: new Date(nowMs + 60_000).toISOString(),
    });
    const expected = { requestsPerMinute: 60, tokensPerMinute: null, usdPerMonth: 5 };
    expect(await authenticate(ring, key)).toMatchObject({ limits: expected, costWeight: 0.4 });
    expect(ring.limitsOf(metadata.id)).toEqual(expected);
    await other.refresh();
    expect((await authenticate(other, key)).limits).toEqual(expected);
    expect(await ring.update(metadata.id, { expiresAtMs: null })).toMatchObject({ name, expires_at: null });
    await expect(ring.update("key_nope", {})).rejects.toEqual(code("not_found"));
    await ring.revoke(metadata.id);
    await expect(ring.update(metadata.id, { name: "x" })).rejects.toEqual(code("invalid_request"));
  });
});

describe("A rotated API key", () => {
  it("works with its new secret under the same id, and with the old one until the grace is over", async () => {
    const ring = await open();
    const { key: old, metadata } = await ring.create({ ...newKey, source: "billing" });
    const { key, metadata: rotated } = await ring.rotate(metadata.id, { graceMs: 60_000 });
    expect(rotated).toEqual({
      ...metadata,
      prefix: key.slice(0, 12),
      previous: {
        prefix: old.slice(0, 12),
        expires_at: new Date(nowMs + 60_000).toISOString(),
        refused: null,
      },
    });
    expect(await authenticate(ring, key)).toEqual(await authenticate(ring, old));
    nowMs += 60_000;
    expect((await authenticate(ring, key)).id).toBe(metadata.id);
    const refusal = await rejectionOf(authenticate(await open(), old), SextantError);
    expect(refusal).toEqual(code("key_revoked"));
    expect(String(refusal)).toContain("was replaced by a new one");
    expect(stored()).not.toMatch(new RegExp(`${key}|${old}`));
  });

  it("ends the old secret at once without a grace, and an older one in any case", async () => {
    const ring = await open();
    const { key: first, metadata } = await ring.create(newKey);
    const { key: second } = await ring.rotate(metadata.id, { graceMs: 60_000 });
    await ring.rotate(metadata.id, { graceMs: 0 });
    await expect(authenticate(ring, second)).rejects.toEqual(code("key_revoked"));
    await expect(authenticate(ring, first)).rejects.toEqual(code("invalid_api_key"));
    await ring.revoke(metadata.id);
    await expect(ring.rotate(metadata.id, { graceMs: 0 })).rejects.toEqual(code("invalid_request"));
  });

  it("has the requests with its replaced secret counted over all processes, until it is rotated again", async () => {
    const [ring, other] = [await open(), await open()];
    const { key: old, metadata } = await ring.create({ ...newKey, source: "billing" });
    await ring.rotate(metadata.id, { graceMs: 0 });
    await other.refresh();
    const refusedBy = async (one: KeyRing, address: string) => {
      nowMs += 1000;
      const refusal = await rejectionOf(authenticate(one, old), ReplacedSecretError);
      one.noteRefused(refusal, { address, source: "named" });
    };
    const firstMs = nowMs + 1000;
    await refusedBy(ring, "192.0.2.1");
    await refusedBy(ring, "192.0.2.2");
    await ring.saveUse();
    await refusedBy(other, "192.0.2.3");
    await other.saveUse();
    await ring.refresh();
    const [first_at, last_at] = [firstMs, nowMs].map((ms) => new Date(ms).toISOString());
    const last = { last_address: "192.0.2.3", last_source: "billing", last_at };
    expect(ring.list()[0]?.previous?.refused).toEqual({ requests: 3, first_at, ...last });
    await refusedBy(other, "192.0.2.4");
    await ring.rotate(metadata.id, { graceMs: 0 });
    await other.saveUse();
    expect(other.list()[0]?.previous?.refused).toBeNull();
  });
});
