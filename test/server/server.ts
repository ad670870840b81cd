import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { type Authenticator, presentedCredential } from "../../src/access/authenticator.js";
import { UNLIMITED } from "../../src/access/principal.js";
import { SextantError } from "../../src/errors.js";
import type { Router } from "../../src/router/router.js";
import { createApp } from "../../src/server/app.js";
import type { ServerParts } from "../../src/server/parts.js";
import { seededBytes } from "../fakes/random.js";
import { FakeRouter } from "../fakes/router.js";

export const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
export const NOW_MS = 1_763_600_000_123;

/** Accepts `KEY` and nothing else. */
const oneKey: Authenticator = {
  authenticate(credentials) {
    if (presentedCredential(credentials).value !== KEY)
      throw new SextantError("invalid_api_key", "The API key is not known.");
    return { id: "key_1", kind: "api_key", source: null, scopes: ["inference"], limits: UNLIMITED };
  },
};

export interface TestServer {
  readonly app: FastifyInstance;
  readonly router: Router;
  readonly logLines: string[];
}

/** The real server over fakes: a router that can be worked out by hand, one key, a still clock, seeded randomness. */
export function startTestServer(changes: Partial<ServerParts> = {}, logLevel = "info"): TestServer {
  const logLines: string[] = [];
  const router = changes.router ?? new FakeRouter();
  const app = createApp({
    authenticator: oneKey,
    limits: { maxBodyBytes: 4096, maxMessages: 8 },
    logger: pino({ level: logLevel }, { write: (line: string) => logLines.push(line) }),
    now: () => NOW_MS,
    randomBytes: seededBytes(),
    readiness: () => ({ embedder: { ok: true, id: "fake" }, profiles: { ok: true, version: "fake-1" } }),
    version: "0.0.0-test",
    ...changes,
    router,
  });
  return { app, router, logLines };
}

/** `POST /v1/router` with a valid key. */
export function postRouter(app: FastifyInstance, payload: unknown, headers: Record<string, string> = {}) {
  return app.inject({
    method: "POST",
    url: "/v1/router",
    headers: { "x-api-key": KEY, "content-type": "application/json", ...headers },
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
}

export const hello = { messages: [{ role: "user", content: "hello" }], execute: false };
