/** A collection survives kills, limits and interrupts: nothing is lost and nothing is paid twice. */
import { afterEach, beforeEach, expect, it } from "vitest";
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

const PROMPTS = 20;
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

/** Runs it again and again, and kills it after so many calls each time: while it sends the first, and while it writes answers down. */
async function killAfter(calls: readonly number[], argv: readonly string[] = []): Promise<void> {
  for (const count of calls) {
    const { child, ended } = startCollect(folder, argv);
    provider.after(count, async () => {
      child.kill("SIGKILL");
      await ended;
    });
    expect((await ended).exitCode, "it was killed before its end").toBeNull();
  }
}

it("A collection that is killed pays every prompt and model exactly once at a provider that honours idempotency keys", async () => {
  await providerThat({ honoursKeys: true });
  await killAfter([1, 7, 4]);
  const { exitCode, stderr } = await startCollect(folder).ended;
  expect(exitCode, stderr).toBe(0);
  expect(provider.bills.size).toBe(QUESTIONS);
  expect(provider.most).toBe(1);
  const outcomes = linesOf(folder, "outcomes.jsonl");
  expect(new Set(outcomes.map(({ id, model }) => `${model} ${id}`)).size).toBe(QUESTIONS);
  expect(outcomes.map(({ score }) => score)).toEqual(Array(QUESTIONS).fill(1));
  expect(filesOf(folder)).toEqual(WHOLE);
});

it("A collection that is killed pays at most what was in flight twice at a provider that ignores the keys, and says so", async () => {
  await providerThat({ honoursKeys: false });
  await killAfter([1, 7]);
  const { exitCode, stdout } = await startCollect(folder, ["--json"]).ended;
  expect(exitCode).toBe(0);
  expect(provider.bills.size).toBe(QUESTIONS);
  const { lost } = JSON.parse(stdout);
  expect(lost.calls).toBeGreaterThan(0);
  expect(provider.total - QUESTIONS).toBeLessThanOrEqual(lost.calls);
});

it("A collection that is killed pays nothing twice with --lost-calls skip, and lists what it left out", async () => {
  await providerThat({ honoursKeys: false });
  const argv = ["--lost-calls", "skip"];
  await killAfter([1, 7], argv);
  const { exitCode, stderr } = await startCollect(folder, argv).ended;
  expect(provider.most).toBe(1);
  const failed = linesOf(folder, "failed.jsonl");
  expect(failed.every(({ code }) => code === "lost")).toBe(true);
  expect(linesOf(folder, "outcomes.jsonl").length + failed.length).toBe(QUESTIONS);
  expect(stderr).toContain(`${failed.length} of the prompts and models have no grade`);
  expect(exitCode).toBe(1);
});

it("A collection stops before it exceeds --max-usd, and goes on with a larger one", async () => {
  await providerThat({ honoursKeys: false });
  const argv = (usd: number) => ["--max-tokens", "1000", "--max-usd", String(usd)];
  const first = await startCollect(folder, argv(10.5 * ANSWER_USD)).ended;
  expect(first.exitCode).toBe(1);
  expect(first.stderr).toContain("stopped before --max-usd");
  expect(provider.total).toBe(10);
  expect(linesOf(folder, "outcomes.jsonl")).toHaveLength(10);
  const second = await startCollect(folder, argv(2 * QUESTIONS * ANSWER_USD)).ended;
  expect(second.exitCode, second.stderr).toBe(0);
  expect(provider.total).toBe(QUESTIONS);
  expect(provider.most).toBe(1);
});

it("A collection that is interrupted waits for calls in flight, leaves its files whole, and goes on", async () => {
  await providerThat({ honoursKeys: false });
  const { child, ended } = startCollect(folder);
  provider.after(12, () => void child.kill("SIGINT"));
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

it.each(["one Ctrl-C", "several"])(
  "A collection whose pattern explodes ends at %s, with what was paid for in its journal",
  async (signals) => {
    await providerThat({ honoursKeys: false }, 2);
    const exploding = ["--grade", "regex", "--pattern", "^(((([\\w .]+)+)+)+)+!$", "--match-timeout", "600"];
    const { child, ended } = startCollect(folder, exploding);
    child.stderr.on("data", (piece) => {
      if (!String(piece).includes("Grading answers")) return;
      child.kill("SIGINT");
      if (signals === "one Ctrl-C") return;
      // Until it has ended: signals that arrive together count as one.
      const again = setInterval(() => child.kill("SIGINT"), 1);
      child.once("exit", () => clearInterval(again));
    });
    const { exitCode, stderr } = await ended;
    expect(exitCode, stderr).toBe(130);
    expect(linesOf(folder, "journal.jsonl").length).toBeGreaterThanOrEqual(4);
    const rest = await startCollect(folder).ended;
    expect(rest.exitCode, rest.stderr).toBe(0);
    expect(provider.total).toBe(4);
  },
);
