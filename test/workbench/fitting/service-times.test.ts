/** Planted times and failures, and the decisions of a set that was built from them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { withRouter } from "../../../src/compose/workbench.js";
import { latencyMs, successOf } from "../../../src/engine/estimation/model-service.js";
import type { Decision, RouteRequest } from "../../../src/engine/router/decision.js";
import type { Router } from "../../../src/engine/router/router.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { joinServices, ServiceTimes } from "../../../src/workbench/fitting/service-times.js";
import { buildSet } from "../../../src/workbench.js";
import { jsonLines, SAMPLE, sampleRows } from "../../cli/profile/sample-commands.js";
import { folderForTests } from "../../support/folders.js";
import { normalOf } from "../statistics.js";

const BARE = { score: 1, tokensOut: null, latencyMs: null, ttftMs: null, failures: null };

/** 800 ms and 12 ms a token, with a logarithmic spread of .3. */
function planted(seed: number) {
  const random = seededRandom(seed);
  const normal = normalOf(random);
  return Array.from({ length: 400 }, () => {
    const tokensOut = 20 + Math.floor(random() * 1500);
    return { tokensOut, latencyMs: (800 + 12 * tokensOut) * Math.exp(0.3 * normal()) };
  });
}

describe("Times of a model's calls", () => {
  it("are a base and a time a token, and keep to a quantile as often as it says", () => {
    const rows = planted(1);
    const times = new ServiceTimes();
    for (const row of rows) times.add({ ...BARE, ...row });
    const service = times.finish();
    expect(Math.abs((service?.whole?.base_ms ?? 0) - 800)).toBeLessThan(300);
    expect(service?.whole?.ms_per_token).toBeCloseTo(12, -0.5);
    expect(service?.whole?.spread).toBeCloseTo(0.3, 1);
    for (const confidence of [0.5, 0.9, 0.95]) {
      const asked = { of: "whole", confidence } as const;
      const kept = rows.filter((row) => row.latencyMs <= latencyMs(service, row.tokensOut, asked)).length;
      expect(Math.abs(kept / rows.length - confidence)).toBeLessThan(0.05);
    }
    expect(latencyMs(service, 100, { of: "first_token", confidence: 0.9 })).toBeNaN();
  });

  it("need ten answers, while failures count from the first", () => {
    const times = new ServiceTimes();
    for (let call = 0; call < 9; call++) times.add({ ...BARE, latencyMs: 100, failures: call === 0 ? 2 : 0 });
    times.add({ ...BARE, score: null, failures: 1 });
    expect(times.finish()).toEqual({ calls: { answers: 9, failures: 3 } });
    expect(new ServiceTimes().finish()).toBeUndefined();
  });

  it("shrinks the share of answered calls to that of the set, and is 1 where no one counted", () => {
    const calls = (answers: number, failures: number) => ({ calls: { answers, failures } });
    const [good, bad, unknown] = successOf([calls(200, 0), calls(180, 20), undefined]);
    expect(unknown).toBeCloseTo(0.95, 6);
    expect(good).toBeCloseTo((200 + 20 * 0.95) / 220, 6);
    expect(bad).toBeCloseTo((180 + 20 * 0.95) / 220, 6);
    const uncounted = { whole: { base_ms: 1, ms_per_token: 1, spread: 0 } };
    expect([...successOf([undefined, uncounted])]).toEqual([1, 1]);
  });

  it("are joined with later ones: counts are added, later times take the place", () => {
    const first = { calls: { answers: 9, failures: 1 }, first_token: { ms: 300, spread: 0.2 } };
    const later = { calls: { answers: 5, failures: 0 }, whole: { base_ms: 5, ms_per_token: 1, spread: 0.1 } };
    expect(joinServices(first, later)).toEqual({
      calls: { answers: 14, failures: 1 },
      whole: later.whole,
      first_token: first.first_token,
    });
    expect(joinServices(undefined, later)).toBe(later);
  });
});

const folder = folderForTests();
const FROM = { workingDirectory: folder, environment: {} };

/** The sample, in which the large model takes 9 s and fails once in four, and the small one takes half a second; one is untimed. */
beforeAll(async () => {
  const timed = sampleRows("outcomes").map((row, index) => {
    const isLarge = row.model === "sample-large";
    const latency_ms = (isLarge ? 9000 : 500) * (1 + (index % 7) / 50);
    const failures = isLarge && index % 12 === 0 ? 1 : 0;
    return row.model === "sample-coder" ? row : { ...row, latency_ms, failures };
  });
  writeFileSync(join(folder, "timed.jsonl"), jsonLines(timed));
  const named = { prompts: [SAMPLE], name: "set", builtAt: "2026-01-01T00:00:00Z", keepNames: true };
  for (const [name, outcomes] of [
    ["timed", join(folder, "timed.jsonl")],
    ["plain", SAMPLE],
  ] as const)
    await buildSet({ ...named, outcomes: [outcomes], folder: join(folder, name) }, FROM);
});

const ask = (set: string, request: Partial<RouteRequest>): Promise<Decision> => {
  const messages = [{ role: "user" as const, content: "What is 12 times 12?" }];
  const use = (router: Router) => router.route({ messages, ...request });
  return withRouter({ set: join(folder, set) }, { from: FROM, use });
};

describe("A set built from outcomes with times and failures", () => {
  it("leaves out models that are too slow or were not timed, with the field", async () => {
    const free = await ask("timed", {});
    expect(free.selectedModel).toBe("sample-large");
    const limited = await ask("timed", { maxLatency: { ms: 2000, of: "whole", confidence: 0.95 } });
    expect(limited.selectedModel).not.toBe("sample-large");
    expect(limited.excluded).toEqual([
      { model: "sample-coder", reason: "unknown_latency", param: "max_latency_ms" },
      { model: "sample-large", reason: "too_slow", param: "max_latency_ms" },
    ]);
    expect(limited.reason).toMatch(/; 95% of answers are within 2 s as measured, 0\.[56] s expected/);
    expect(Math.abs((limited.candidates[0]?.expectedMs ?? 0) - 550)).toBeLessThan(150);
  });

  it("refuses a limit that fewer than two models keep to", async () => {
    const limit = { ms: 100, of: "whole", confidence: 0.9 } as const;
    await expect(ask("timed", { maxLatency: limit })).rejects.toThrow(/too_slow.*Raise `max_latency_ms`/s);
    await expect(ask("plain", { maxLatency: limit })).rejects.toThrow(
      /\(unknown_latency\) at `max_latency_ms` \d+\. .*`sextant profile from-traces --since 30d .*`latency_ms`/s,
    );
  });

  it("counts time by its weight", async () => {
    const weighed = await ask("timed", { latencyWeight: 10 });
    expect(weighed.selectedModel).not.toBe("sample-large");
    expect(weighed.reason).toMatch(
      /^best trade of expected quality against time; 0\.\d s expected, which counts/,
    );
    expect((await ask("timed", { latencyWeight: 0.001 })).selectedModel).toBe("sample-large");
  });

  it("expects less of a model that fails, in proportion", async () => {
    const [timed, plain] = [await ask("timed", {}), await ask("plain", {})];
    const large = ({ candidates }: Decision) => candidates.find(({ model }) => model === "sample-large");
    const success = large(timed)?.successProbability as number;
    expect(Math.abs(success - 0.76)).toBeLessThan(0.06);
    expect(large(timed)?.expectedQuality).toBeCloseTo(success * (large(plain)?.expectedQuality as number), 2);
    expect(large(plain)).not.toHaveProperty("successProbability");
    expect(large(plain)).not.toHaveProperty("expectedMs");
  });
});
