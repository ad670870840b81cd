import type { TraceFilter } from "../../src/traces/store.js";
import type { Trace } from "../../src/traces/trace.js";

/** Whether a store must find the trace: the reference implementation of filters, with which stores are compared. */
export function matches(filter: TraceFilter, trace: Trace): boolean {
  const { startMs, endMs, source, model, provider, status, kind, text, metadata = [] } = filter;
  const { principal, errorCode, hasFeedback } = filter;
  return (
    (startMs === undefined || trace.createdAtMs >= startMs) &&
    (endMs === undefined || trace.createdAtMs < endMs) &&
    (source === undefined || trace.source === source) &&
    (model === undefined || trace.model === model) &&
    (provider === undefined || trace.provider === provider) &&
    (status === undefined || trace.status === status) &&
    (kind === undefined || trace.kind === kind) &&
    (principal === undefined || trace.principal === principal) &&
    (errorCode === undefined || trace.error?.code === errorCode) &&
    (hasFeedback === undefined || (trace.feedback !== undefined) === hasFeedback) &&
    (text === undefined || contains(trace, text)) &&
    metadata.every(
      ({ key, value }) => Object.hasOwn(trace.metadata, key) && String(trace.metadata[key]) === value,
    )
  );
}

function contains({ content }: Trace, text: string): boolean {
  return content !== null && (content.input.includes(text) || content.output.includes(text));
}
