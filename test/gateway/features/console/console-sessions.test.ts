import { beforeEach, describe, expect, it, vi } from "vitest";
import { KeyRing, type NewKey } from "../../../../src/gateway/access/keys/key-ring.js";
import { UNLIMITED } from "../../../../src/gateway/access/principal.js";
import {
  ConsoleSessions,
  type ConsoleSessionsOptions,
} from "../../../../src/gateway/features/console/console-sessions.js";
import { SqliteStore } from "../../../../src/gateway/storage/sqlite-store.js";
import { seededBytes } from "../../../fakes/random.js";
import { MemoryStore } from "../../../fakes/store.js";
import { folderForTest } from "../../../support/folders.js";

const MINUTE = 60_000;
const IDLE_MS = 60 * MINUTE;
const LONGEST_MS = 12 * 60 * MINUTE;
const BOOTSTRAP = "pk_live_bootstrap6789abcdefghijklmnopqrstuvwxyz";

let folder = "";
let nowMs = 0;
let ids = 0;
let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore(() => nowMs);
  folder = folderForTest();
  nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  ids = 0;
});

const openKeys = (bootstrapApiKey?: string) =>
  KeyRing.open(new SqliteStore(folder), {
    bootstrapApiKey,
    defaultLimits: UNLIMITED,
    now: () => nowMs,
    randomBytes: seededBytes(ids + 7),
    newId: () => `id${ids++}`,
  });

/** Another process of the same data folder has its own of everything but the files. */
async function aProcess(changes: Partial<ConsoleSessionsOptions> & { bootstrap?: string } = {}) {
  const { bootstrap, ...options } = changes;
  const keys = await openKeys(bootstrap);
  const randomBytes = seededBytes(ids++);
  const common = { now: () => nowMs, randomBytes, idleMs: IDLE_MS, longestMs: LONGEST_MS };
  return { keys, sessions: new ConsoleSessions({ store, keys, ...common, ...options }) };
}

const admin: NewKey = { name: "operator", scopes: ["admin"] };
const code = (expected: string) => expect.objectContaining({ code: expected });
const INVALID = code("invalid_session");

/** A process in which an admin's session has begun. */
async function signedIn(given: Partial<NewKey> = {}) {
  const { keys, sessions } = await aProcess();
  const { key, metadata } = await keys.create({ ...admin, ...given });
  return { keys, sessions, key, id: metadata.id, session: await sessions.begin(key) };
}

