import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { faultName } from "../../../../src/foundation/log.js";
import { UNLIMITED } from "../../../../src/gateway/access/principal.js";
import { JwtCheck, type JwtOptions } from "../../../../src/gateway/access/tokens/jwt.js";
import { FakeAccessLog } from "../../../fakes/access-log.js";
import { rejectionOf } from "../../../support/errors.js";
import {
  claims,
  ecKey,
  hs256,
  keySet,
  NOW_MS,
  NOW_S,
  relatives,
  rsaKey,
  SECRET,
  type SigningKey,
  unsigned,
} from "./forged-tokens.js";

let nowMs = NOW_MS;
let log = new FakeAccessLog();
let rsa: SigningKey;
let ec: SigningKey;
let stranger: SigningKey;
beforeAll(() => {
  rsa = rsaKey("rsa-1");
  ec = ecKey("ec-1");
  stranger = rsaKey("rsa-1");
});
beforeEach(() => {
  nowMs = NOW_MS;
  log = new FakeAccessLog();
});

const TIMES = { freshMs: 60_000, usableMs: 600_000, cooldownMs: 10_000, retryMs: 1_000, timeoutMs: 50 };

const check = (changes: Partial<JwtOptions> = {}) =>
  new JwtCheck({
    secret: SECRET,
    clockToleranceS: 5,
    defaultScopes: [],
    limits: UNLIMITED,
    now: () => nowMs,
    monotonicNow: () => nowMs,
    log,
    ...changes,
  });
const publicKeys = (text: () => string) => ({ load: async () => text(), times: TIMES });
const publicOnly = (changes: Partial<JwtOptions> = {}) =>
  check({ secret: undefined, publicKeys: publicKeys(() => keySet(rsa, ec)), ...changes });

/** Immediate and delayed refusals alike, as `code message`; the principal's id when accepted. */
async function outcome(jwt: JwtCheck, token: string): Promise<string> {
  try {
    return (await jwt.authenticate(token)).id;
  } catch (fault) {
    if (!(fault instanceof SextantError)) throw fault;
    return `${fault.code} ${fault.message}`;
  }
}

const NOT_VALID =
  "invalid_token The token is not valid. Check that it was copied whole and comes from the issuer that this server trusts.";
const ADA = "jwt:ada";

describe("A valid token", () => {
  it("gives a principal with the subject, source and scopes of its claims, and the default limits", async () => {
    const limits = { ...UNLIMITED, requestsPerMinute: 7 };
    const caps = { max_usd_per_request: 0.05, min_cost_weight: 0.3 };
    const named = { source: "billing", team: "search", scope: "traces:read openid inference" };
    const token = hs256(claims({ ...named, ...caps, allowed_models: "gpt-* o3" }));
    expect(await check({ limits }).authenticate(token)).toEqual({
      id: ADA,
      kind: "jwt",
      source: "billing",
      team: "search",
      scopes: ["inference", "traces:read"],
      limits,
      caps: { ...caps, allowed_models: ["gpt-*", "o3"] },
    });
  });

  it("is accepted with HS256 by the secret, with RS256 and ES256 by the key set, with both when both are set", async () => {
    const both = check({ publicKeys: publicKeys(() => keySet(rsa, ec)) });
    const [symmetric, ofRsa, ofEc] = [hs256(claims()), rsa.token(claims()), ec.token(claims())];
    const unnamed = rsa.token(claims(), { kid: undefined });
    for (const token of [symmetric, ofRsa, ofEc, unnamed]) expect(await outcome(both, token)).toBe(ADA);
    for (const token of [ofRsa, ofEc]) expect(await outcome(publicOnly(), token)).toBe(ADA);
    expect(await outcome(publicOnly(), symmetric)).toBe(NOT_VALID);
    expect(await outcome(check(), ofRsa)).toBe(NOT_VALID);
  });

  it.each([
    [["admin", "email"], ["admin"]],
    ["", []],
    [undefined, []],
    ["administrator inference2", []],
  ])("with the scope %j has the rights %j", async (scope, scopes) => {
    expect((await check().authenticate(hs256(claims({ scope })))).scopes).toEqual(scopes);
  });

  // https://github.com/envoyproxy/gateway/issues/8027 (2026-01-22); text and list: https://github.com/ory/oathkeeper/pull/162 (2019-04-05),
  // https://github.com/antarctica/flask-entra-auth/issues/38 (2025-11-15); applications without `scp`:
  // https://learn.microsoft.com/en-us/answers/questions/256281 (2021-02-03)
  it.each([
    [{ scp: "openid inference" }, ["inference"]],
    [{ scp: ["traces:read"] }, ["traces:read"]],
    [{ roles: ["inference"] }, ["inference"]],
    [{ roles: "inference admin" }, ["inference", "admin"]],
    [{ scp: "inference", roles: ["admin"] }, ["inference"]],
    [{ scope: "traces:read", scp: "inference", roles: ["admin"] }, ["traces:read"]],
    [{ scope: "", scp: "inference" }, []],
    [{ scp: "access_as_user", roles: ["Employee"] }, ["traces:read:all"]],
    [{ scp: { inference: true }, roles: [7] }, ["traces:read:all"]],
  ])("with the claims %j of an identity provider has the rights %j", async (given, scopes) => {
    const jwt = check({ defaultScopes: ["traces:read:all"] });
    expect((await jwt.authenticate(hs256(claims({ scope: undefined, ...given })))).scopes).toEqual(scopes);
  });
});

