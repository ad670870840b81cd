/**
 * The worker thread that redacts. A pattern can need longer than the age of the universe for some texts, and no check of the
 * pattern finds all that can, so every trace has a time limit, which ends a match that is going on.
 */
import { Script } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import type { RedactionAnswer, RedactionOptions, RedactionRequest } from "./redaction-api.js";
import { createRedaction } from "./rules.js";

const port = parentPort;
if (port === null) throw new Error("this file is the entry of a worker thread");
const { entries, limitMs } = workerData as RedactionOptions;
const redact = createRedaction(entries);

/** Setting up a limit costs 0.1 ms, so one is used for as many traces as are done in this time. */
const SHARED_MS = 20;

/** The only way to end code that runs is to run it as a script with a limit; the script calls this. */
const scope = globalThis as typeof globalThis & { redactOn?: () => void };
const script = new Script("redactOn()");

port.on("message", ({ request, texts }: RedactionRequest) => {
  const answer: RedactionAnswer = { request, texts: redactAll(texts) };
  port.postMessage(answer);
});

function redactAll(texts: RedactionRequest["texts"]): RedactionAnswer["texts"] {
  const done: (readonly string[] | null)[] = [];
  scope.redactOn = () => {
    const until = performance.now() + SHARED_MS;
    for (let next = texts[done.length]; next !== undefined; next = texts[done.length]) {
      done.push(next.map(redact));
      if (performance.now() > until) return;
    }
  };
  while (done.length < texts.length) {
    try {
      script.runInThisContext({ timeout: limitMs + SHARED_MS });
    } catch {
      done.push(null);
    }
  }
  return done;
}
