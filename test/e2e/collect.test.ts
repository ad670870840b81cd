/** A collection survives kills, refusals, limits and interrupts: nothing is lost and nothing is paid twice. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderForTest } from "../support/folders.js";
import {
  ANSWER_USD,
  BillingProvider,
  filesOf,
  linesOf,
  MODELS,
  type ProviderManners,
  prepare,
  startCollect,
} from "./collecting.js";

/** More than what ten lives can ask. */
const PROMPTS = 100;
const QUESTIONS = PROMPTS * MODELS.length;
const WHOLE = ["answers.jsonl", "journal.jsonl", "outcomes.jsonl", "prompts.jsonl"];

let folder: string;
let provider: BillingProvider;
beforeEach(() => {
  folder = folderForTest();
});
afterEach(() => provider.server.close());

async function providerThat(manners: ProviderManners, prompts = PROMPTS): Promise<void> {
  provider = await BillingProvider.start(manners);
  prepare(folder, { origin: provider.server.origin, prompts });
}

/** Runs it, and kills it after a random number of calls, again and again. */
async function killAgainAndAgain(kills: number, argv: readonly string[] = []): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    const { child, ended } = startCollect(folder, argv);
    provider.after(1 + Math.floor(Math.random() * 8), () => child.kill("SIGKILL"));
    expect((await ended).exitCode, "it was killed before its end").toBeNull();
  }
}

describe("A collection that is killed at random", () => {
  it("pays every prompt and model exactly once after ten kills, at a provider that honours idempotency keys", async () => {
    await providerThat({ honoursKeys: true, answersAfterMs: 15 });
    await killAgainAndAgain(10);
    const { exitCode, stderr } = await startCollect(folder).ended;
    expect(exitCode, stderr).toBe(0);
    expect(provider.bills.size).toBe(QUESTIONS);
    expect(provider.most).toBe(1);
    const outcomes = linesOf(folder, "outcomes.jsonl");
    expect(outcomes).toHaveLength(QUESTIONS);
    expect(new Set(outcomes.map(({ id, model }) => `${model} ${id}`)).size).toBe(QUESTIONS);
    expect(outcomes.every(({ score }) => score === 1)).toBe(true);
    expect(filesOf(folder)).toEqual(WHOLE);
  });

  it("pays at most what was in flight at each kill twice, at a provider that ignores the keys, and says so", async () => {
    await providerThat({ honoursKeys: false, answersAfterMs: 15 });
    await killAgainAndAgain(4);
    const { exitCode, stdout } = await startCollect(folder, ["--json"]).ended;
    expect(exitCode).toBe(0);
    expect(provider.bills.size).toBe(QUESTIONS);
    const { lost } = JSON.parse(stdout);
    expect(lost.calls).toBeGreaterThan(0);
    expect(provider.total - QUESTIONS).toBeLessThanOrEqual(lost.calls);
  });

  it("pays nothing twice with --lost-calls skip, and lists what it left out", async () => {
    await providerThat({ honoursKeys: false, answersAfterMs: 15 });
    const argv = ["--lost-calls", "skip"];
    await killAgainAndAgain(4, argv);
    const { exitCode, stderr } = await startCollect(folder, argv).ended;
    expect(provider.most).toBe(1);
    const failed = linesOf(folder, "failed.jsonl");
    expect(failed.every(({ code }) => code === "lost")).toBe(true);
    expect(linesOf(folder, "outcomes.jsonl").length + failed.length).toBe(QUESTIONS);
    expect(stderr).toContain(`${failed.length} of the prompts and models have no grade`);
    expect(exitCode).toBe(1);
  });
});

