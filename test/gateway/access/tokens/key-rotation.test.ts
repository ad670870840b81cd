import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SextantError, StorageError } from "../../../../src/foundation/errors.js";
import { UNLIMITED } from "../../../../src/gateway/access/principal.js";
import type { JwtCheck } from "../../../../src/gateway/access/tokens/jwt.js";
import { openTokens, type TokenSettings } from "../../../../src/gateway/access/tokens/open-tokens.js";
import { FakeAccessLog } from "../../../fakes/access-log.js";
import { reply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { folderForTest } from "../../../support/folders.js";
import { claims, ecKey, hs256, keySet, NOW_MS, rsaKey, SECRET, type SigningKey } from "./forged-tokens.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let first: SigningKey;
let second: SigningKey;
beforeAll(() => {
  first = rsaKey("2026-01");
  second = ecKey("2026-02");
});

let nowMs = 0;
let log = new FakeAccessLog();
beforeEach(() => {
  nowMs = 0;
  log = new FakeAccessLog();
});

const lasting = () => claims({ exp: NOW_MS / 1000 + 1e6 });

async function open(settings: Partial<TokenSettings>): Promise<JwtCheck> {
  const check = await openTokens(settings, {
    limits: UNLIMITED,
    now: () => NOW_MS,
    monotonicNow: () => nowMs,
    fetch,
    log,
  });
  if (check === undefined) throw new Error("The settings accept no tokens.");
  return check;
}

async function outcome(jwt: JwtCheck, token: string): Promise<string> {
  try {
    return (await jwt.authenticate(token)).id;
  } catch (fault) {
    if (!(fault instanceof SextantError)) throw fault;
    return fault.code;
  }
}

const ADA = "jwt:ada";
const ofFirst = () => first.token(lasting());
const ofSecond = () => second.token(lasting());

describe("A remote key set", () => {
  let server: UpstreamServer;
  let jwt: JwtCheck;
  beforeEach(async () => {
    server = await UpstreamServer.start();
    answerKeys(first);
    return () => server.close();
  });

  const openRemote = (settings: Partial<TokenSettings> = {}) =>
    open({ jwtJwks: `${server.origin}/jwks.json`, ...settings });
  const answerKeys = (...keys: readonly SigningKey[]) => server.answer(reply({ body: keySet(...keys) }));
  const answerStatus = (status: number) => server.answer(reply({ status, body: "no" }));
  const requests = () => server.requests.length;

  it("is loaded once for any number of requests", async () => {
    answerKeys(first, second);
    jwt = await openRemote();
    const tokens = [ofFirst(), ofSecond(), first.token(lasting(), { typ: "at+jwt" })];
    const outcomes = await Promise.all([...tokens, ...tokens, ...tokens].map((token) => outcome(jwt, token)));
    expect(new Set(outcomes)).toEqual(new Set([ADA]));
    expect(requests()).toBe(1);
  });

  it("is reloaded at once for an unknown key id, so that a rotation needs no restart", async () => {
    jwt = await openRemote();
    expect(await outcome(jwt, ofFirst())).toBe(ADA);
    answerKeys(first, second);
    nowMs += 30 * SECOND;
    expect([await outcome(jwt, ofSecond()), await outcome(jwt, ofFirst()), requests()]).toEqual([
      ADA,
      ADA,
      2,
    ]);
  });

  it("is requested at most every 30 seconds, however many unknown key ids arrive", async () => {
    jwt = await openRemote();
    const guesses = Array.from({ length: 50 }, (_, at) => first.token(lasting(), { kid: `guess-${at}` }));
    for (const [seconds, expected] of [
      [0, 1],
      [29, 1],
      [1, 2],
    ] as const) {
      nowMs += seconds * SECOND;
      const outcomes = await Promise.all(guesses.map((token) => outcome(jwt, token)));
      expect([new Set(outcomes), requests()]).toEqual([new Set(["invalid_token"]), expected]);
    }
  });

  it("is refreshed in the background after ten minutes, without delaying a request", async () => {
    jwt = await openRemote();
    const token = ofFirst();
    expect(await outcome(jwt, token)).toBe(ADA);
    nowMs += 10 * MINUTE;
    answerKeys(second);
    expect(jwt.authenticate(token)).toMatchObject({ id: ADA });
    await jwt.prepare();
    expect(requests()).toBe(2);
    expect(await outcome(jwt, token)).toBe("invalid_token");
    expect(await outcome(jwt, ofSecond())).toBe(ADA);
  });

  it("stays valid for a day while its address is down, and not longer", async () => {
    jwt = await openRemote();
    const token = ofFirst();
    await outcome(jwt, token);
    answerStatus(500);
    for (const ageMs of [11 * MINUTE, HOUR, 24 * HOUR - 1]) {
      nowMs = ageMs;
      expect(await outcome(jwt, token), String(ageMs)).toBe(ADA);
      await jwt.prepare();
      expect(await outcome(jwt, first.token(lasting(), { typ: String(ageMs) }))).toBe(ADA);
    }
    nowMs = 24 * HOUR;
    expect(await outcome(jwt, token)).toBe("authentication_unavailable");
    answerKeys(first);
    nowMs += 5 * SECOND;
    expect(await outcome(jwt, token)).toBe(ADA);
    expect(log.of("warn")).toEqual(["public keys of tokens not loaded"]);
    expect(log.lines[0]?.details).toEqual({ fault: "HTTP_500" });
  });

  it("that was never loaded makes tokens fail as unavailable or refused, never accepted", async () => {
    answerStatus(503);
    jwt = await openRemote();
    const token = ofFirst();
    expect(await outcome(jwt, token)).toBe("authentication_unavailable");
    expect(await outcome(jwt, "x.y.z")).toBe("invalid_token");
    nowMs += 5 * SECOND;
    await Promise.all(Array.from({ length: 20 }, () => outcome(jwt, token)));
    expect(requests()).toBe(2);
    const unavailable = { status: 503, extra: { retry_after: 5 } };
    await expect(async () => jwt.authenticate(token)).rejects.toMatchObject(unavailable);
  });

  it("that is unreachable for a new key id leaves the token undecided", async () => {
    jwt = await openRemote();
    await outcome(jwt, ofFirst());
    nowMs += 30 * SECOND;
    answerStatus(500);
    expect(await outcome(jwt, ofSecond())).toBe("authentication_unavailable");
    expect(await outcome(jwt, ofFirst())).toBe(ADA);
  });

  it.each([
    ["no JSON", "<html></html>"],
    ["no key set", '{"keys": "none"}'],
    ["more than a mebibyte", JSON.stringify({ keys: [], padding: "x".repeat(1_100_000) })],
  ])("is not replaced by %s", async (_, body) => {
    jwt = await openRemote();
    await outcome(jwt, ofFirst());
    server.answer(reply({ body }));
    nowMs += 11 * MINUTE;
    expect([await jwt.prepare(), requests()]).toEqual([false, 2]);
    expect(await outcome(jwt, ofFirst())).toBe(ADA);
  });

  it("is not followed to another address by a redirect", async () => {
    const moved = reply({ status: 302, headers: { location: "/elsewhere.json" } });
    server.answer((exchange) =>
      (exchange.request.path === "/jwks.json" ? moved : reply({ body: keySet(first) }))(exchange),
    );
    jwt = await openRemote();
    expect(await outcome(jwt, ofFirst())).toBe("authentication_unavailable");
    expect(requests()).toBe(1);
  });

  it("does not delay a token of the other algorithm", async () => {
    server.answer(() => {});
    jwt = await openRemote({ jwtSecret: SECRET });
    expect(await outcome(jwt, hs256(lasting()))).toBe(ADA);
  });

  it("with weak keys verifies nothing", async () => {
    const weak = rsaKey("weak", 1024);
    answerKeys(weak, first);
    jwt = await openRemote();
    expect(await outcome(jwt, weak.token(lasting()))).toBe("invalid_token");
    expect(await outcome(jwt, ofFirst())).toBe(ADA);
  });
});

describe("A key set in a file", () => {
  let path = "";
  beforeEach(() => {
    path = join(folderForTest(), "jwks.json");
  });

  it("is read again within a second of a change, and kept while the file is broken", async () => {
    writeFileSync(path, keySet(first));
    const jwt = await open({ jwtJwks: path });
    expect(await outcome(jwt, ofFirst())).toBe(ADA);
    writeFileSync(path, keySet(second));
    nowMs += SECOND;
    expect(await outcome(jwt, ofSecond())).toBe(ADA);
    expect(await outcome(jwt, ofFirst())).toBe("invalid_token");
    writeFileSync(path, '{"keys": [');
    nowMs += SECOND;
    await jwt.prepare();
    expect(await outcome(jwt, ofSecond())).toBe(ADA);
    expect(log.of("warn")).toHaveLength(1);
  });

  it("stops the start when it cannot be read", async () => {
    await expect(open({ jwtJwks: path })).rejects.toThrow(StorageError);
    writeFileSync(path, "{}");
    const fault = /jwks\.json is not a readable JSON Web Key Set.*SEXTANT_JWT_JWKS/;
    await expect(open({ jwtJwks: path })).rejects.toThrow(fault);
  });
});

describe("The token settings", () => {
  it("accept no tokens without a secret or a key set", async () => {
    await expect(open({ jwtIssuer: "x" })).rejects.toThrow("The settings accept no tokens.");
  });
});
