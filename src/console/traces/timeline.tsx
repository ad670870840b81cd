import type { Trace } from "../api/traces.js";
import { duration } from "../components/format.js";
import { Section } from "../components/page.js";
import { Plain } from "../components/text.js";

/** Where the time went, and when the first token came. */
export function Timeline({ trace }: { readonly trace: Trace }) {
  const spans = spansOf(trace);
  const wholeMs = Math.max(
    trace.latency_ms,
    ...spans.map(({ startMs, lengthMs }) => startMs + lengthMs),
    0.001,
  );
  const percentOf = (ms: number): string => `${(ms / wholeMs) * 100}%`;
  return (
    <Section title="Timeline">
      {spans.length === 0 && <p class="muted">No provider was called.</p>}
      <ol class="timeline">
        {spans.map(({ name, look, startMs, lengthMs, note, message }) => (
          <li key={`${name} ${startMs}`}>
            <span class="span-name">{name}</span>
            <span class="span-track" aria-hidden="true">
              <span
                class={`span-bar ${look}`}
                style={{ left: percentOf(startMs), width: percentOf(lengthMs) }}
              />
              {trace.ttft_ms !== null && (
                <span class="span-first" style={{ left: percentOf(trace.ttft_ms) }} />
              )}
            </span>
            <span class="number span-length">{duration(lengthMs)}</span>
            <span class="muted small span-note">
              <Plain text={note} />
            </span>
            {message !== null && (
              <span class="small span-note bad-figure">
                <Plain text={message} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Something that took a part of a request's time. */
interface Span {
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
function spansOf({ routing, attempts, latency_ms: latencyMs }: Trace): readonly Span[] {
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
  attempts.forEach((attempt, at) => {
    const { provider, model, code, status, message, host, served_model: served, retirement } = attempt;
    const then = retirement?.successor ? `; ${retirement.successor} takes its place` : "";
    const notes = [
      provider,
      model,
      status === null ? code : `${code}, ${status}`,
      served && `answered by ${served}`,
      host && `first by ${host.reason}`,
      attempt.left_out && `without ${attempt.left_out.join(", ")}`,
    ];
    add({
      name: attempts.length === 1 ? "Attempt" : `Attempt ${at + 1}`,
      look: code === "ok" ? "ok" : "failed",
      lengthMs: attempt.latency_ms,
      note: notes.filter(Boolean).join(" · "),
      message: retirement
        ? `${message ?? ""} ${provider} stops running ${model} on ${retirement.from}${then}.`
        : message,
    });
  });
  if (latencyMs - atMs > LEAST_REST_MS) {
    add({
      name: "Gateway, waiting",
      look: "rest",
      lengthMs: latencyMs - atMs,
      note: "time outside attempts",
      message: null,
    });
  }
  return spans;
}