describe("Token verification, against algorithm confusion,", () => {
  it("refuses `none`, in any spelling, with or without a signature", async () => {
    const signed = hs256(claims()).split(".")[2] ?? "";
    for (const alg of ["none", "None", "NONE", "nOnE", ""])
      for (const signature of ["", signed])
        for (const jwt of [check(), publicOnly()])
          expect(await outcome(jwt, unsigned({ alg }, claims(), signature)), alg).toBe(NOT_VALID);
  });

  it("refuses HS256 with a public key as the secret, in every form of the key", async () => {
    const both = check({ publicKeys: publicKeys(() => keySet(rsa)) });
    const modulus = String(rsa.jwk.n);
    const pem = rsa.publicPem;
    const texts = [pem, pem.trim(), pem.replaceAll("\n", ""), JSON.stringify(rsa.jwk), keySet(rsa), modulus];
    for (const secret of [...texts, Buffer.from(modulus, "base64url")])
      for (const jwt of [both, publicOnly()])
        for (const header of [{}, { kid: "rsa-1" }])
          expect(await outcome(jwt, hs256(claims(), { secret, header }))).toBe(NOT_VALID);
  });

  it("never uses a symmetric key in the public set as a secret", async () => {
    const k = Buffer.from(SECRET).toString("base64url");
    const symmetric = { kty: "oct", k, kid: "oct-1", alg: "HS256" };
    const jwt = publicOnly({ publicKeys: publicKeys(() => JSON.stringify({ keys: [symmetric, rsa.jwk] })) });
    expect(await outcome(jwt, hs256(claims(), { header: { kid: "oct-1" } }))).toBe(NOT_VALID);
    expect(await outcome(jwt, rsa.token(claims()))).toBe(ADA);
  });

  it("refuses other algorithms of the same families, even when signed with the right keys", async () => {
    const { keySet: text, tokens } = relatives(claims());
    const jwt = check({ publicKeys: publicKeys(() => text) });
    for (const [alg, token] of tokens) {
      expect(await outcome(jwt, token), alg).toBe(alg === "RS256" ? ADA : NOT_VALID);
    }
    for (const alg of ["EdDSA", "ES256K", "RS1", "A256KW", "dir"]) {
      expect(await outcome(jwt, unsigned({ alg }, claims(), "AAAA")), alg).toBe(NOT_VALID);
    }
  });

  it("refuses an ES256 token that names the RSA key, and the reverse", async () => {
    expect(await outcome(publicOnly(), ec.token(claims(), { kid: "rsa-1" }))).toBe(NOT_VALID);
    expect(await outcome(publicOnly(), rsa.token(claims(), { kid: "ec-1" }))).toBe(NOT_VALID);
    expect(await outcome(publicOnly(), rsa.token(claims(), { alg: "ES256" }))).toBe(NOT_VALID);
  });
});

