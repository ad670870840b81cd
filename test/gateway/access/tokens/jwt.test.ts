import fc from "fast-check";
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

describe("A valid token", () => {
  it("gives a principal with the subject, source and scopes of its claims, and the default limits", async () => {
    const limits = { ...UNLIMITED, requestsPerMinute: 7 };
    const token = hs256(claims({ source: "billing", team: "search", scope: "traces:read openid inference" }));
    expect(await check({ limits }).authenticate(token)).toEqual({
      id: "jwt:ada",
      kind: "jwt",
      source: "billing",
      team: "search",
      scopes: ["inference", "traces:read"],
      limits,
    });
  });

  it("is accepted with HS256 by the secret, with RS256 and ES256 by the key set, with both when both are set", async () => {
    const both = check({ publicKeys: publicKeys(() => keySet(rsa, ec)) });
    for (const token of [hs256(claims()), rsa.token(claims()), ec.token(claims())]) {
      expect(await outcome(both, token)).toBe("jwt:ada");
    }
    expect(await outcome(publicOnly(), rsa.token(claims()))).toBe("jwt:ada");
    expect(await outcome(publicOnly(), ec.token(claims()))).toBe("jwt:ada");
  });

  it("may list its scopes in an array, and gives no rights when it has none", async () => {
    const scopesOf = async (scope: unknown) => (await check().authenticate(hs256(claims({ scope })))).scopes;
    expect(await scopesOf(["admin", "email"])).toEqual(["admin"]);
    expect(await scopesOf("")).toEqual([]);
    expect(await scopesOf(null)).toEqual([]);
    expect(await scopesOf(undefined)).toEqual([]);
    expect(await scopesOf("administrator inference2")).toEqual([]);
  });

  it("needs no key id when a key in the set fits", async () => {
    expect(await outcome(publicOnly(), rsa.token(claims(), { kid: undefined }))).toBe("jwt:ada");
  });
});

describe("Token verification, against algorithm confusion,", () => {
  it("refuses `none`, in any spelling, with or without a signature", async () => {
    for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
      const signed = hs256(claims()).split(".")[2] ?? "";
      for (const signature of ["", signed]) {
        for (const jwt of [check(), publicOnly()]) {
          expect(await outcome(jwt, unsigned({ alg }, claims(), signature)), alg).toBe(NOT_VALID);
        }
      }
    }
  });

  it("refuses HS256 with a public key as the secret, in every form of the key", async () => {
    const both = check({ publicKeys: publicKeys(() => keySet(rsa)) });
    const forms = [
      rsa.publicPem,
      rsa.publicPem.trim(),
      rsa.publicPem.replaceAll("\n", ""),
      JSON.stringify(rsa.jwk),
      keySet(rsa),
      String(rsa.jwk.n),
      Buffer.from(String(rsa.jwk.n), "base64url"),
    ];
    for (const secret of forms) {
      for (const jwt of [both, publicOnly()]) {
        for (const header of [{}, { kid: "rsa-1" }]) {
          expect(await outcome(jwt, hs256(claims(), { secret, header }))).toBe(NOT_VALID);
        }
      }
    }
  });

  it("never uses a symmetric key in the public set as a secret", async () => {
    const symmetric = {
      kty: "oct",
      k: Buffer.from(SECRET).toString("base64url"),
      kid: "oct-1",
      alg: "HS256",
    };
    const text = JSON.stringify({ keys: [symmetric, rsa.jwk] });
    const jwt = publicOnly({ publicKeys: publicKeys(() => text) });
    expect(await outcome(jwt, hs256(claims(), { header: { kid: "oct-1" } }))).toBe(NOT_VALID);
    expect(await outcome(jwt, rsa.token(claims()))).toBe("jwt:ada");
  });

  it("refuses RS256 where only a secret is configured, and HS256 where only public keys are", async () => {
    expect(await outcome(check(), rsa.token(claims()))).toBe(NOT_VALID);
    expect(await outcome(publicOnly(), hs256(claims()))).toBe(NOT_VALID);
  });

  it("refuses other algorithms of the same families, even when signed with the right keys", async () => {
    const { keySet: text, tokens } = relatives(claims());
    const jwt = check({ publicKeys: publicKeys(() => text) });
    for (const [alg, token] of tokens) {
      expect(await outcome(jwt, token), alg).toBe(alg === "RS256" ? "jwt:ada" : NOT_VALID);
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
    ]) {
      expect(await outcome(jwt, stranger.token(claims(), header))).toBe(NOT_VALID);
    }
    expect(loads).toBe(1);
  });

  it("do not invalidate a token of the issuer, whose headers often refer to its own keys", async () => {
    const header = { jku: "https://issuer.test/jwks.json", x5t: "abc" };
    expect(await outcome(publicOnly(), rsa.token(claims(), header))).toBe("jwt:ada");
  });

  it("with `crit`, or an unencoded payload, make the token invalid", async () => {
    expect(await outcome(check(), hs256(claims(), { header: { crit: ["exp"], exp: 1 } }))).toBe(NOT_VALID);
    expect(await outcome(check(), hs256(claims(), { header: { crit: ["x"], x: true } }))).toBe(NOT_VALID);
    expect(await outcome(check(), hs256(claims(), { header: { crit: [] } }))).toBe(NOT_VALID);
    expect(await outcome(check(), hs256(claims(), { header: { crit: ["b64"], b64: false } }))).toBe(
      NOT_VALID,
    );
  });
});

