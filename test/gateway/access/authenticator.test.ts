import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import {
  anonymousAuthenticator,
  type CredentialCheck,
  createAuthenticator,
} from "../../../src/gateway/access/authenticator.js";
import { type Principal, UNLIMITED } from "../../../src/gateway/access/principal.js";

const KEY = `pk_live_${"k".repeat(40)}`;
const TOKEN = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl";

const principal = (id: string, kind: Principal["kind"]): Principal => ({
  id,
  kind,
  source: null,
  scopes: ["inference"],
  limits: UNLIMITED,
});

const check = (accepted: string, answer: Principal): CredentialCheck => ({
  authenticate(credential) {
    if (credential === accepted) return answer;
    throw new SextantError(answer.kind === "jwt" ? "invalid_token" : "invalid_api_key", "no");
  },
});

const key = principal("key_1", "api_key");
const token = principal("jwt:ada", "jwt");
const keys = check(KEY, key);
const both = createAuthenticator({ keys, tokens: check(TOKEN, token) });
const keysOnly = createAuthenticator({ keys });
const code = (expected: string) => expect.objectContaining({ code: expected });

describe("The authenticator", () => {
  it("accepts a key in either header, or the same key in both", () => {
    for (const authenticator of [both, keysOnly]) {
      expect(authenticator.authenticate({ apiKeyHeader: KEY })).toBe(key);
      expect(authenticator.authenticate({ authorizationHeader: `Bearer ${KEY}` })).toBe(key);
      expect(authenticator.authenticate({ authorizationHeader: `bearer  ${KEY} `, apiKeyHeader: KEY })).toBe(
        key,
      );
      expect(authenticator.authenticate({ authorizationHeader: `Bearer ${KEY}`, apiKeyHeader: "" })).toBe(
        key,
      );
    }
  });

  it.each([
    ["Claude", "sk-ant-oat01-abc_def"],
    [
      "ChatGPT",
      `eyJhbGciOiJSUzI1NiJ9.${Buffer.from('{"https://api.openai.com/auth":{"chatgpt_plan_type":"plus"}}').toString("base64url")}.c2ln`,
    ],
  ])("refuses the login of a %s subscription with the reason", (name, credential) => {
    for (const authenticator of [both, keysOnly]) {
      const login = { authorizationHeader: `Bearer ${credential}` };
      expect(() => authenticator.authenticate(login)).toThrow(
        new RegExp(`login of a ${name} subscription.*close accounts whose subscription`),
      );
    }
  });

  it("takes a key beside the login of a Claude subscription", () => {
    const login = { authorizationHeader: "Bearer sk-ant-oat01-abc_def" };
    for (const authenticator of [both, keysOnly])
      expect(authenticator.authenticate({ ...login, apiKeyHeader: KEY })).toBe(key);
  });

  it("accepts a token only as a bearer token", () => {
    expect(both.authenticate({ authorizationHeader: `Bearer ${TOKEN}` })).toBe(token);
    expect(() => both.authenticate({ apiKeyHeader: TOKEN })).toThrow(code("invalid_api_key"));
    expect(() => both.authenticate({ apiKeyHeader: TOKEN, authorizationHeader: `Bearer ${TOKEN}` })).toThrow(
      code("invalid_api_key"),
    );
  });

  it("never tries to verify a credential in the form of a key as a token", () => {
    expect(() => both.authenticate({ authorizationHeader: "Bearer pk_live_a.b.c" })).toThrow(
      code("invalid_api_key"),
    );
    expect(() => both.authenticate({ authorizationHeader: "Bearer x" })).toThrow(code("invalid_token"));
  });

  it("treats a token as an unknown key where tokens are not configured", () => {
    expect(() => keysOnly.authenticate({ authorizationHeader: `Bearer ${TOKEN}` })).toThrow(
      code("invalid_api_key"),
    );
  });

  it("rejects missing and contradicting credentials without a lookup", () => {
    const none = [{}, { apiKeyHeader: "" }, { authorizationHeader: "" }, { authorizationHeader: "Basic x" }];
    for (const headers of none) expect(() => both.authenticate(headers)).toThrow(code("missing_credentials"));
    for (const authorizationHeader of ["Bearer pk_live_other", `Bearer ${TOKEN}`, "Basic x", ""]) {
      expect(() => both.authenticate({ apiKeyHeader: KEY, authorizationHeader })).toThrow(
        code("invalid_api_key"),
      );
    }
  });

  it("needs no credentials when anonymous, and gives all requests the default limits", () => {
    const limits = { ...UNLIMITED, usdPerMonth: 5 };
    expect(anonymousAuthenticator(limits).authenticate({})).toEqual({
      id: "anonymous",
      kind: "anonymous",
      source: null,
      scopes: ["admin"],
      limits,
    });
  });
});
