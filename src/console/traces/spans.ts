import type { Trace } from "../api/traces.js";

/** Something that took a part of a request's time. */
export interface Span {
  readonly name: string;
  readonly look: "routing" | "ok" | "failed" | "rest";
  /** Milliseconds after the arrival. */
  readonly startMs: number;
  readonly lengthMs: number;
  readonly note: string;
  /** What the provider said; null when it said nothing. */
  readonly message: string | null;
}

/** A decision takes less than a millisecond, which would not be seen. */
const LEAST_REST_MS = 1;

/**
 * Where the time of a request went: the decision, the attempts one after the other, and what is left. Traces hold how long each
 * took, not when it began, so that waits between attempts are part of the rest.
 */
export function spansOf({ routing, attempts, latency_ms: latencyMs }: Trace): readonly Span[] {
  const spans: Span[] = [];
  let atMs = 0;
  const add = (span: Omit<Span, "startMs">): void => {
    spans.push({ ...span, startMs: atMs });
    atMs += span.lengthMs;
  };
  if (routing !== null) {
    add({
      name: "Routing",
      look: "routing",
      lengthMs: routing.timings_ms.total,
      note: routing.selected_model,
      message: null,
    });
  }
  attempts.forEach(({ provider, model, code, status, message, latency_ms: lengthMs }, at) => {
    const outcome = status === null ? code : `${code}, ${status}`;
    add({
      name: attempts.length === 1 ? "Attempt" : `Attempt ${at + 1}`,
      look: code === "ok" ? "ok" : "failed",
      lengthMs,
      note: `${provider} · ${model} · ${outcome}`,
      message,
    });
  });
  if (latencyMs - atMs > LEAST_REST_MS) {
    add({
      name: "Gateway and waiting",
      look: "rest",
      lengthMs: latencyMs - atMs,
      note: "time outside attempts",
      message: null,
    });
  }
  return spans;
}
