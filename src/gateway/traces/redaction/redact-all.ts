import { runWithin } from "../../../foundation/workers/time-limit.js";
import type { RedactionApi } from "./redaction-api.js";

/** Setting up a limit costs 0.1 ms, so one is used for as many traces as are done in this time. */
const SHARED_MS = 20;

interface Limited {
  readonly redact: (text: string) => string;
  readonly limitMs: number;
  /** Runs the work, and ends it by throwing when it takes longer than so many milliseconds. */
  readonly within?: (limitMs: number, work: () => void) => void;
}

/** What the thread answers: null for each trace whose texts took longer than the limit. */
export function redactAll(
  texts: Parameters<RedactionApi["redact"]>[0],
  { redact, limitMs, within = runWithin }: Limited,
): ReturnType<RedactionApi["redact"]> {
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
      within(limitMs + SHARED_MS, redactOn);
    } catch {
      done.push(null);
    }
  }
  return done;
}
