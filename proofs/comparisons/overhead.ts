/** What a comparison adds to a request before its reply: one call, which draws and queues. */
import { Comparisons } from "../../src/gateway/comparisons/comparisons.js";
import type { FinishedAnswer } from "../../src/gateway/run/settle.js";

const CALLS = 200_000;

const never = (): Promise<never> => new Promise(() => {});

/** Microseconds of processor time that each finished answer takes, for a comparison with this share whose queue is soon full. */
export function observerMicroseconds(share: number, random: () => number): number {
  const entry = {
    name: "c",
    with: "small",
    share,
    max_usd_per_day: 1,
    judges: ["judge"],
    metadata: { team: "a" },
  };
  const comparisons = new Comparisons({
    entries: () => [entry],
    inference: { run: never, decide: never },
    choiceOf: (model) => ({ type: "named", model, provider: undefined }),
    vendorOf: (model) => model,
    journal: { add: never, results: never, digestOf: never },
    redact: never,
    keepOutcome: never,
    ...{ wantsContent: true, newRequestId: () => "", now: () => 0, clock: () => 0, random },
    yieldThread: never,
    log: { warn() {} },
  });
  const finished = {
    trace: {
      kind: "chat",
      model: "large",
      finishReason: "stop",
      metadata: { team: "a" },
      attempts: [],
      usage: null,
    },
    request: {
      choice: { type: "named", model: "large", provider: undefined },
      body: { messages: [{ role: "user", content: "What is the capital of France? ".repeat(30) }] },
    },
    text: () => "Paris",
  } as unknown as FinishedAnswer;
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call += 1) comparisons.answered(finished);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}
