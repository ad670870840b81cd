import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AnswerLengths } from "../../../src/workbench/asking/answer-lengths.js";
import { Asker, type AskerDependencies } from "../../../src/workbench/asking/asker.js";
import { Budget } from "../../../src/workbench/asking/asking-round.js";
import { type Question, questionKey } from "../../../src/workbench/asking/question.js";
import { Journal } from "../../../src/workbench/journal/journal.js";
import { ManualTime, quiet } from "../../fakes/manual-time.js";
import { folderForTest } from "../../support/folders.js";
import { FakeCaller, type WaitingCall } from "../fake-caller.js";

const question = (model: string, content: string, max_tokens = 100): Question => {
  return { model, messages: [{ role: "user", content }], parameters: { max_tokens } };
};

const questions = (count: number, model = "m") =>
  Array.from({ length: count }, (_, index) => question(model, `q${index}`));

let journal: Journal;
let caller: FakeCaller;
let time: ManualTime;
let stop: AbortController;
beforeEach(async () => {
  journal = await Journal.open(join(folderForTest(), "journal.jsonl"));
  caller = new FakeCaller();
  time = new ManualTime();
  stop = new AbortController();
});
afterEach(() => journal.close());

function asker(options: Partial<AskerDependencies> = {}): Asker {
  const { clock, timers } = time;
  const lengths = new AnswerLengths(new Map());
  const budget = new Budget(Number.POSITIVE_INFINITY, 0);
  const parts = { caller, journal, budget, lengths, clock, timers, now: () => 0, random: () => 0.999 };
  const limits = { concurrency: 4, providerConcurrency: 4, signal: stop.signal };
  return new Asker({ ...parts, ...limits, lostCalls: "ask", ...options });
}

/** Resolves when it holds; other work of the process goes on meanwhile. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await quiet();
}

const waiting = (count: number) => until(() => caller.waiting.length === count);

/** Asks all, and waits for the first call. */
async function begin(asking: Asker, all: readonly Question[]) {
  const ended = asking.askAll(await asking.pending(all), () => {});
  await until(() => caller.waiting.length > 0);
  // In an object, so that awaiting it does not await the end.
  return { ended };
}

/** Resolves when what the ends of calls bring about has been done, but for new calls. */
async function settled(): Promise<void> {
  await quiet();
  await journal.flushed();
  await quiet();
}

/** Ends all calls, and lets so much time pass after each, until the round ends. */
async function endAll<Ending>(
  ended: Promise<Ending>,
  end: (call: WaitingCall) => void = (call) => call.answer(),
  { stepMs = 100 } = {},
): Promise<Ending> {
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const call of [...caller.waiting]) end(call);
    await time.advance(stepMs);
  }
  return ended;
}