describe("Keys in a token's header", () => {
  it("are never used: a foreign jwk, jku, x5c or x5u verifies nothing and fetches nothing", async () => {
    let loads = 0;
    const jwt = publicOnly({
      publicKeys: publicKeys(() => {
        loads++;
        return keySet(rsa);
      }),
    });
    await outcome(jwt, rsa.token(claims()));
    for (const header of [
      { jwk: stranger.jwk },
      { jku: "https://attacker.test/jwks.json" },
      { x5u: "https://attacker.test/chain.pem" },
      { x5c: [stranger.publicPem.replaceAll(/-----[^-]+-----|\n/g, "")] },
      { jwk: stranger.jwk, kid: undefined },
      { kid: "../../../../dev/null" },
      { kid: "rsa-1' OR '1'='1" },
      { kid: 1 },
    ])
      expect(await outcome(jwt, stranger.token(claims(), header))).toBe(NOT_VALID);
    expect(loads).toBe(1);
  });

  it("do not invalidate a token of the issuer, whose headers often refer to its own keys", async () => {
    const header = { jku: "https://issuer.test/jwks.json", x5t: "abc" };
    expect(await outcome(publicOnly(), rsa.token(claims(), header))).toBe(ADA);
  });

  it.each([{ crit: ["exp"], exp: 1 }, { crit: ["x"], x: true }, { crit: [] }, { crit: ["b64"], b64: false }])(
    "with `crit`, or an unencoded payload, make the token invalid: %j",
    async (header) => {
      expect(await outcome(check(), hs256(claims(), { header }))).toBe(NOT_VALID);
    },
  );
});

describe("The claims of a token", () => {
  it.each<[Record<string, unknown>, string | RegExp]>([
    [{ exp: NOW_S - 4 }, ADA],
    [{ exp: NOW_S - 5 }, /^token_expired The token has expired \(`exp`\)/],
    [{ exp: -1e300 }, /^token_expired /],
    [{ exp: undefined }, /^invalid_token .*`exp`.* missing/],
    [{ exp: String(NOW_S + 10) }, /^invalid_token .*`exp`/],
    [{ nbf: NOW_S + 5, iat: NOW_S + 5 }, ADA],
    [{ nbf: NOW_S + 6 }, /^invalid_token .*`nbf`.*clocks of issuer and server/],
    [{ iat: NOW_S + 6 }, /^invalid_token .*`iat`.*future/],
    [{ iat: "yesterday" }, /^invalid_token .*`iat`/],
    [{ aud: "other" }, /^invalid_token .*`aud`.*Set SEXTANT_JWT_AUDIENCE/],
    // No subject can imitate a key.
    [{ sub: "key_bootstrap" }, "jwt:key_bootstrap"],
    [{ sub: "анна@пример" }, "jwt:анна@пример"],
  ])("%j lead to %s", async (changes, expected) => {
    expect(await outcome(check(), hs256(claims(changes)))).toMatch(expected);
  });

  it("end a cached token at the same second as a new one", async () => {
    const jwt = check();
    const token = hs256(claims({ exp: NOW_S + 10 }));
    expect(await outcome(jwt, token)).toBe(ADA);
    nowMs += 14_000;
    expect(await outcome(jwt, token)).toBe(ADA);
    nowMs += 1_000;
    expect(await outcome(jwt, token)).toMatch(/^token_expired /);
  });

  it("must have the issuer and the audience of the settings", async () => {
    const strict = check({ issuer: "https://issuer.test", audience: "sextant" });
    const right = { iss: "https://issuer.test", aud: "sextant" };
    const outcomeOf = (changes: object) => outcome(strict, hs256(claims({ ...right, ...changes })));
    expect(await outcomeOf({})).toBe(ADA);
    expect(await outcomeOf({ aud: ["other", "sextant"] })).toBe(ADA);
    for (const aud of ["Sextant", ["other"], [], null, { sextant: true }, [["sextant"]]])
      expect(await outcomeOf({ aud }), String(aud)).toMatch(/^invalid_token .*`aud`.*SEXTANT_JWT_AUDIENCE/);
    for (const iss of ["https://issuer.test/", "https://attacker.test", ["https://issuer.test"], null])
      expect(await outcomeOf({ iss }), String(iss)).toMatch(/^invalid_token .*`iss`.*SEXTANT_JWT_ISSUER/);
    expect(await outcomeOf({ aud: undefined })).toMatch(/`aud`.* missing/);
    expect(await outcomeOf({ iss: undefined })).toMatch(/`iss`.* missing/);
  });

  it.each([
    ["sub", undefined],
    ["sub", ""],
    ["sub", 7],
    ["sub", "x".repeat(256)],
    ["sub", "ada\nadmin"],
    ["sub", "\ud800"],
    ["sub", "ada\u202e"],
    ["team", "a, b"],
    ["source", "a, b"],
    ["source", 7],
    ["max_usd_per_request", 0],
    ["allowed_models", []],
    ["min_cost_weight", "0.3"],
    ["scope", { admin: true }],
    ["scope", ["inference", 7]],
  ])("are refused for a `%s` of %j, naming the claim", async (claim, value) => {
    const refused = await outcome(check(), hs256(claims({ [claim]: value })));
    expect(refused).toMatch(new RegExp(`^invalid_token .*\`${claim}\``));
  });
});

