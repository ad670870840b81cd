import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/server/operations/metrics.js";
import type { Trace } from "../../../src/traces/trace.js";
import { USAGE } from "../../fakes/inference.js";
import { traceWith } from "../../traces/trace-for-test.js";
import { get, helloChat, postChat, startTestServer } from "../server.js";

const trace = (changes: Partial<Trace> = {}): Trace =>
  traceWith({
    latencyMs: 420,
    ttftMs: 80,
    streamed: true,
    usage: USAGE,
    attempts: [
      {
        provider: "azure",
        model: "gpt-4o-mini",
        status: 503,
        code: "overloaded",
        message: null,
        latency_ms: 5,
      },
      { provider: "openai", model: "gpt-4o-mini", status: 200, code: "ok", message: null, latency_ms: 9 },
    ],
    ...changes,
  });

/** The value of the one line with this name and labels. */
async function figure(metrics: { text(): Promise<string> }, line: string): Promise<number | undefined> {
  const found = (await metrics.text()).split("\n").filter((row) => row.startsWith(`${line} `));
  expect(found.length, line).toBeLessThan(2);
  return found[0] === undefined ? undefined : Number(found[0].slice(line.length));
}

describe("GET /metrics", () => {
  it("returns the Prometheus text format, without credentials", async () => {
    const { app } = startTestServer();
    const response = await app.inject({ url: "/metrics" });
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(response.body).toContain("# TYPE sextant_http_requests_total counter");
    await app.close();
  });

  it("counts every request by route, status and code, including refused ones", async () => {
    const { app, metrics } = startTestServer();
    await postChat(app, helloChat);
    await postChat(app, { ...helloChat, n: 0 });
    await postChat(app, helloChat, { "x-api-key": "pk_live_wrong" });
    await get(app, "/v1/models/a/b?secret=1");
    await app.inject({ url: "/nowhere/prompt" });
    const count = (labels: string) => figure(metrics, `sextant_http_requests_total{${labels}}`);
    const chat = 'method="POST",route="/v1/chat/completions"';
    expect(await count(`${chat},status="200",code=""`)).toBe(1);
    expect(await count(`${chat},status="400",code="invalid_request"`)).toBe(1);
    expect(await count(`${chat},status="401",code="invalid_api_key"`)).toBe(1);
    expect(await count('method="GET",route="/v1/models/*",status="404",code="model_not_found"')).toBe(1);
    expect(await count('method="GET",route="unmatched",status="404",code="not_found"')).toBe(1);
    expect(
      await figure(metrics, 'sextant_http_request_duration_seconds_count{route="/v1/chat/completions"}'),
    ).toBe(3);
    expect(await metrics.text()).not.toMatch(/secret|prompt"/);
    await app.close();
  });

  it("reports the number of requests in progress", async () => {
    const { app, inference, metrics } = startTestServer();
    let during: number | undefined;
    inference.outcomes.push(async () => {
      during = await figure(metrics, "sextant_requests_in_flight");
      throw new Error("enough");
    });
    await postChat(app, helloChat);
    expect([during, await figure(metrics, "sextant_requests_in_flight")]).toEqual([1, 0]);
    await app.close();
  });
});

describe("Metrics of finished requests", () => {
  it("count outcomes, tokens, dollars and attempts, and measure latency and time to first content", async () => {
    const metrics = createMetrics({ isKnownModel: () => true });
    metrics.record(trace());
    metrics.record(
      trace({
        status: "timeout",
        usage: null,
        ttftMs: null,
        error: { code: "upstream_timeout", message: "" },
      }),
    );
    const at = 'model="gpt-4o-mini",provider="openai"';
    const requests = (labels: string) =>
      figure(metrics, `sextant_requests_total{kind="chat",${labels},${at}}`);
    expect(await requests('status="success",code=""')).toBe(1);
    expect(await requests('status="timeout",code="upstream_timeout"')).toBe(1);
    expect(await figure(metrics, `sextant_tokens_total{${at},direction="prompt"}`)).toBe(9);
    expect(await figure(metrics, `sextant_tokens_total{${at},direction="completion"}`)).toBe(3);
    expect(await figure(metrics, `sextant_cost_usd_total{${at}}`)).toBe(USAGE.total_cost_usd);
    expect(await figure(metrics, 'sextant_attempts_total{provider="azure",code="overloaded"}')).toBe(2);
    expect(await figure(metrics, 'sextant_attempts_total{provider="openai",code="ok"}')).toBe(2);
    const kind = 'kind="chat",provider="openai"';
    expect(await figure(metrics, `sextant_request_latency_seconds_sum{${kind}}`)).toBeCloseTo(0.84);
    expect(await figure(metrics, `sextant_request_latency_seconds_bucket{le="0.5",${kind}}`)).toBe(2);
    expect(await figure(metrics, `sextant_ttft_seconds_count{${kind}}`)).toBe(1);
  });

  it("do not count an unknown cost as 0", async () => {
    const metrics = createMetrics({ isKnownModel: () => true });
    metrics.record(trace({ usage: { ...USAGE, total_cost_usd: null } }));
    expect(await metrics.text()).not.toMatch(/^sextant_cost_usd_total\{/m);
  });

  it("share one label for models outside the catalog, and have their own for a request that reached no model", async () => {
    const metrics = createMetrics({ isKnownModel: (model) => model.startsWith("known") });
    for (const model of ["invented-1", "invented-2", "known-1", null]) {
      metrics.record(trace({ model, provider: model === null ? null : "openai" }));
    }
    const labels = [...(await metrics.text()).matchAll(/^sextant_requests_total\{.*model="([^"]*)"/gm)];
    expect(labels.map(([, label]) => label).sort()).toEqual(["known-1", "none", "other"]);
  });

  it("have a bounded number of labels, however many models a catalog has", async () => {
    const metrics = createMetrics({ isKnownModel: () => true });
    for (let model = 0; model < 600; model++) metrics.record(trace({ model: `m${model}` }));
    const labels = [...(await metrics.text()).matchAll(/^sextant_cost_usd_total\{model="([^"]*)"/gm)];
    expect(labels).toHaveLength(501);
    expect(await figure(metrics, 'sextant_cost_usd_total{model="other",provider="openai"}')).toBeCloseTo(
      100 * (USAGE.total_cost_usd ?? 0),
    );
  });

  it("are separate for two servers in one process", async () => {
    const [one, other] = [
      createMetrics({ isKnownModel: () => true }),
      createMetrics({ isKnownModel: () => true }),
    ];
    one.record(trace());
    expect(await other.text()).not.toMatch(/^sextant_requests_total\{/m);
  });
});

describe("Metrics of length corrections", () => {
  const correction = { ratio: 1.4, answers: 35 };

  it("show the current values, for models of the catalog alone", async () => {
    const metrics = createMetrics({ isKnownModel: (model) => model.startsWith("known") });
    const corrections = new Map([
      ["known-1", correction],
      ["invented", correction],
    ]);
    metrics.watchLengths(() => corrections);
    expect(await figure(metrics, 'sextant_answer_length_ratio{model="known-1"}')).toBe(1.4);
    expect(await metrics.text()).not.toContain("invented");
    corrections.delete("known-1");
    expect(await metrics.text()).not.toMatch(/^sextant_answer_length_ratio\{/m);
  });

  it("are not summed over processes, which all have the same", async () => {
    const [one, other] = [0, 1].map(() => {
      const metrics = createMetrics({ isKnownModel: () => true });
      metrics.watchLengths(() => new Map([["m", correction]]));
      return metrics;
    });
    const text = await one?.textWith([(await other?.share()) ?? []]);
    expect(text).toMatch(/^sextant_answer_length_ratio\{model="m"\} 1\.4$/m);
  });
});

describe("Process metrics", () => {
  const metrics = createMetrics({ isKnownModel: () => true });

  it("exist once the process is observed: CPU, memory, event loop lag", async () => {
    expect(await metrics.text()).not.toContain("process_cpu");
    metrics.watchProcess();
    const text = await metrics.text();
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "nodejs_eventloop_lag_p99_seconds",
    ])
      expect(text).toContain(`# TYPE ${name} `);
  });
});