describe("Token times", () => {
  const outcomeOf = (changes: Record<string, unknown>) => outcome(check(), hs256(claims(changes)));

  it("accept a token until `exp` plus the tolerance, to the second", async () => {
    expect(await outcomeOf({ exp: NOW_S - 4 })).toBe("jwt:ada");
    expect(await outcomeOf({ exp: NOW_S - 5 })).toMatch(/^token_expired The token is past its `exp`/);
    expect(await outcomeOf({ exp: 0 })).toMatch(/^token_expired /);
    expect(await outcomeOf({ exp: -1e300 })).toMatch(/^token_expired /);
  });

  it("end a cached token at the same second as a new one", async () => {
    const jwt = check();
    const token = hs256(claims({ exp: NOW_S + 10 }));
    expect(await outcome(jwt, token)).toBe("jwt:ada");
    nowMs += 14_000;
    expect(await outcome(jwt, token)).toBe("jwt:ada");
    nowMs += 1_000;
    expect(await outcome(jwt, token)).toMatch(/^token_expired /);
  });

  it("refuse a token whose `exp` is missing or not a number", async () => {
    expect(await outcomeOf({ exp: undefined })).toMatch(/^invalid_token .*`exp`.* missing/);
    expect(await outcomeOf({ exp: String(NOW_S + 10) })).toMatch(/^invalid_token .*`exp`/);
    expect(await outcomeOf({ exp: null })).toMatch(/^invalid_token .*`exp`/);
  });

  it("refuse a token that is issued or valid in the future, beyond the tolerance", async () => {
    expect(await outcomeOf({ nbf: NOW_S + 5, iat: NOW_S + 5 })).toBe("jwt:ada");
    expect(await outcomeOf({ nbf: NOW_S + 6 })).toMatch(
      /^invalid_token .*`nbf`.*SEXTANT_JWT_CLOCK_TOLERANCE_S/,
    );
    expect(await outcomeOf({ iat: NOW_S + 6 })).toMatch(/^invalid_token .*`iat`.*future/);
    expect(await outcomeOf({ iat: "yesterday" })).toMatch(/^invalid_token .*`iat`/);
  });
});

describe("Issuer and audience of a token", () => {
  const strict = () => check({ issuer: "https://issuer.test", audience: "sextant" });
  const right = { iss: "https://issuer.test", aud: "sextant" };

  it("must be those of the settings", async () => {
    expect(await outcome(strict(), hs256(claims(right)))).toBe("jwt:ada");
    expect(await outcome(strict(), hs256(claims({ ...right, aud: ["other", "sextant"] })))).toBe("jwt:ada");
    for (const aud of [
      "other",
      "Sextant",
      "sextant2",
      ["other"],
      [],
      "",
      null,
      { sextant: true },
      [["sextant"]],
    ]) {
      expect(await outcome(strict(), hs256(claims({ ...right, aud }))), String(aud)).toMatch(
        /^invalid_token .*`aud`.*SEXTANT_JWT_AUDIENCE/,
      );
    }
    for (const iss of ["https://issuer.test/", "https://attacker.test", ["https://issuer.test"], null]) {
      expect(await outcome(strict(), hs256(claims({ ...right, iss })))).toMatch(
        /^invalid_token .*`iss`.*SEXTANT_JWT_ISSUER/,
      );
    }
    expect(await outcome(strict(), hs256(claims({ iss: right.iss })))).toMatch(/`aud`.* missing/);
    expect(await outcome(strict(), hs256(claims({ aud: right.aud })))).toMatch(/`iss`.* missing/);
  });

  it("are checked only when configured, but a token with an audience is refused while none is", async () => {
    expect(await outcome(check(), hs256(claims({ aud: "other" })))).toMatch(
      /^invalid_token .*`aud`.*Set SEXTANT_JWT_AUDIENCE/,
    );
    expect(await outcome(check(), hs256(claims({ iss: "anyone" })))).toBe("jwt:ada");
  });
});

describe("Subject, source and scope of a token", () => {
  it.each([
    ["sub", undefined],
    ["sub", ""],
    ["sub", 7],
    ["sub", null],
    ["sub", "x".repeat(256)],
    ["sub", "ada\nadmin"],
    ["sub", "ada\0"],
    ["sub", "\ud800"],
    ["sub", "ada\u202e"],
    ["team", "a, b"],
    ["source", "a, b"],
    ["source", ""],
    ["source", 7],
    ["source", "büro"],
    ["scope", 7],
    ["scope", { admin: true }],
    ["scope", ["inference", 7]],
  ])("are refused for a `%s` of %j, naming the claim", async (claim, value) => {
    expect(await outcome(check(), hs256(claims({ [claim]: value })))).toMatch(
      new RegExp(`^invalid_token .*\`${claim}\``),
    );
  });

  it("cannot imitate a key: the principal starts with `jwt:`", async () => {
    expect(await outcome(check(), hs256(claims({ sub: "key_bootstrap" })))).toBe("jwt:key_bootstrap");
    expect(await outcome(check(), hs256(claims({ sub: "анна@пример" })))).toBe("jwt:анна@пример");
  });
});

