import type { Trace } from "../trace.js";
import { withStrings } from "../traced-message.js";

/**
 * The texts of a trace that are redacted: answer, reasoning, error message, what providers said, metadata values, and each string of the
 * prompt's messages. `withTexts` takes them back.
 */
export function textsOf({ content, error, attempts, metadata }: Trace): string[] {
  const prompt: string[] = [];
  withStrings(content?.input, (text) => {
    prompt.push(text);
    return text;
  });
  return [
    content?.output ?? "",
    content?.reasoning ?? "",
    error?.message ?? "",
    ...attempts.map(({ message }) => message ?? ""),
    ...Object.values(metadata).map(String),
    ...prompt,
  ];
}

/** The trace with these texts in the place of its own. A number or boolean whose text has not changed stays one. */
export function withTexts(trace: Trace, texts: readonly string[]): Trace {
  const [output = "", reasoning = "", message = "", ...others] = texts;
  const { content, error, attempts, metadata } = trace;
  const values = others.slice(attempts.length);
  const entries = Object.entries(metadata).map(([key, value], at) => {
    const text = values[at] ?? "";
    return [key, text === String(value) ? value : text] as const;
  });
  const prompt = others.slice(attempts.length + entries.length).values();
  const input = withStrings(content?.input ?? [], () => prompt.next().value ?? "");
  return {
    ...trace,
    content:
      content === null ? null : { input, output, ...(content.reasoning !== undefined && { reasoning }) },
    error: error === null ? null : { code: error.code, message },
    attempts: attempts.map((attempt, at) =>
      attempt.message === null ? attempt : { ...attempt, message: others[at] ?? null },
    ),
    metadata: Object.fromEntries(entries),
  };
}
