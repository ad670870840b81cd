import { describe, expect, it } from "vitest";
import { attentionSchema } from "../../../../src/gateway/api/attention.js";
import {
  failingIn,
  HOUR_MS,
  replacedSecrets,
  spendIn,
} from "../../../../src/gateway/server/admin/attention.js";
import type { SeriesPoint } from "../../../../src/gateway/traces/series.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { failedTrace, traceWith, USAGE } from "../../traces/trace-for-test.js";
import { ADMIN_KEY, get, keyMetadata, NOW_MS, noKeys, startTestServer } from "../server.js";

const pointAt = (startMs: number, parts: Partial<SeriesPoint>): SeriesPoint => ({
  startMs,
  group: "m",
  requests: 0,
  errors: 0,
  timeouts: 0,
  decisions: 0,
  tokensIn: 0,
  tokensOut: 0,
  costUsd: 0,
  requestsWithoutCost: 0,
  latencyMs: null,
  ttftMs: null,
  streamedLatencyMs: null,
  requestsWithBaseline: 0,
  baselineCostUsd: 0,
  savedUsd: 0,
  ...parts,
});

describe("A model that fails", () => {
  const [NOW, BEFORE] = [9 * HOUR_MS, 5 * HOUR_MS];
  const failing = (now: Partial<SeriesPoint>, before: Partial<SeriesPoint> = {}) =>
    failingIn([pointAt(BEFORE, before), pointAt(NOW, now)], { by: "model", endMs: 10 * HOUR_MS });

  it.each([
    ["more than before", { requests: 100, errors: 8 }, { requests: 1000, errors: 5 }, true],
    ["as before", { requests: 100, errors: 8 }, { requests: 1000, errors: 70 }, false],
    ["mostly, as before", { requests: 10, timeouts: 6 }, { requests: 1000, errors: 700 }, true],
    ["for the first time", { requests: 10, errors: 3 }, {}, true],
    ["once or twice", { requests: 2, errors: 2 }, {}, false],
    ["seldom", { requests: 1000, errors: 20 }, {}, false],
    ["not now", {}, { requests: 10, errors: 10 }, false],
  ])("is listed when it does so %s: %o", (_, now, before, isListed) => {
    expect(failing(now, before).length > 0).toBe(isListed);
  });

  it("comes with both shares, without decisions alone", () => {
    expect(
      failing({ requests: 12, decisions: 2, errors: 5 }, { requests: 100, errors: 1, timeouts: 1 }),
    ).toEqual([{ by: "model", name: "m", requests: 10, failed: 5, share_before: 0.02 }]);
    expect(failing({ requests: 4, errors: 4 })[0]?.share_before).toBeNull();
  });
});

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

it("Spend is compared with the same part of the same day a week ago, and with the week before", () => {
  const nowMs = Date.UTC(2026, 0, 15, 12, 30);
  const ago = (days: number, hours: number) => nowMs - days * 24 * HOUR_MS - hours * HOUR_MS - HOUR_MS / 2;
  const spend = [
    [ago(0, 1), 1],
    [ago(0, 20), 2],
    [ago(7, 1), 4],
    [ago(7, 20), 8],
    [ago(7, -3), 16],
  ].map(([startMs = 0, costUsd = 0]) => pointAt(startMs, { costUsd }));
  const compared = { day_usd: 1, day_before_usd: 4, week_usd: 19, week_before_usd: 12 };
  expect(spendIn(spend, nowMs)).toEqual(compared);
});

describe("GET /admin/attention", () => {
  const list = [
    keyMetadata("key_a", "A"),
    keyMetadata("key_b", "B"),
    { ...keyMetadata("key_gone", "gone"), revoked_at: "2026-01-01T00:00:00.000Z" },
  ];
  const attention = async (...traces: readonly Trace[]) => {
    const { app } = startTestServer({
      traces: new MemoryTraceStore(traces),
      keys: {
        ...noKeys,
        list: () => list,
        limitsOf: () => ({ requestsPerMinute: 10, tokensPerMinute: null, usdPerMonth: 5 }),
      },
      limiter: {
        usedBy: async (ids) => ids.map((_, at) => ({ requests: at * 8, tokens: 0, nanoUsd: 4_900_000_000 })),
        budgetUse: async () => [],
        refusals: () => [],
        refusalOf: () => undefined,
      },
    });
    return attentionSchema.parse((await get(app, "/admin/attention", { "x-api-key": ADMIN_KEY })).json());
  };

  it("has keys near their limits, what fails, and spend", async () => {
    const model = { model: "gpt-4o-mini", provider: "openai" };
    const body = await attention(
      traceWith({ createdAtMs: NOW_MS - 1000, usage: { ...USAGE, total_cost_usd: 2 } }),
      ...[1, 2, 3].map((at) => failedTrace({ createdAtMs: NOW_MS - at, ...model })),
    );
    expect(body.keys.map(({ id, limit, used, most }) => [id, limit, used, most])).toEqual([
      ["key_a", "usd_per_month", 4.9, 5],
      ["key_b", "usd_per_month", 4.9, 5],
      ["key_b", "requests_per_minute", 8, 10],
    ]);
    expect(body.failing?.map(({ by, name, failed, requests }) => [by, name, failed, requests])).toEqual([
      ["provider", "openai", 3, 4],
      ["model", "gpt-4o-mini", 3, 4],
    ]);
    expect(body).toMatchObject({ spend: { day_usd: 2, week_usd: 2 }, pauses: [], events: [] });
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
    const { refused } = (await get(own, "/admin/attention", { "x-api-key": ADMIN_KEY })).json();
    expect(refused).toEqual({ openai: "quota_exhausted", mistral: "credentials_refused" });
  });

  it("does without traces", async () => {
    const { app: own } = startTestServer();
    const response = await get(own, "/admin/attention", { "x-api-key": ADMIN_KEY });
    expect([response.statusCode, response.json().failing, response.json().spend]).toEqual([200, null, null]);
  });
});
