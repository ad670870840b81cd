import { describe, expect, it } from "vitest";
import type { LimitUse } from "../../../../../src/gateway/access/limits/limit-use.js";
import { type AlertRules, alertsSchema } from "../../../../../src/gateway/features/alerts/settings.js";
import { createMetrics } from "../../../../../src/gateway/features/operations/metrics/metrics.js";
import {
  conditionReadings,
  lengthReadings,
  limitUseReadings,
} from "../../../../../src/gateway/features/operations/metrics/readings.js";
import type { Trace } from "../../../../../src/gateway/traces/trace.js";
import { USAGE } from "../../../../fakes/inference.js";
import { get, helloChat, postChat, startTestServer } from "../../../server.js";
import { attemptOf, traceWith } from "../../../traces/trace-for-test.js";

const failed = attemptOf({ provider: "azure", status: 503, code: "overloaded" });
function trace({ model = "gpt-4o-mini", ...changes }: Partial<Trace> = {}): Trace {
  const made = traceWith({ latencyMs: 420, ttftMs: 80, streamed: true, usage: USAGE, ...changes, model });
  const answered = made.attempts.map((attempt) => ({ ...attempt, model: model ?? "none" }));
  return { ...made, attempts: [failed, ...answered] };
}

const LAG = "nodejs_eventloop_lag_p99_seconds";
const allModels = () => createMetrics({ isKnownModel: () => true });

type Readable = { text(): Promise<string> };

/** Name and labels of each line → its value. */
async function figures(metrics: Readable): Promise<Readonly<Record<string, number>>> {
  const lines = (await metrics.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const entries = lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]);
  expect(new Set(entries.map(([name]) => name)).size).toBe(lines.length);
  return Object.fromEntries(entries);
}

/** What the lines with this name have of a label. */
const labelsOf = async (metrics: Readable, name: string, label: string) =>
  Object.keys(await figures(metrics))
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? "");