describe("A console session", () => {
  it("starts with an admin key and acts with the rights of that key", async () => {
    const { sessions, key, id, session } = await signedIn({ source: "ops" });
    const principal = { id, source: "ops", scopes: ["admin"] };
    expect(await sessions.authenticate(session)).toMatchObject(principal);
    expect(session.endsAtMs).toBe(nowMs + IDLE_MS);
    expect(session.token).not.toContain(key.slice(12));
  });

  it("is refused for a key without the scope admin and for an unknown key", async () => {
    const { keys, sessions } = await aProcess();
    const { key } = await keys.create({ name: "app", scopes: ["inference", "traces:read:all"] });
    await expect(sessions.begin(key)).rejects.toEqual(code("insufficient_scope"));
    await expect(sessions.begin(`${key}x`)).rejects.toEqual(code("invalid_api_key"));
  });

  it("needs the proof beside the session token, also to end", async () => {
    const { sessions, key, session: one } = await signedIn();
    const other = await sessions.begin(key);
    await expect(sessions.end({ token: one.token, proof: "" })).rejects.toEqual(INVALID);
    expect((await sessions.authenticate(one)).scopes).toEqual(["admin"]);
    for (const proof of ["", "x", other.proof, `${one.proof}=`, one.token]) {
      await expect(sessions.authenticate({ token: one.token, proof })).rejects.toEqual(INVALID);
    }
  });

  it("is refused when any character of its token differs", async () => {
    const { sessions, session } = await signedIn();
    const { token, proof } = session;
    for (let at = 0; at < token.length; at++) {
      const forged = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      await expect(sessions.authenticate({ token: forged, proof }), forged).rejects.toEqual(INVALID);
    }
    for (const forged of ["", ".", "..", `${token}.${token}`, "x".repeat(5000)]) {
      await expect(sessions.authenticate({ token: forged, proof })).rejects.toEqual(INVALID);
    }
  });

  it("ends after the idle time without activity, and always after the longest lifetime", async () => {
    const { sessions, key, session: begun } = await signedIn();
    nowMs += IDLE_MS - 1;
    const idle = await sessions.begin(key);
    let last = await sessions.resume(begun.token);
    expect(last).toMatchObject({ token: begun.token, proof: begun.proof });
    const lastMs = begun.endsAtMs - IDLE_MS + LONGEST_MS - 1;
    while (nowMs < lastMs) {
      nowMs = Math.min(last.endsAtMs - 1, lastMs);
      last = await sessions.resume(last.token);
    }
    expect((await sessions.authenticate(last)).scopes).toEqual(["admin"]);
    await expect(sessions.authenticate(idle)).rejects.toEqual(INVALID);
    nowMs += 1;
    await expect(sessions.authenticate(last)).rejects.toEqual(INVALID);
    await expect(sessions.resume(last.token)).rejects.toEqual(INVALID);
  });

  it("ends when its key is rotated, and cannot be begun with the secret before", async () => {
    const { keys, sessions, key: old, id, session } = await signedIn();
    const { key } = await keys.rotate(id, { graceMs: MINUTE });
    await expect(sessions.authenticate(session)).rejects.toEqual(INVALID);
    await expect(sessions.begin(old)).rejects.toEqual(code("key_revoked"));
    expect(await sessions.authenticate(await sessions.begin(key))).toMatchObject({ id });
  });

  it("ends when its key is revoked or expires", async () => {
    const { keys, sessions } = await aProcess();
    const revoked = await keys.create(admin);
    const expiring = await keys.create({ ...admin, expiresAtMs: nowMs + MINUTE });
    const [first, second] = [await sessions.begin(revoked.key), await sessions.begin(expiring.key)];
    await keys.revoke(revoked.metadata.id);
    await expect(sessions.authenticate(first)).rejects.toEqual(code("key_revoked"));
    expect((await sessions.authenticate(second)).id).toBe(expiring.metadata.id);
    nowMs += MINUTE;
    await expect(sessions.authenticate(second)).rejects.toEqual(code("key_expired"));
  });

  it("is known to every process that shares the data folder, and signing out ends it in all of them", async () => {
    const one = await aProcess();
    const { key } = await one.keys.create(admin);
    const other = await aProcess();
    const [session, second] = [await one.sessions.begin(key), await other.sessions.begin(key)];
    expect((await other.sessions.authenticate(session)).scopes).toEqual(["admin"]);
    expect((await one.sessions.authenticate(second)).scopes).toEqual(["admin"]);
    await other.sessions.end(session);
    for (const { sessions } of [one, other, await aProcess()]) {
      await expect(sessions.authenticate(session)).rejects.toEqual(INVALID);
      expect((await sessions.authenticate(second)).scopes).toEqual(["admin"]);
    }
  });

  it("started with the bootstrap key ends when the bootstrap key changes", async () => {
    const { sessions } = await aProcess({ bootstrap: BOOTSTRAP });
    const session = await sessions.begin(BOOTSTRAP);
    const same = await aProcess({ bootstrap: BOOTSTRAP });
    expect((await same.sessions.authenticate(session)).id).toBe("key_bootstrap");
    const changed = await aProcess({ bootstrap: `${BOOTSTRAP}9` });
    await expect(changed.sessions.authenticate(session)).rejects.toEqual(INVALID);
  });
});

it("What is stored of a session reveals neither its token nor its proof nor the key", async () => {
  const put = vi.spyOn(store, "put");
  const { session, key } = await signedIn();
  const stored = JSON.stringify(put.mock.calls);
  for (const secret of [key.slice(12), session.proof, session.token]) expect(stored).not.toContain(secret);
});
