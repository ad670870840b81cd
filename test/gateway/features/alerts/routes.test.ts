import { expect, it } from "vitest";
import { type AlertState, NO_STATE } from "../../../../src/gateway/features/alerts/alert-state.js";
import { alertsBodySchema, alertTestReplySchema } from "../../../../src/gateway/features/alerts/schema.js";
import { alertsSchema } from "../../../../src/gateway/features/alerts/settings.js";
import { ADMIN_KEY, get, NOW_MS, post, startTestServer } from "../../server.js";

const secretUrl = "https://hooks.example/services/T0/B0/secret";
const { rules } = alertsSchema.parse({ rules: { spend_rise: false } });
const at = new Date(NOW_MS).toISOString();
const texts = { rule: "error_rate", subject: "all", title: "Many fail", detail: "60 of 100" } as const;
const last = { at, ok: false, status: "HTTP 404" };
const silence = {
  id: "silence_1",
  rule: "error_rate",
  subject: "all",
  reason: "known",
  by: "key_named",
  atMs: NOW_MS,
  endsMs: null,
} as const;
const state: AlertState = {
  ...NO_STATE,
  turnMs: NOW_MS,
  firing: [{ ...texts, target: null, sinceMs: NOW_MS - 1000, seenMs: NOW_MS }],
  silences: [silence],
  recent: [
    { id: "alert_1", type: "alert.fired", at, fired_at: at, ...texts },
    { id: "alert_2", type: "alert.resolved", at, fired_at: at, ...texts },
  ],
  last: { ops: last },
};
const webhooks = [
  { name: "ops", form: "slack", url: secretUrl, secret: undefined },
  { name: "siem", form: "json", url: "http://siem.example:8080/in", secret: "a secret" },
] as const;
const { app } = startTestServer({
  alerts: {
    setup: { webhooks, rules },
    state: async () => state,
    silence: async (asked) => ({ id: "silence_2", ...asked, atMs: NOW_MS }),
    unsilence: async (id) => (id === silence.id ? silence : undefined),
    conditions: async () => ({ conditions: [], unknown: new Set() }),
    test: async (name) =>
      webhooks
        .filter((webhook) => name === undefined || webhook.name === name)
        .map((webhook) => ({ webhook: webhook.name, ok: true, status: "HTTP 200", latencyMs: 12 })),
  },
});

const headers = { "x-api-key": ADMIN_KEY };
const test = (payload: object) => post(app, "/admin/alerts/test", { payload, headers });

it("GET /admin/alerts has webhooks, rules and what fires, without addresses and secrets", async () => {
  const response = await get(app, "/admin/alerts", headers);
  const body = alertsBodySchema.parse(response.json());
  expect(body.webhooks).toEqual([
    { name: "ops", form: "slack", host: "hooks.example", signed: false, waiting: 0, last },
    { name: "siem", form: "json", host: "siem.example:8080", signed: true, waiting: 0, last: null },
  ]);
  expect(body.rules).toContainEqual({ rule: "spend_rise", on: false, thresholds: {} });
  expect(body.firing).toEqual([{ ...texts, target: null, since: new Date(NOW_MS - 1000).toISOString() }]);
  expect(body.recent.map(({ id }) => id)).toEqual(["alert_2", "alert_1"]);
  expect(body.looked_at).toBe(at);
  for (const secret of ["T0/B0", "a secret"]) expect(response.body).not.toContain(secret);
});

it("POST /admin/alerts/test sends to all webhooks or the named one, and says what they answered", async () => {
  expect(alertTestReplySchema.parse((await test({})).json()).data).toHaveLength(2);
  const answered = { webhook: "siem", ok: true, status: "HTTP 200", latency_ms: 12 };
  expect((await test({ webhook: "siem" })).json().data).toEqual([answered]);
  expect(await test({ webhook: "none" })).toMatchObject({ statusCode: 404 });
  expect((await test({ hook: "ops" })).statusCode).toBe(400);
});

it("/admin/alerts/silences silences an alert until a moment to come, and ends that", async () => {
  const asked = { rule: "error_rate", subject: "all", reason: "known" };
  const start = (payload: object) => post(app, "/admin/alerts/silences", { payload, headers });
  const ends_at = new Date(NOW_MS + 1000).toISOString();
  expect((await start({ ...asked, ends_at })).json()).toMatchObject({ created_by: "key_admin", ends_at });
  expect((await start({ ...asked, ends_at: at })).json().error.message).toMatch(
    /`ends_at` is ".*", which has passed/,
  );
  expect((await start({ ...asked, reason: "" })).statusCode).toBe(400);
  const end = (id: string) => app.inject({ method: "DELETE", url: `/admin/alerts/silences/${id}`, headers });
  expect((await end("silence_1")).json()).toMatchObject({ created_by_name: "Ada's app", ends_at: null });
  expect((await end("silence_9")).statusCode).toBe(404);
});
