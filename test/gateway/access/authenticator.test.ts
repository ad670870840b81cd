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
    for (const headers of [
      { apiKeyHeader: KEY },
      { authorizationHeader: `Bearer ${KEY}` },
      { authorizationHeader: `bearer  ${KEY} `, apiKeyHeader: KEY },
      { authorizationHeader: `Bearer ${KEY}`, apiKeyHeader: "" },
      // Beside the login of a subscription.
      { authorizationHeader: "Bearer sk-ant-oat01-abc_def", apiKeyHeader: KEY },
    ])
      for (const authenticator of [both, keysOnly]) expect(authenticator.authenticate(headers)).toBe(key);
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

  it("accepts a token only as a bearer token", () => {
    expect(both.authenticate({ authorizationHeader: `Bearer ${TOKEN}` })).toBe(token);
    for (const [authenticator, headers, refused] of [
      [both, { apiKeyHeader: TOKEN }, "invalid_api_key"],
      [both, { apiKeyHeader: TOKEN, authorizationHeader: `Bearer ${TOKEN}` }, "invalid_api_key"],
      // In the form of a key it is never verified as a token.
      [both, { authorizationHeader: "Bearer pk_live_a.b.c" }, "invalid_api_key"],
      [both, { authorizationHeader: "Bearer x" }, "invalid_token"],
      [keysOnly, { authorizationHeader: `Bearer ${TOKEN}` }, "invalid_api_key"],
    ] as const)
      expect(() => authenticator.authenticate(headers)).toThrow(code(refused));
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
