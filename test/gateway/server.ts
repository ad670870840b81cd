import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { expect } from "vitest";
import { SextantError } from "../../src/foundation/errors.js";
import { type Authenticator, presentedCredential } from "../../src/gateway/access/authenticator.js";
import { keyLimitsSchema } from "../../src/gateway/access/keys/key-limits.js";
import { type Principal, UNLIMITED } from "../../src/gateway/access/principal.js";
import { errorSchema } from "../../src/gateway/api/error.js";
import { createApp } from "../../src/gateway/app.js";
import type { ServerDependencies } from "../../src/gateway/dependencies.js";
import { NO_STATE } from "../../src/gateway/features/alerts/alert-state.js";
import { alertsSchema } from "../../src/gateway/features/alerts/settings.js";
import { createMetrics } from "../../src/gateway/features/operations/metrics/metrics.js";
import { NO_PAUSES } from "../../src/gateway/run/pause.js";
import { noFeedback, noStore } from "../../src/gateway/traces/no-store.js";
import { fakeCatalog } from "../fakes/catalog.js";
import { FakeInference } from "../fakes/inference.js";
import { seededBytes } from "../fakes/random.js";
import type { FakeRouter } from "../fakes/router.js";
import { FakeTimers } from "../fakes/timers.js";
import { serverLimits } from "../support/server-limits.js";
import { responsesForTest } from "./conversations/responses-for-test.js";

/** May run models. */
export const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
/** May do everything. */
export const ADMIN_KEY = "pk_live_admin6789abcdefghijklmnopqrstuvwxyzABCD";
/** May read traces, and no more. */
export const READER_KEY = "pk_live_reader789abcdefghijklmnopqrstuvwxyzABCD";
/** May run models, as the source `billing`. */
export const BOUND_KEY = "pk_live_bound6789abcdefghijklmnopqrstuvwxyzABCD";
/** May read traces of the source `billing`, and no more. */
export const BOUND_READER_KEY = "pk_live_boundreader9abcdefghijklmnopqrstuvwxyzAB";
/** May read all traces, and no more. */
export const ALL_READER_KEY = "pk_live_allreader789abcdefghijklmnopqrstuvwxyzAB";
/** May run models, with a least cost weight above its own. */
export const CAPPED_KEY = "pk_live_capped6789abcdefghijklmnopqrstuvwxyzABCD";
/** May run models, with a cost weight of its own. */
export const WEIGHTED_KEY = "pk_live_weighted789abcdefghijklmnopqrstuvwxyzABC";
export const NOW_MS = 1_763_600_000_123;

const principal = (id: string, changes: Partial<Principal> = {}): Principal => ({
  id,
  kind: "api_key",
  source: null,
  scopes: ["inference"],
  limits: UNLIMITED,
  ...changes,
});

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  [KEY]: principal("key_1"),
  [ADMIN_KEY]: principal("key_admin", { scopes: ["admin"] }),
  [READER_KEY]: principal("key_reader", { scopes: ["traces:read"] }),
  [BOUND_KEY]: principal("key_bound", { source: "billing" }),
  [BOUND_READER_KEY]: principal("key_bound_reader", { source: "billing", scopes: ["traces:read"] }),
  [WEIGHTED_KEY]: principal("key_weighted", { costWeight: 0.7 }),
  [CAPPED_KEY]: principal("key_capped", { costWeight: 0.1, caps: { min_cost_weight: 0.3 } }),
  [ALL_READER_KEY]: principal("key_all_reader", { scopes: ["traces:read:all"] }),
};

/** Accepts the keys above and nothing else. */
const theseKeys: Authenticator = {
  authenticate(credentials) {
    const known = PRINCIPALS[presentedCredential(credentials).value];
    if (known === undefined) throw new SextantError("invalid_api_key", "The API key is not known.");
    return known;
  },
};

/** Keys that cannot be made or changed. */
export const noKeys: ServerDependencies["keys"] = {
  list: () => [],
  nameOf: (id) => (id === "key_named" ? "Ada's app" : undefined),
  limitsOf: () => undefined,
  create: () => Promise.reject(new Error("this server makes no keys")),
  update: () => Promise.reject(new Error("this server has no keys")),
  rotate: () => Promise.reject(new Error("this server has no keys")),
  revoke: () => Promise.reject(new Error("this server has no keys")),
  noteRefused: () => {},
};

/** What is shown of a key without limits. */
export const keyMetadata = (
  id: string,
  name: string,
): ReturnType<ServerDependencies["keys"]["list"]>[number] => ({
  id,
  name,
  prefix: "pk_live_0123",
  source: null,
  team: null,
  scopes: ["inference"],
  limits: keyLimitsSchema.parse({}),
  cost_weight: null,
  created_at: new Date(NOW_MS).toISOString(),
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  previous: null,
});

export const NOTHING_WAITS: ReturnType<ServerDependencies["comparisons"]["state"]> = {
  waiting: 0,
  passedOver: { dropped: 0, over_budget: 0, unsupported: 0, restricted: 0, repeated: 0, no_judge: 0 },
};

export type TestServer = ReturnType<typeof startTestServer>;

interface TestServerChanges extends Partial<Omit<ServerDependencies, "inference" | "router">> {
  readonly router?: FakeRouter;
}