describe("A collection", () => {
  it("survives a storm of 429s", async () => {
    // Twelve refusals in a row, then one of three calls.
    await providerThat({ honoursKeys: false, refuses: (call) => call <= 12 || call % 3 === 0 }, 20);
    const { exitCode, stderr } = await startCollect(folder).ended;
    expect(exitCode, stderr).toBe(0);
    expect(provider.refusals).toBeGreaterThan(20);
    expect(provider.bills.size).toBe(20 * MODELS.length);
    expect(provider.most).toBe(1);
    expect(linesOf(folder, "outcomes.jsonl")).toHaveLength(20 * MODELS.length);
  });

  it("stops before it exceeds --max-usd, and goes on with a larger one", async () => {
    await providerThat({ honoursKeys: false });
    const limit = 50.5 * ANSWER_USD;
    const argv = (usd: number) => ["--max-tokens", "1000", "--max-usd", String(usd)];
    const first = await startCollect(folder, argv(limit)).ended;
    expect(first.exitCode).toBe(1);
    expect(first.stderr).toContain("stopped before --max-usd");
    expect(provider.total).toBe(50);
    expect(linesOf(folder, "outcomes.jsonl")).toHaveLength(50);
    const second = await startCollect(folder, argv(2 * QUESTIONS * ANSWER_USD)).ended;
    expect(second.exitCode, second.stderr).toBe(0);
    expect(provider.total).toBe(QUESTIONS);
    expect(provider.most).toBe(1);
  });

  it("waits for calls in flight when it is interrupted, leaves its files whole, and goes on", async () => {
    await providerThat({ honoursKeys: false, answersAfterMs: 15 });
    const { child, ended } = startCollect(folder);
    provider.after(30, () => child.kill("SIGINT"));
    const { exitCode, stderr } = await ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain("stopped; run the same command to go on");
    expect(filesOf(folder)).toEqual(expect.arrayContaining(WHOLE));
    expect(filesOf(folder).filter((name) => !/^\w+\.jsonl$/.test(name))).toEqual([]);
    expect(linesOf(folder, "outcomes.jsonl")).toHaveLength(provider.total);
    const rest = await startCollect(folder).ended;
    expect(rest.exitCode, rest.stderr).toBe(0);
    expect(provider.total).toBe(QUESTIONS);
  });

  it("stops when it is interrupted while a pattern explodes, and goes on", async () => {
    await providerThat({ honoursKeys: false }, 2);
    const exploding = ["--grade", "regex", "--pattern", "^(((([\\w .]+)+)+)+)+!$"];
    const { child, ended } = startCollect(folder, [...exploding, "--match-timeout", "600"]);
    child.stderr?.on("data", (piece) => {
      if (String(piece).includes("Grading answers")) child.kill("SIGINT");
    });
    const { exitCode, stderr } = await ended;
    expect(exitCode, stderr).toBe(130);
    const rest = await startCollect(folder, [...exploding, "--match-timeout", ".1"]).ended;
    expect(rest.exitCode).toBe(1);
    expect(linesOf(folder, "failed.jsonl")[0]?.message).toBe(
      "no verdict: matching the answer took longer than the time limit of 0.1 s",
    );
    expect(provider.total).toBe(4);
  });

  it("ends at a second Ctrl-C while a pattern explodes, with what was paid for in its journal", async () => {
    await providerThat({ honoursKeys: false }, 2);
    const exploding = ["--grade", "regex", "--pattern", "^(((([\\w .]+)+)+)+)+!$"];
    const { child, ended } = startCollect(folder, [...exploding, "--match-timeout", "600"]);
    child.stderr?.on("data", (piece) => {
      if (!String(piece).includes("Grading answers")) return;
      // Until it has ended: signals that arrive together count as one.
      const again = setInterval(() => child.kill("SIGINT"), 1);
      child.once("exit", () => clearInterval(again));
    });
    const { exitCode, stderr } = await ended;
    expect(exitCode, stderr).toBe(130);
    expect(linesOf(folder, "journal.jsonl").length).toBeGreaterThanOrEqual(4);
    const rest = await startCollect(folder, ["--grade", "number"]).ended;
    expect(rest.exitCode, rest.stderr).toBe(0);
    expect(provider.total).toBe(4);
  });

  it("is graded in another way without another call", async () => {
    await providerThat({ honoursKeys: false }, 5);
    expect((await startCollect(folder).ended).exitCode).toBe(0);
    const calls = provider.calls;
    const { exitCode, stdout, stderr } = await startCollect(folder, ["--grade", "exact", "--json"]).ended;
    expect(exitCode, stderr).toBe(0);
    expect(provider.calls).toBe(calls);
    expect(stderr).toContain("Nothing is left to ask.");
    expect(JSON.parse(stdout).models).toMatchObject(MODELS.map((model) => ({ model, mean_score: 0 })));
  });
});
