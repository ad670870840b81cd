import type { RedactionEntry } from "../../settings.js";

const REDACTED = "[redacted]";

/** Replaces every match of every pattern, one pattern after the other. Has no time limit of its own: see `worker.ts`. */
export function createRedaction(entries: readonly RedactionEntry[]): (text: string) => string {
  const rules = entries.map(({ pattern, flags = "", replacement = REDACTED }) => ({
    pattern: new RegExp(pattern, `g${flags}`),
    // As a function, so that `$&` in it is text and does not bring back what was matched.
    replacement: () => replacement,
  }));
  return (text) => rules.reduce((done, { pattern, replacement }) => done.replace(pattern, replacement), text);
}
