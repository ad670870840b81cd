import { beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import type { Trace } from "../../src/gateway/traces/trace.js";
import { cliRun } from "../fakes/cli-context.js";
import { MemoryTraceStore } from "../fakes/trace-store.js";
import { failedTrace, NOON, routedTrace, traceWith, USAGE } from "../gateway/traces/trace-for-test.js";
import { folderForTest } from "../support/folders.js";

const DAY = 86_400_000;
const MODELS = ["gpt-5.5", "gpt-5.4-mini"];

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const asked = (input: string, more: Partial<Trace> = {}): Trace =>
  routedTrace({
    ...{ model: "gpt-5.5", provider: "openai", content: { input, output: "…" } },
    usage: { ...USAGE, total_cost_usd: 0.02 },
    ...more,
  });

const ALL = [
  asked("What is 2 + 2?"),
  asked("Prove that the square root of 2 is irrational."),
  asked("Old question", { createdAtMs: NOON - 40 * DAY }),
  asked("no text", { content: null }),
  failedTrace(),
  traceWith({ content: { input: "named its model", output: "…" } }),
];

const replay = (...argv: string[]) => replayOf(ALL, ...argv);

async function replayOf(traces: readonly Trace[], ...argv: string[]) {
  const store = new MemoryTraceStore();
  await store.append(traces);
  const cli = cliRun({ workingDirectory: folder, nowMs: NOON, traces: store });
  const exitCode = await runCli(["replay", ...argv], { ...cli.context, openRouter: openRouterFromSettings });
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr() };
}

describe("sextant replay", () => {
  it("says what each cost weight would have chosen and cost, and what is left out", async () => {
    const { exitCode, stdout, stderr } = await replay(
      "--models",
      MODELS.join(),
      "--cost-weight",
      "0,1",
      "--moves",
    );
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/left out: 1 whose text was not kept, 1 that failed, or asked for embeddings/),
    ]);
    expect(stdout).toMatch(/^4 requests, \$0\.06040 for the 4 whose cost is known; profiles default@/);
    expect(stdout).toMatch(/^1 +100\.0% +\$0\.00\d+ \[.*\] +−\d+\.\d% \[−100\.0%, .*\] +−\d+\.\d\d \[/m);
    expect(stdout).toMatch(/cost weight 1:\n.*\ngpt-5\.5 +gpt-5\.4-mini +3 +−\d/);
  }, 60_000);

  it("names no spend where nothing was billed", async () => {
    const decided = asked("What is 2 + 2?", { usage: null });
    const { stdout } = await replayOf([decided], "--models", MODELS.join(), "--cost-weight", "0,1");
    expect(stdout).toMatch(/^1 requests, none with a known cost; profiles /);
    expect(stdout).toMatch(/^1 +\S+% +– +– +\S/m);
    expect(stdout).not.toContain("$");
  }, 60_000);

  it("reads the requests since then, as JSON", async () => {
    const { stdout } = await replay(
      "--models",
      MODELS.join(),
      "--cost-weight",
      "1",
      "--since",
      "30d",
      "--json",
    );
    expect(JSON.parse(stdout)).toMatchObject({
      reports: [{ cost_weight: 1, requests: 3, changed: 3, spend: { actual_usd: 0.0404 } }],
      left_out: { text: 1, failed: 1, named: 0, undecidable: 0 },
      feedback: null,
    });
  }, 60_000);

  it("compares the decisions of a shadow set with the live ones", async () => {
    const { routing } = routedTrace();
    if (routing === null) throw new Error("a routed trace has a decision");
    const expected = { expected_quality: 0.9, expected_cost_usd: 0.001 };
    const shadow = {
      ...{ profile_version: "next@1", selected_model: "gpt-5.5", ...expected },
      live_model: { expected_quality: 0.8, expected_cost_usd: 0.002 },
    };
    const traces = [asked("What is 2 + 2?", { routing: { ...routing, shadow } }), asked("Why?")];
    const { stdout } = await replayOf(traces, "--models", MODELS.join(), "--cost-weight", "1");
    expect(stdout).toMatch(
      /Shadow set next@1: another model for 100\.0% of 1 requests\. .*by its own: spend −50\.0%, quality \+10\.00 points\.$/m,
    );
  }, 60_000);

  it("explains why nothing can be decided again", async () => {
    const { exitCode, stderr } = await replay("--cost-weight", "1", "--source", "nobody");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^sextant: no request can be decided again by default@\w+; none left out\n$/);
    expect((await replay("--cost-weight", "1.5")).stderr).toContain("It must be numbers from 0 to 1");
  }, 60_000);
});