describe("GET /metrics", () => {
  it("returns the Prometheus text format, without credentials", async () => {
    const { app } = startTestServer();
    const response = await app.inject({ url: "/metrics" });
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(response.body).toContain("# TYPE sextant_http_requests_total counter");
  });

  it("counts every request by route, status and code, including refused ones", async () => {
    const { app, metrics } = startTestServer();
    await postChat(app, helloChat);
    await postChat(app, { ...helloChat, n: 0 });
    await postChat(app, helloChat, { "x-api-key": "pk_live_wrong" });
    await get(app, "/v1/models/a/b?secret=1");
    await app.inject({ url: "/nowhere/prompt" });
    const [chat, count] = ["/v1/chat/completions", "sextant_http_requests_total"];
    expect(await figures(metrics)).toMatchObject({
      [`${count}{method="POST",route="${chat}",status="200",code=""}`]: 1,
      [`${count}{method="POST",route="${chat}",status="400",code="invalid_request"}`]: 1,
      [`${count}{method="POST",route="${chat}",status="401",code="invalid_api_key"}`]: 1,
      [`${count}{method="GET",route="/v1/models/*",status="404",code="model_not_found"}`]: 1,
      [`${count}{method="GET",route="unmatched",status="404",code="not_found"}`]: 1,
      [`sextant_http_request_duration_seconds_count{route="${chat}"}`]: 3,
    });
    expect(await metrics.text()).not.toMatch(/secret|prompt"/);
  });

  it("reports the number of requests in progress", async () => {
    const { app, inference, metrics } = startTestServer();
    const running = async () => (await figures(metrics)).sextant_requests_in_flight;
    let during: number | undefined;
    inference.outcomes.push(async () => {
      during = await running();
      throw new Error("enough");
    });
    await postChat(app, helloChat);
    expect([during, await running()]).toEqual([1, 0]);
  });
});

describe("Metrics of finished requests", () => {
  it("count outcomes, tokens, dollars and attempts, and measure latency and time to first content", async () => {
    const metrics = allModels();
    metrics.record(trace());
    const error = { code: "upstream_timeout", message: "" } as const;
    metrics.record(trace({ status: "timeout", usage: null, ttftMs: null, error }));
    const at = 'model="gpt-4o-mini",provider="openai"';
    const kind = 'kind="chat",provider="openai"';
    expect(await figures(metrics)).toMatchObject({
      [`sextant_requests_total{kind="chat",status="success",code="",${at}}`]: 1,
      [`sextant_requests_total{kind="chat",status="timeout",code="upstream_timeout",${at}}`]: 1,
      [`sextant_tokens_total{${at},direction="prompt"}`]: 9,
      [`sextant_tokens_total{${at},direction="completion"}`]: 3,
      [`sextant_cost_usd_total{${at}}`]: USAGE.total_cost_usd,
      'sextant_attempts_total{provider="azure",code="overloaded"}': 2,
      'sextant_attempts_total{provider="openai",code="ok"}': 2,
      [`sextant_request_latency_seconds_sum{${kind}}`]: expect.closeTo(0.84),
      [`sextant_request_latency_seconds_bucket{le="0.5",${kind}}`]: 2,
      [`sextant_ttft_seconds_count{${kind}}`]: 1,
    });
  });

  it("do not count an unknown cost as 0, but as a call without a price", async () => {
    const metrics = allModels();
    metrics.record(trace({ usage: { ...USAGE, total_cost_usd: null } }));
    expect(await labelsOf(metrics, "sextant_cost_usd_total", "model")).toEqual([]);
    const unpriced = 'sextant_unpriced_calls_total{model="gpt-4o-mini",provider="openai"}';
    expect(await figures(metrics)).toMatchObject({ [unpriced]: 1 });
  });

  it("share one label for models outside the catalog, and have their own for a request that reached no model", async () => {
    const metrics = createMetrics({ isKnownModel: (model) => model.startsWith("known") });
    for (const model of ["invented-1", "invented-2", "known-1", null]) {
      metrics.record(trace({ model, provider: model === null ? null : "openai" }));
    }
    const labels = await labelsOf(metrics, "sextant_requests_total", "model");
    expect(labels.sort()).toEqual(["known-1", "none", "other"]);
  });

  it("have a bounded number of labels, however many models a catalog has", async () => {
    const metrics = allModels();
    for (let model = 0; model < 600; model++) metrics.record(trace({ model: `m${model}` }));
    expect(await labelsOf(metrics, "sextant_cost_usd_total", "model")).toHaveLength(501);
    expect(await figures(metrics)).toMatchObject({
      'sextant_cost_usd_total{model="other",provider="openai"}': expect.closeTo(
        100 * (USAGE.total_cost_usd ?? 0),
      ),
    });
  });
});

it("Counters that alert rules watch begin at 0, so that the first event is an increase", async () => {
  const metrics = createMetrics({ isKnownModel: () => true, providers: ["openai"] });
  metrics.routeAdded({ method: "POST", route: "/v1/router" });
  expect(await figures(metrics)).toMatchObject({
    'sextant_attempts_total{provider="openai",code="timeout"}': 0,
    'sextant_http_requests_total{method="POST",route="/v1/router",status="503",code="overloaded"}': 0,
    'sextant_http_requests_total{method="POST",route="/v1/router",status="500",code="internal_error"}': 0,
  });
});

it("Metrics of length corrections show the current values, for models of the catalog alone", async () => {
  const metrics = allModels();
  const correction = { ratio: 1.4, answers: 35 };
  const corrections = new Map(["known-1", "invented"].map((model) => [model, correction]));
  metrics.watch("answerLength", () => lengthReadings(corrections, (model) => model.startsWith("known")));
  expect(await figures(metrics)).toMatchObject({ 'sextant_answer_length_ratio{model="known-1"}': 1.4 });
  expect(await metrics.text()).not.toContain("invented");
  corrections.delete("known-1");
  expect(await labelsOf(metrics, "sextant_answer_length_ratio", "model")).toEqual([]);
});

it("Metrics of decisions count those without evidence near the prompt apart", async () => {
  const metrics = allModels();
  const routing = { selected_model: "small", out_of_distribution: false } as unknown as Trace["routing"];
  metrics.record(trace({ routing }));
  metrics.record(trace({ routing, status: "error", error: { code: "upstream_error", message: "" } }));
  const count = 'sextant_decisions_total{kind="chat",out_of_distribution="false"}';
  expect(await figures(metrics)).toMatchObject({ [count]: 2 });
});

it("Metrics of conditions count what each rule of alerts finds that is on and needs no traces, without names", async () => {
  const metrics = allModels();
  const { rules } = alertsSchema.parse({ rules: { budget_forecast: false } });
  const asked: AlertRules[] = [];
  const near = { rule: "key_near_limit", subject: "app 1", target: null, title: "", detail: "" } as const;
  metrics.watch("conditions", () =>
    conditionReadings({
      setup: { webhooks: [], rules },
      conditions: async (read = rules) => {
        asked.push(read);
        return { conditions: [near, near], unknown: new Set(["budget"]) };
      },
    }),
  );
  expect(await labelsOf(metrics, "sextant_conditions", "rule")).toEqual(["provider_down", "key_near_limit"]);
  expect(await figures(metrics)).toMatchObject({ 'sextant_conditions{rule="key_near_limit"}': 2 });
  expect(await metrics.text()).not.toContain("app ");
  expect(asked[0]).toMatchObject({ spend_rise: false, error_rate: false });
});

describe("Metrics of limits", () => {
  const uses = (count: number): readonly LimitUse[] =>
    Array.from({ length: count }, (_, at) => ({
      id: `key_${at}`,
      name: `app ${at}`,
      limit: "budget",
      ratio: at / count,
    }));

  it("show the hundred keys nearest to a limit by their ids, and by their names where those may be shown", async () => {
    const metrics = allModels();
    const near: LimitUse = { id: "key_199", name: "app 199", limit: "tokens", ratio: 0.1 };
    metrics.watch("limitUse", () => limitUseReadings([...uses(200), near], { names: "hidden" }));
    const shown = await labelsOf(metrics, "sextant_key_limit_used_ratio", "key_id");
    const numbers = shown.map((id) => Number(id.slice("key_".length)));
    expect([shown.length, Math.min(...numbers)]).toEqual([101, 100]);
    const tokens = 'sextant_key_limit_used_ratio{key_id="key_199",key="",limit="tokens"}';
    expect(await figures(metrics)).toMatchObject({ [tokens]: 0.1 });
    expect(await metrics.text()).not.toContain("app ");
    const labels = { key_id: "key_199", key: "app 199", limit: "tokens" };
    expect(limitUseReadings([near], { names: "shown" })[0]?.labels).toEqual(labels);
  });

  it("count refused requests by key and limit, those of tokens together, and bound their number", async () => {
    const metrics = allModels();
    const refuse = (id: string, limit: "requests" | "tokens" | "budget") =>
      metrics.refused(id, limit, { budget: null });
    refuse("key_a", "requests");
    refuse("key_a", "requests");
    refuse("key_a", "budget");
    refuse("jwt:ada@example.com", "tokens");
    refuse("jwt:bob@example.com", "tokens");
    for (let index = 0; index < 200; index++) refuse(`key_${index}`, "requests");
    expect(await figures(metrics)).toMatchObject({
      'sextant_limit_refusals_total{key_id="key_a",limit="requests"}': 2,
      'sextant_limit_refusals_total{key_id="key_a",limit="budget"}': 1,
      'sextant_limit_refusals_total{key_id="jwt",limit="tokens"}': 2,
      'sextant_limit_refusals_total{key_id="other",limit="requests"}': 102,
    });
    expect(await metrics.text()).not.toContain("example.com");
  });
});

it("Process metrics exist once the process is observed: CPU, memory, event loop lag", async () => {
  const metrics = allModels();
  expect(await metrics.text()).not.toContain("process_cpu");
  metrics.watchProcess();
  const text = await metrics.text();
  for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", LAG])
    expect(text).toContain(`# TYPE ${name} `);
});