describe("A refused token", () => {
  it("gets the same message for every fault up to the signature", async () => {
    const jwt = check({ publicKeys: publicKeys(() => keySet(rsa)) });
    const good = hs256(claims());
    const outcomes = new Set<string>();
    for (const token of [
      "x",
      "a.b.c",
      "..",
      `${good}x`,
      good.slice(0, -2),
      `${good}.`,
      `.${good}`,
      "x".repeat(100_000),
      hs256(claims(), { secret: `${SECRET}x` }),
      hs256(claims({ exp: 1 }), { secret: "wrong" }),
      stranger.token(claims()),
      stranger.token(claims({ exp: 1 })),
      rsa.token(claims(), { kid: "unknown" }),
      unsigned({}, claims()),
      unsigned({ alg: "HS256" }, claims()),
      `${Buffer.from("not json").toString("base64url")}.e30.AAAA`,
    ]) {
      outcomes.add(await outcome(jwt, token));
    }
    expect([...outcomes]).toEqual([NOT_VALID]);
  });

  it("never appears, nor does the secret, in messages, errors or the log", async () => {
    const jwt = check({ audience: "sextant-eu" });
    const tokens = [
      hs256(claims({ sub: "mallory-subject", exp: 1 })),
      hs256(claims({ sub: "mallory-subject", aud: "mallory-audience" })),
      hs256(claims({ sub: "mallory-subject" }), { secret: "wrong" }),
      hs256(claims({ sub: "mallory-subject\n", aud: "sextant-eu" })),
    ];
    for (const token of tokens) {
      const fault = await rejectionOf(Promise.resolve(jwt.authenticate(token)), SextantError);
      const shown = JSON.stringify([fault, fault.message, fault.stack, String(fault.cause), log.lines]);
      for (const part of [...token.split("."), "mallory", SECRET]) expect(shown).not.toContain(part);
    }
  });

  it("is refused with the kind of fault as cause, for the log", async () => {
    const fault = await rejectionOf(
      Promise.resolve(check().authenticate(hs256(claims(), { secret: "wrong" }))),
      SextantError,
    );
    expect(faultName(fault.cause)).toBe("ERR_JWS_SIGNATURE_VERIFICATION_FAILED");
  });

  it("gets the same error for arbitrary text in any of its parts", async () => {
    const jwt = check({ publicKeys: publicKeys(() => keySet(rsa)) });
    const anyPart = fc.oneof(
      fc.string(),
      fc.string().map((text) => Buffer.from(text).toString("base64url")),
      fc.json().map((text) => Buffer.from(text).toString("base64url")),
      fc.constantFrom(...hs256(claims()).split("."), ...stranger.token(claims()).split(".")),
    );
    const real = new Set([hs256(claims())]);
    await fc.assert(
      fc.asyncProperty(fc.array(anyPart, { minLength: 1, maxLength: 5 }), async (parts) => {
        const token = parts.join(".");
        fc.pre(!real.has(token));
        expect(await outcome(jwt, token)).toBe(NOT_VALID);
      }),
    );
  });

  it("is any valid token with one character changed", async () => {
    const jwt = check();
    const token = hs256(claims());
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "A" ? "Q" : "A";
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      expect(await outcome(jwt, changed), String(at)).toBe(NOT_VALID);
    }
  });

  it("is any text that decodes to a valid token and is not the one that was signed", async () => {
    const jwt = check();
    const token = hs256(claims());
    const { length } = token;
    // The last character of 43 has two bits that say nothing.
    const last = token.at(-1) ?? "";
    const alike = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const others = [1, 2, 3].map((bit) => token.slice(0, -1) + alike[alike.indexOf(last) ^ bit]);
    const padded = [" ", "\n", "=", "!"].flatMap((extra) =>
      [length - 5, length].map((at) => token.slice(0, at) + extra + token.slice(at)),
    );
    for (const text of [...others, ...padded]) expect(await outcome(jwt, text), text).toBe(NOT_VALID);
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
    expect(await outcome(jwt, early)).toBe("jwt:ada");
  });

  it("drops tokens when the key that signed them leaves the key set", async () => {
    let text = keySet(rsa, ec);
    const jwt = publicOnly({ publicKeys: publicKeys(() => text) });
    const token = rsa.token(claims({ exp: NOW_S + 10_000 }));
    expect(await outcome(jwt, token)).toBe("jwt:ada");
    text = keySet(ec);
    nowMs += TIMES.freshMs;
    // The renewal runs in the background of this request, the last one that the old key opens.
    expect(await outcome(jwt, token)).toBe("jwt:ada");
    await jwt.prepare();
    expect(await outcome(jwt, token)).toBe(NOT_VALID);
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
