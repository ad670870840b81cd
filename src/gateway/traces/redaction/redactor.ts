import type { Trace } from "../trace.js";

/** Traces that may be stored. */
export interface Redacted {
  readonly traces: readonly Trace[];
  /** How many of them had to go without their texts. */
  readonly withheld: number;
}

/** Replaces what must not be stored. */
export interface Redactor {
  /** Never rejects: a trace that cannot be redacted in time is withheld. */
  redact(traces: readonly Trace[]): Promise<Redacted>;
  /** A text of its own; null when it cannot be redacted in time. Never rejects. */
  redactText(text: string): Promise<string | null>;
  close(): Promise<void>;
}

/** The traces without the texts that would have had to be redacted. */
export const withhold = (traces: readonly Trace[]): Redacted => ({
  traces: traces.map(withoutTexts),
  withheld: traces.length,
});

export function withoutTexts(trace: Trace): Trace {
  const { error } = trace;
  return {
    ...trace,
    content: null,
    metadata: {},
    attempts: trace.attempts.map((attempt) => ({ ...attempt, message: null })),
    error: error === null ? null : { code: error.code, message: "[not redacted in time]" },
  };
}
