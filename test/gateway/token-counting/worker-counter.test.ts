import type { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { systemTimers } from "../../../src/foundation/timers.js";
import { startWorkerThread } from "../../../src/foundation/workers/worker-thread.js";
import { countTokens } from "../../../src/gateway/token-counting/count-tokens.js";
import { WorkerCounter } from "../../../src/gateway/token-counting/worker-counter.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { threadServing } from "../../fakes/thread.js";

const GPT = { model: "gpt-4o" };
const opened: WorkerCounter[] = [];
afterEach(() => Promise.all(opened.splice(0).map((counter) => counter.close(0))));

/** The real thread. */
const realThread = (): Worker => startWorkerThread("gateway/token-counting/worker", undefined);

/** A thread whose `count` is this function: most of these tests are about threads, not about tokens. */
const threadThat = (count: string) => (): Worker => threadServing(`{ methods: { count: ${count} } }`);

function started(startWorker: () => Worker = threadThat("() => 7"), timers = systemTimers) {
  const threads: Worker[] = [];
  const counter = new WorkerCounter({
    timers,
    startWorker: () => {
      const thread = startWorker();
      threads.push(thread);
      return thread;
    },
  });
  opened.push(counter);
  return { counter, threads };
}

describe("The token counter", () => {
  it("counts as the tokenizer does, each call separately and up to its limit, in one thread", async () => {
    const { counter, threads } = started(realThread);
    const texts = ["hello world", "Größe 😀", "<|endoftext|>", "नमस्ते", "word ".repeat(20_000)];
    const asked = texts.flatMap((text) =>
      ["gpt-4o", "gpt-4"].map((model) => ({ texts: [text, "and"], options: { model, limit: 10_000 } })),
    );
    const counts = await Promise.all(asked.map(({ texts, options }) => counter.count(texts, options)));
    expect(counts).toEqual(await Promise.all(asked.map(({ texts, options }) => countTokens(texts, options))));
    expect(threads.length).toBe(1);
  });

  it("retries in a new thread when the old one ends before its reply", async () => {
    const { counter, threads } = started();
    const counts = [counter.count(["hello world"], GPT), counter.count(["hello"], GPT)];
    await threads[0]?.terminate();
    expect(await Promise.all(counts)).toEqual([7, 7]);
    expect(threads.length).toBe(2);
  });

  it("rejects a text that has ended two threads, and no other", async () => {
    const deadly = "({ texts }) => texts[0] === 'deadly' ? process.exit(1) : 7";
    const { counter, threads } = started(threadThat(deadly));
    await expect(counter.count(["deadly"], GPT)).rejects.toThrow("2 threads ended while they counted");
    expect(await counter.count(["harmless"], GPT)).toBe(7);
    expect(threads.length).toBe(3);
  });

  it("ends the thread after five idle minutes, and starts one for the next text", async () => {
    const time = new ManualTime();
    const { counter, threads } = started(undefined, time.timers);
    for (let count = 0; count < 3; count++) {
      await time.advance(299_999);
      expect(await counter.count(["hello"], GPT)).toBe(7);
    }
    expect(threads.length).toBe(1);
    const ended = new Promise((resolve) => threads[0]?.once("exit", resolve));
    await time.advance(300_000);
    await ended;
    expect(await counter.count(["hello"], GPT)).toBe(7);
    expect(threads.length).toBe(2);
  });
});

describe("Closing the token counter", () => {
  it("waits for pending counts, and accepts no more", async () => {
    const { counter } = started();
    const count = counter.count(["hello world"], GPT);
    const closed = counter.close(60_000);
    await expect(counter.count(["late"], GPT)).rejects.toThrow("stopping");
    expect(await count).toBe(7);
    await closed;
  });

  it("waits no longer than its time limit", async () => {
    const time = new ManualTime();
    const { counter } = started(threadThat("() => new Promise(() => {})"), time.timers);
    const count = counter.count(["never counted"], GPT).catch((error: Error) => error.message);
    const closed = counter.close(1000);
    await time.advance(1000);
    await closed;
    expect(await count).toContain("stopped before the tokens were counted");
    expect(time.running).toBe(0);
  });
});