describe("A refused token", () => {
  it("gets the same message for every fault up to the signature", async () => {
    const jwt = check({ publicKeys: publicKeys(() => keySet(rsa)) });
    const good = hs256(claims());
    for (const token of [
      "x",
      "..",
      `${good}x`,
      `.${good}`,
      "x".repeat(100_000),
      hs256(claims(), { secret: `${SECRET}x` }),
      hs256(claims({ exp: 1 }), { secret: "wrong" }),
      stranger.token(claims()),
      stranger.token(claims({ exp: 1 })),
      rsa.token(claims(), { kid: "unknown" }),
      unsigned({}, claims()),
      `${Buffer.from("not json").toString("base64url")}.e30.AAAA`,
    ])
      expect(await outcome(jwt, token)).toBe(NOT_VALID);
  });

  it("never appears, nor does the secret, in the error, which has the kind of fault for the log", async () => {
    const token = hs256(claims({ sub: "mallory" }), { secret: "wrong" });
    const fault = await rejectionOf(Promise.resolve(check().authenticate(token)), SextantError);
    const shown = JSON.stringify([fault, fault.message, fault.stack, String(fault.cause), log.lines]);
    for (const part of [...token.split("."), "mallory", SECRET]) expect(shown).not.toContain(part);
    expect(faultName(fault.cause)).toBe("ERR_JWS_SIGNATURE_VERIFICATION_FAILED");
  });

  it("is any valid token with one character changed, and any other text that decodes to it", async () => {
    const jwt = check();
    const token = hs256(claims());
    const { length } = token;
    const changed = Array.from(token, (character, at) => {
      const other = character === "A" ? "Q" : "A";
      return token.slice(0, at) + other + token.slice(at + 1);
    });
    // The last character of 43 has two bits that say nothing.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(token.at(-1) ?? "");
    const alike = [1, 2, 3].map((bits) => token.slice(0, -1) + alphabet[last ^ bits]);
    const padded = [" ", "\n", "=", "!"].flatMap((extra) =>
      [length - 5, length].map((at) => token.slice(0, at) + extra + token.slice(at)),
    );
    for (const text of [...changed, ...alike, ...padded])
      expect(await outcome(jwt, text), text).toBe(NOT_VALID);
  });
});

describe("The token cache", () => {
  it("saves a second verification and returns the same principal", async () => {
    const jwt = check();
    const token = hs256(claims());
    const first = jwt.authenticate(token);
    expect(first).toBeInstanceOf(Promise);
    const principal = await first;
    expect(jwt.authenticate(token)).toBe(principal);
  });

  it("never accepts a token that was refused", async () => {
    const jwt = check();
    const early = hs256(claims({ nbf: NOW_S + 60 }));
    expect(await outcome(jwt, early)).toMatch(/`nbf`/);
    nowMs += 60_000;
    expect(await outcome(jwt, early)).toBe(ADA);
  });

  it("drops the least recently used tokens when it is full", async () => {
    const jwt = check();
    const first = hs256(claims());
    await jwt.authenticate(first);
    const others = Array.from({ length: 10_001 }, (_, at) => hs256(claims({ sub: `s${at}` })));
    for (let at = 0; at < others.length; at += 100) {
      await Promise.all(others.slice(at, at + 100).map((token) => jwt.authenticate(token)));
    }
    expect(jwt.authenticate(first)).toBeInstanceOf(Promise);
    expect(jwt.authenticate(others.at(-1) ?? "")).not.toBeInstanceOf(Promise);
  });
});
