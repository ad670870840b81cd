import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Trace } from "../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../fakes/trace-store.js";
import { failedTrace, NOON, routedTrace, said, traceWith, USAGE } from "../gateway/traces/trace-for-test.js";
import { folderForTests } from "../support/folders.js";
import { jsonLines, SAMPLE, sampleRows, sextant } from "./profile/sample-commands.js";

const DAY = 86_400_000;
const MODELS = "--models gpt-5.5,gpt-5.4-mini";

/** A set of models that have list prices. */
const folder = folderForTests();
beforeAll(async () => {
  const names = new Map([
    ["sample-large", "gpt-5.5"],
    ["sample-medium", "gpt-4o-mini"],
    ["sample-small", "gpt-5.4-mini"],
  ]);
  const outcomes = sampleRows("outcomes").flatMap((row) => {
    const model = names.get(String(row.model));
    return model === undefined ? [] : [{ ...row, model }];
  });
  writeFileSync(join(folder, "outcomes.jsonl"), jsonLines(outcomes));
  const build = `profile build --prompts ${SAMPLE} --outcomes outcomes.jsonl --out ours`;
  expect((await sextant(folder, build)).exitCode).toBe(0);
});

const asked = (input: string, more: Partial<Trace> = {}): Trace =>
  routedTrace({
    model: "gpt-5.5",
    provider: "openai",
    content: { input: said(input), output: "…" },
    usage: { ...USAGE, total_cost_usd: 0.02 },
    ...more,
  });

const ALL = [
  asked("What is 2 + 2?"),
  asked("Prove that the square root of 2 is irrational."),
  asked("Old question", { createdAtMs: NOON - 40 * DAY }),
  asked("no text", { content: null }),
  failedTrace(),
  traceWith({ content: { input: said("named its model"), output: "…" } }),
];

async function replay(line: string, traces: readonly Trace[] = ALL) {
  const store = new MemoryTraceStore();
  await store.append(traces);
  return sextant(folder, `replay --profiles ours ${line}`, { nowMs: NOON, traces: store });
}

describe("sextant replay", () => {
  it("says what each cost weight would have chosen and cost, and what is left out", async () => {
    const { stdout, stderr } = await replay(`${MODELS} --cost-weight 0,1 --moves`);
    expect(stderr).toMatch(/left out: 1 whose text was not kept, 1 that failed, or asked for embeddings/);
    expect(stdout).toMatch(/^4 requests, \$0\.06040 for the 4 whose cost is known; profiles ours@/);
    expect(stdout).toMatch(/^1 +100\.0% +\$0\.00\d+ \[.*\] +−\d+\.\d% \[−99\.9%, .*\] +−\d+\.\d\d \[/m);
    expect(stdout).toMatch(/cost weight 1:\n.*\ngpt-5\.5 +gpt-5\.4-mini +3 +−\d/);
  });

  it("names no spend where nothing was billed", async () => {
    const unbilled = [asked("What is 2 + 2?", { usage: null })];
    const { stdout } = await replay(`${MODELS} --cost-weight 0,1`, unbilled);
    expect(stdout).toMatch(/^1 requests, none with a known cost; profiles /);
    expect(stdout).toMatch(/^1 +\S+% +– +– +\S/m);
    expect(stdout).not.toContain("$");
  });

  it("reads the requests since then, as JSON", async () => {
    const { stdout } = await replay(`${MODELS} --cost-weight 1 --since 30d --json`);
    const report = { cost_weight: 1, requests: 3, changed: 3, spend: { actual_usd: 0.0404 } };
    const left_out = { text: 1, failed: 1, named: 0, undecidable: 0 };
    expect(JSON.parse(stdout)).toMatchObject({ reports: [report], left_out, feedback: null });
  });

  it("explains why nothing can be decided again", async () => {
    const { exitCode, stderr } = await replay("--cost-weight 1 --source nobody");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^sextant: no request can be decided again by ours@\w+; none left out\n$/);
    expect((await replay("--cost-weight 1.5")).stderr).toContain("It must be numbers from 0 to 1");
  });
});