describe("Asking", () => {
  it("keeps to the number of calls in flight, and asks in order", async () => {
    const { ended } = await begin(asker({ concurrency: 3 }), questions(6));
    await waiting(3);
    caller.waiting[1]?.answer();
    await until(() => caller.asked.length > 3);
    expect(caller.askedTexts).toEqual(["m: q0", "m: q1", "m: q2", "m: q3"]);
    expect(await endAll(ended)).toBe("finished");
    expect(caller.askedTexts).toEqual(questions(6).map((_, index) => `m: q${index}`));
  });

  it("keeps to the number of calls at one provider, and asks others meanwhile", async () => {
    const all = [...questions(4, "slow/m"), ...questions(2, "fast/m")];
    const { ended } = await begin(asker({ providerConcurrency: 2 }), all);
    await waiting(4);
    expect(caller.askedTexts).toEqual(["slow/m: q0", "slow/m: q1", "fast/m: q0", "fast/m: q1"]);
    expect(await endAll(ended)).toBe("finished");
  });

  it("asks the same question once, and none that the journal answers", async () => {
    const first = asker();
    const { ended } = await begin(first, [question("m", "a"), question("m", "a")]);
    expect(await endAll(ended)).toBe("finished");
    expect(await first.pending([question("m", "a")])).toEqual([]);
    const { ended: again } = await begin(first, [question("m", "a"), question("m", "a", 7)]);
    await endAll(again);
    expect(caller.asked.map(({ question: { parameters } }) => parameters.max_tokens)).toEqual([100, 7]);
  });

  it("waits as long as a provider asks for, with half as many calls, and loses no question", async () => {
    const { ended } = await begin(asker(), questions(8));
    await waiting(4);
    for (const call of [...caller.waiting]) call.fail("busy", { retryAfterMs: 30_000 });
    await settled();
    await time.advance(29_999);
    expect(caller.asked).toHaveLength(4);
    await time.advance(1);
    await waiting(2);
    expect(caller.askedTexts.slice(4)).toEqual(["m: q0", "m: q1"]);
    expect(await endAll(ended)).toBe("finished");
    expect(new Set(caller.askedTexts).size).toBe(8);
    expect(caller.asked).toHaveLength(12);
  });

  it("waits longer with every refusal that names no time, and raises the number of calls again with answers", async () => {
    const { ended } = await begin(asker({ providerConcurrency: 2 }), questions(20));
    const pauses: number[] = [];
    for (const refused of [2, 1, 1]) {
      await waiting(refused);
      const [before, asked] = [time.clock(), caller.asked.length];
      for (const call of [...caller.waiting]) call.fail("busy");
      while (caller.asked.length === asked) {
        await settled();
        await time.advance(100);
      }
      pauses.push(Math.floor((time.clock() - before) / 1000));
    }
    expect(pauses).toEqual([1, 2, 4]);
    await waiting(1);
    caller.waiting[0]?.answer();
    await waiting(2);
    expect(await endAll(ended)).toBe("finished");
  });

  it("gives a provider up that refuses again and again, or the credentials at once, and goes on with others", async () => {
    const asking = asker();
    const all = ["bad/m", "closed/m", "good/m"].flatMap((model) => questions(2, model));
    const { ended } = await begin(asking, all);
    const end = (call: WaitingCall) => {
      if (call.question.model === "bad/m") call.fail("busy");
      else if (call.question.model === "closed/m") call.fail("provider", { status: 401 });
      else call.answer();
    };
    expect(await endAll(ended, end, { stepMs: 60_000 })).toBe("finished");
    expect(asking.gaveUp).toEqual([
      { provider: "closed", reason: "the call failed: provider" },
      { provider: "bad", reason: "the call failed: busy, 20 times in a row" },
    ]);
    expect(journal.ledger.answer(questionKey(question("good/m", "q1")))).toBeDefined();
  });

  it("asks again after a passing fault, four times in all, and a refused question not again", async () => {
    const { ended } = await begin(asker({ concurrency: 1 }), [question("m", "a"), question("m", "b")]);
    for (let call = 0; call < 4; call++) {
      await until(() => caller.waiting[0]?.question.messages[0]?.content === "a");
      caller.waiting[0]?.fail("passing");
      if (call === 0) {
        // The other one is asked while this one waits.
        await waiting(1);
        caller.waiting[0]?.fail("question", { code: "content_filter", status: 400 });
      }
      await settled();
      await time.advance(60_000);
    }
    expect(await ended).toBe("finished");
    expect(caller.askedTexts).toEqual(["m: a", "m: b", "m: a", "m: a", "m: a"]);
    expect(journal.ledger.failure(questionKey(question("m", "b")))?.code).toBe("content_filter");
  });

  it("sends the same idempotency key after an unknown end, and another one after a refusal", async () => {
    const { ended } = await begin(asker({ concurrency: 1 }), [question("m", "a")]);
    for (const [status, waitsMs] of [
      [null, 1_000],
      [500, 2_000],
    ] as const) {
      caller.waiting[0]?.fail("passing", { status });
      await settled();
      await time.advance(waitsMs);
      await waiting(1);
    }
    await endAll(ended);
    const [first, second, third] = caller.asked.map(({ idempotencyKey }) => idempotencyKey);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it("begins nothing that could exceed the budget, and goes on with what calls in flight leave", async () => {
    // An answer of a hundred tokens is reserved with ten cents and costs one.
    const { ended } = await begin(asker({ budget: new Budget(0.25, 0) }), questions(40));
    await waiting(2);
    expect(await endAll(ended)).toBe("budget");
    expect(journal.ledger.spentUsd).toBeCloseTo(0.16, 10);
  });

  it("reserves the longest answer so far where there is no limit", () => {
    const lengths = new AnswerLengths(new Map([["m", 50]]));
    expect(lengths.atMost("m", undefined)).toBe(100);
    lengths.observe("m", 3_000);
    expect([lengths.atMost("m", undefined), lengths.atMost("m", 200)]).toEqual([3_000, 200]);
    expect([lengths.expected("m"), lengths.basis("m"), lengths.basis("n")]).toEqual([50, "profile", "guess"]);
    for (let answer = 0; answer < 4; answer++) lengths.observe("m", 0);
    expect([lengths.expected("m"), lengths.basis("m")]).toEqual([600, "observed"]);
  });

  it("waits for calls in flight when it is stopped, and begins no other", async () => {
    const { ended } = await begin(asker({ concurrency: 2 }), questions(5));
    await waiting(2);
    stop.abort();
    caller.waiting[0]?.answer();
    caller.waiting[0]?.answer();
    expect(await ended).toBe("stopped");
    expect(caller.asked).toHaveLength(2);
    expect(journal.ledger.answer(questionKey(question("m", "q1")))).toBeDefined();
  });

  it("stops during a pause without waiting for its end", async () => {
    const { ended } = await begin(asker(), questions(1));
    caller.waiting[0]?.fail("busy", { retryAfterMs: 600_000 });
    await until(() => time.running === 1);
    stop.abort();
    expect(await ended).toBe("stopped");
    expect(time.running).toBe(0);
  });

  it("fails with an error that is no fault of a call", async () => {
    const { ended } = await begin(asker(), questions(1));
    await journal.close();
    caller.waiting[0]?.answer();
    await expect(ended).rejects.toThrow("cannot be written");
  });
});
