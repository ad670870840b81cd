import type { Trace } from "../api/traces.js";
import { duration } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { spansOf } from "./spans.js";

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
    <section class="card padded stack" aria-labelledby="timeline-title">
      <div class="text-head">
        <h2 id="timeline-title">Timeline</h2>
        <span class="muted small number">
          first token {duration(trace.ttft_ms)} · total {duration(trace.latency_ms)}
        </span>
      </div>
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
              <span class="small span-message">
                <Plain text={message} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
