import { describe, expect, it } from "vitest";
import type { ServerDependencies } from "../../../../src/gateway/dependencies.js";
import { alertFacts } from "../../../../src/gateway/features/alerts/alert-facts.js";
import { NO_STATE } from "../../../../src/gateway/features/alerts/alert-state.js";
import { replacedSecrets } from "../../../../src/gateway/features/alerts/attention.js";
import { attentionSchema } from "../../../../src/gateway/features/alerts/attention-schema.js";
import { conditionsOf } from "../../../../src/gateway/features/alerts/conditions.js";
import { alertsSchema } from "../../../../src/gateway/features/alerts/settings.js";
import { noStore } from "../../../../src/gateway/traces/no-store.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { ADMIN_KEY, get, keyMetadata, NOW_MS, noKeys, startTestServer } from "../../server.js";
import { failedTrace, traceWith, USAGE } from "../../traces/trace-for-test.js";

it("A replaced secret is listed for a day after it came the last time, the last used first", () => {
  const used = (name: string, last_at: string) => {
    const from = { last_address: "192.0.2.1", last_source: null };
    const refused = { requests: 2, first_at: "2026-01-01T01:00:00Z", last_at, ...from };
    const previous = { prefix: "pk_live_0123", expires_at: "2026-01-01T00:00:00Z", refused };
    return { id: `key_${name}`, name, previous };
  };
  const keys = [
    { id: "key_never", name: "never", previous: null },
    used("old", "2026-01-01T01:00:00Z"),
    used("a", "2026-01-02T01:00:00Z"),
    used("b", "2026-01-02T02:00:00Z"),
  ];
  const listed = replacedSecrets(keys, Date.parse("2026-01-02T00:00:00Z"));
  expect(listed.map(({ name }) => name)).toEqual(["b", "a"]);
  expect(listed[0]?.requests).toBe(2);
});

type Sources = Parameters<typeof alertFacts>[0];

/** Alerts with the usual rules over these parts. */
const alertsOver = (sources: Omit<Sources, "now">): ServerDependencies["alerts"] => {
  const { rules } = alertsSchema.parse({});
  const facts = alertFacts({ ...sources, now: () => NOW_MS });
  return {
    setup: { webhooks: [], rules },
    state: async () => NO_STATE,
    test: async () => [],
    silence: () => Promise.reject(new Error("nothing is silenced here")),
    unsilence: async () => undefined,
    conditions: async () => conditionsOf({ ...(await facts(rules)), providers: new Map() }, rules),
  };
};

describe("GET /admin/attention", () => {
  const list = [
    keyMetadata("key_a", "A"),
    keyMetadata("key_b", "B"),
    { ...keyMetadata("key_gone", "gone"), revoked_at: "2026-01-01T00:00:00.000Z" },
  ];
  const attention = async (...traces: readonly Trace[]) => {
    const sources = {
      traces: new MemoryTraceStore(traces),
      keys: {
        ...noKeys,
        list: () => list,
        limitsOf: (id: string) => ({
          requestsPerMinute: 10,
          tokensPerMinute: null,
          usdPerMonth: id === "key_b" ? null : 5,
        }),
      },
      limiter: {
        usedBy: async (ids: readonly string[]) =>
          ids.map(() => ({ requests: 8, tokens: 0, nanoUsd: 4_900_000_000 })),
        budgetUse: async () => [],
        refusals: () => [],
        refusalOf: async () => undefined,
      },
    };
    const { app } = startTestServer({ ...sources, alerts: alertsOver(sources) });
    return attentionSchema.parse((await get(app, "/admin/attention", { "x-api-key": ADMIN_KEY })).json());
  };

  it("has what the rules of alerts find, and spend", async () => {
    const model = { model: "gpt-4o-mini", provider: "openai" };
    const body = await attention(
      traceWith({ createdAtMs: NOW_MS - 1000, usage: { ...USAGE, total_cost_usd: 2 } }),
      ...[1, 2, 3, 4, 5].map((at) => failedTrace({ createdAtMs: NOW_MS - at, ...model })),
    );
    expect(body.conditions.map(({ rule, target, title }) => [rule, target, title])).toEqual([
      ["error_rate", { type: "provider", id: "openai" }, "High error rate: provider openai"],
      ["key_near_limit", { type: "key", id: "key_a" }, "Key A is near its limit"],
    ]);
    expect(body.unknown).toEqual([]);
    expect(body).toMatchObject({ spend: { day_usd: 2, week_usd: 2, month_usd: 2 }, pauses: [], events: [] });
  });

  it("has the stuck tool loops of the last hour, with the newest request of each", async () => {
    const loop = { turn: 9, tool_errors: 0, repeated_calls: 5, stuck_tool: "read", context_share: 0.5 };
    const stuck = (minutes: number) =>
      traceWith({ createdAtMs: NOW_MS - minutes * 60_000, toolLoop: { state: "stuck", ...loop } });
    const newest = stuck(2);
    const running = { ...loop, state: "running" as const, stuck_tool: null };
    const other = traceWith({ createdAtMs: NOW_MS - 1000, toolLoop: running });
    const body = await attention(stuck(70), stuck(3), newest, other);
    const at = new Date(NOW_MS - 120_000).toISOString();
    const found = { model: "gpt-4o-mini", source: "default", requests: 2, request_id: newest.requestId, at };
    expect(body.stuck).toEqual([found]);
  });

  it("names the providers that refuse the account", async () => {
    const model = (provider: string, reason: string | null) => {
      const health = { state: "open", reason, error_rate: 1, p50_ttft_ms: null } as const;
      return { provider, model: "model-a", health };
    };
    const { app: own, inference } = startTestServer();
    const refusing = [model("openai", "quota_exhausted"), model("mistral", "credentials_refused")];
    const others = [model("lab", "server_error"), model("groq", null)];
    inference.processHealth = { models: [...refusing, ...others], keys: [] };
    const { refused, providers } = (await get(own, "/admin/attention", { "x-api-key": ADMIN_KEY })).json();
    expect(providers).toContain("openai");
    expect(refused).toEqual({ openai: "quota_exhausted", mistral: "credentials_refused" });
  });

  it("does without traces", async () => {
    const limiter = {
      usedBy: () => [],
      budgetUse: async () => [],
      refusals: () => [],
      refusalOf: async () => undefined,
    };
    const { app: own } = startTestServer({ alerts: alertsOver({ traces: noStore, keys: noKeys, limiter }) });
    const response = await get(own, "/admin/attention", { "x-api-key": ADMIN_KEY });
    expect([response.statusCode, response.json().unknown, response.json().spend]).toEqual([
      200,
      ["spend_rise", "error_rate"],
      null,
    ]);
  });
});
