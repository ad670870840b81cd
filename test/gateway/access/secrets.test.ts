import { pino } from "pino";
import { beforeEach, expect, it } from "vitest";
import { createAuthenticator } from "../../../src/gateway/access/authenticator.js";
import { KeyRing } from "../../../src/gateway/access/keys/key-ring.js";
import { UNLIMITED } from "../../../src/gateway/access/principal.js";
import { openTokens } from "../../../src/gateway/access/tokens/open-tokens.js";
import { SqliteStore } from "../../../src/gateway/storage/sqlite-store.js";
import { seededBytes } from "../../fakes/random.js";
import { folderForTest } from "../../support/folders.js";
import { hello, startTestServer } from "../server.js";
import { claims, ecKey, hs256, NOW_MS, SECRET, unsigned } from "./tokens/forged-tokens.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
  logLines = [];
});

let logLines: string[] = [];
const logger = pino({ level: "trace" }, { write: (line: string) => logLines.push(line) });

/** The server with real keys and tokens, logging everything it ever logs. */
async function open() {
  const keys = await KeyRing.open(new SqliteStore(folder), {
    defaultLimits: UNLIMITED,
    now: () => NOW_MS,
    randomBytes: seededBytes(),
    newId: () => "1",
  });
  const tokens = await openTokens(
    { jwtSecret: SECRET },
    { limits: UNLIMITED, now: () => NOW_MS, monotonicNow: () => 0, fetch, log: logger },
  );
  const { key } = await keys.create({ name: "app", scopes: ["inference"] });
  const { app } = startTestServer({ authenticator: createAuthenticator({ keys, tokens }), logger });
  return { app, key };
}

it("No credential, accepted or refused, appears in any response or log line", async () => {
  const { app, key } = await open();
  const accepted = hs256(claims());
  const unknown = `${key.slice(0, 12)}${"Q".repeat(36)}`;
  const refused = [
    hs256(claims({ exp: 1 })),
    hs256(claims({ aud: "another-audience" })),
    hs256(claims(), { secret: "another-secret" }),
    hs256(claims({ scope: "nothing" })),
    ecKey("unknown").token(claims()),
    unsigned({ alg: "none" }, claims()),
    `${accepted}x`,
    "not-a-token-at-all",
  ];
  const requests: Record<string, string>[] = [
    { "x-api-key": key },
    { authorization: `Bearer ${key}` },
    { authorization: `Bearer ${accepted}` },
    { "x-api-key": unknown },
    { "x-api-key": accepted },
    { "x-api-key": key, authorization: `Bearer ${accepted}` },
    { authorization: `Basic ${key}` },
    { authorization: key },
    ...refused.map((token) => ({ authorization: `Bearer ${token}` })),
  ];
  const statuses: number[] = [];
  let answers = "";
  for (const headers of requests) {
    const response = await app.inject({ method: "POST", url: "/v1/router", headers, payload: hello });
    statuses.push(response.statusCode);
    answers += JSON.stringify(response.headers) + response.body;
  }
  expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
  expect(new Set(statuses.slice(3))).toEqual(new Set([401, 403]));
  expect(logLines.length).toBeGreaterThanOrEqual(requests.length);
  const shown = answers + logLines.join("");
  const secrets = [key, unknown, accepted, ...refused].flatMap((secret) => [
    secret.slice(12),
    ...secret.split(".").filter((piece) => piece.length > 12),
  ]);
  for (const secret of [SECRET, ...secrets]) expect(shown).not.toContain(secret);
  // What the log has of a token is `jwt:` and its subject.
  expect(logLines.some((line) => JSON.parse(line).principal === "jwt:ada")).toBe(true);
});
