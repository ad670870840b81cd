/**
 * The worker thread that redacts. A pattern can need longer than the age of the universe for some texts, and no check of the
 * pattern finds all that can, so every trace has a time limit, which ends a match that is going on.
 */
import { Script } from "node:vm";
import { serveThread } from "../../workers/thread-entry.js";
import type { RedactionApi, RedactionOptions } from "./redaction-api.js";
import { createRedaction } from "./rules.js";

/** Setting up a limit costs 0.1 ms, so one is used for as many traces as are done in this time. */
const SHARED_MS = 20;

/** The only way to end code that runs is to run it as a script with a limit; the script calls this. */
const scope = globalThis as typeof globalThis & { redactOn?: () => void };
const script = new Script("redactOn()");

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