/**
 * The real server over fakes: inference with scripted answers, a router that can be worked out by hand, these keys, still
 * clocks, timers that ring on demand, seeded randomness. Holds nothing that must be closed until it listens.
 */
export function startTestServer({ router, ...changes }: TestServerChanges = {}, logLevel = "info") {
  const logLines: string[] = [];
  const inference = new FakeInference(router);
  const timers = new FakeTimers();
  const metrics = createMetrics({ isKnownModel: (model) => model === "gpt-4o-mini" });
  const app = createApp({
    inference,
    router: inference.router,
    lengthCorrections: () => new Map(),
    testConnection: () => Promise.reject(new Error("this server has no providers")),
    setReports: {
      sets: () => [],
      report: () => Promise.reject(new Error("this server has no profile sets")),
    },
    responses: responsesForTest(),
    comparisons: { entries: () => [], results: async () => [], state: () => NOTHING_WAITS },
    catalog: fakeCatalog,
    traces: noStore,
    giveFeedback: noFeedback,
    flushTraces: async () => {},
    authenticator: theseKeys,
    keys: noKeys,
    pauses: {
      ...NO_PAUSES,
      list: () => [],
      add: () => Promise.reject(new Error("this server pauses nothing")),
      end: () => Promise.reject(new Error("this server has no pauses")),
    },
    events: { record: async () => {}, list: async () => ({ events: [], hasMore: false }) },
    alerts: {
      setup: { webhooks: [], rules: alertsSchema.parse({}).rules },
      state: async () => NO_STATE,
      test: async () => [],
      conditions: async () => ({ conditions: [], unknown: new Set() }),
      silence: () => Promise.reject(new Error("this server silences nothing")),
      unsilence: async () => undefined,
    },
    limiter: {
      usedBy: () => [],
      budgetUse: async () => [],
      refusals: () => [],
      refusalOf: async () => undefined,
    },
    console: null,
    reload: async () => ({
      version: "fake-2",
      count: 3,
      notes: ["a graph was rebuilt"],
      settings: { path: "/etc/sextant.config.json", changed: [], recovered: false },
    }),
    settingsPath: "/etc/sextant.config.json",
    settings: {
      inUse: () => ({ budgets: [], alerts: alertsSchema.parse({}), autoCostWeight: 0.2 }),
      sourceOf: () => "default",
      version: () => "1",
      change: () => Promise.reject(new Error("this server's settings do not change")),
    },
    limits: serverLimits(),
    metrics,
    telemetry: null,
    logger: pino({ level: logLevel }, { write: (line: string) => logLines.push(line) }),
    now: () => NOW_MS,
    clock: () => 5_000,
    startTimer: timers.start,
    yieldThread: async () => {},
    randomBytes: seededBytes(),
    readiness: () => ({ embedder: { ok: true, id: "fake" }, profiles: { ok: true, version: "fake-1" } }),
    version: "0.0.0-test",
    ...changes,
  });
  return { app, inference, timers, metrics, logLines };
}

/** Listens on a free port of loopback. @returns the port */
export async function listening(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
}

/** Resolves when the server refuses further requests because it is being closed. To be called before it listens. */
export const begunClosing = (app: FastifyInstance): Promise<void> =>
  new Promise((resolve) => {
    app.addHook("preClose", async () => resolve());
  });

/** `POST` with a valid key. A string is sent as it is. */
export function post(
  app: FastifyInstance,
  url: string,
  { payload, headers = {} }: { readonly payload: unknown; readonly headers?: Record<string, string> },
) {
  return app.inject({
    method: "POST",
    url,
    headers: { "x-api-key": KEY, "content-type": "application/json", ...headers },
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
}

/** `POST /v1/router` with a valid key. */
export const postRouter = (app: FastifyInstance, payload: unknown, headers: Record<string, string> = {}) =>
  post(app, "/v1/router", { payload, headers });

/** `POST /v1/chat/completions` with a valid key. */
export const postChat = (app: FastifyInstance, payload: unknown, headers: Record<string, string> = {}) =>
  post(app, "/v1/chat/completions", { payload, headers });

/** `GET` with a valid key. */
export const get = (app: FastifyInstance, url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { "x-api-key": KEY, ...headers } });

export const hello = { messages: [{ role: "user", content: "hello" }], execute: false };
export const helloChat = { model: "gpt-4o-mini", messages: hello.messages };

/** The error of a response with that status. */
export async function errorOf(
  response: PromiseLike<Pick<Awaited<ReturnType<typeof post>>, "statusCode" | "body">>,
  status = 400,
) {
  const { statusCode, body } = await response;
  expect(statusCode, body).toBe(status);
  return errorSchema.parse(JSON.parse(body)).error;
}

/** That an error names the field at fault by its path, and ends with these words about it. */
export function expectFieldError(
  error: { readonly code: string; readonly param: string | null; readonly message: string },
  { param, fault }: { readonly param: string; readonly fault: string },
): void {
  expect(error).toMatchObject({ code: "invalid_request", param });
  const { message } = error;
  expect([message.split(" ", 1)[0], message.slice(-fault.length)]).toEqual([`\`${param}\``, fault]);
}

/** The events of a stream: each one's data, parsed as JSON, `[DONE]` as itself. Comments are left out. */
export function eventsOf(body: string): unknown[] {
  return body
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length))
    .map((data) => (data === "[DONE]" ? data : JSON.parse(data)));
}
