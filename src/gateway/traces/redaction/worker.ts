/**
 * The worker thread that redacts. A pattern can need longer than the age of the universe for some texts, and no check of the
 * pattern finds all that can, so every trace has a time limit, which ends a match that is going on.
 */
import { serveThread } from "../../../foundation/workers/thread-entry.js";
import { runWithin } from "../../../foundation/workers/time-limit.js";
import type { RedactionApi, RedactionOptions } from "./redaction-api.js";
import { createRedaction } from "./rules.js";

/** Setting up a limit costs 0.1 ms, so one is used for as many traces as are done in this time. */
const SHARED_MS = 20;

await serveThread<RedactionApi, RedactionOptions>(({ entries, limitMs }) => {
  const redact = createRedaction(entries);
  return { methods: { redact: (texts) => redactAll(texts, { redact, limitMs }) } };
});

interface Limited {
  readonly redact: (text: string) => string;
  readonly limitMs: number;
}

function redactAll(
  texts: readonly (readonly string[])[],
  { redact, limitMs }: Limited,
): (readonly string[] | null)[] {
  const done: (readonly string[] | null)[] = [];
  const redactOn = (): void => {
    const until = performance.now() + SHARED_MS;
    for (let next = texts[done.length]; next !== undefined; next = texts[done.length]) {
      done.push(next.map(redact));
      if (performance.now() > until) return;
    }
  };
  while (done.length < texts.length) {
    try {
      runWithin(limitMs + SHARED_MS, redactOn);
    } catch {
      done.push(null);
    }
  }
  return done;
}
