import type { TraceListBody, TraceSummaryBody } from "../../gateway/features/traces/schema/trace.js";
import type { TraceParameters } from "./options.js";

/** How long after a later request one may still end and be found: longer than requests are given to end. */
const LATE_MS = 15 * 60_000;

const PAGE = 1000;

interface Lists {
  list(parameters: TraceParameters): Promise<TraceListBody>;
}

/**
 * Finds the traces that were added since it last looked.
 *
 * They are listed by arrival but added when they end, so that a long request comes after later ones. The number of traces
 * since a moment says whether all of them were seen; while it does not agree, further pages are looked through.
 */
export class TraceFollower {
  readonly #traces: Lists;
  readonly #filter: TraceParameters;
  /** Of traces since `#from`: request id → time of arrival. */
  readonly #seen = new Map<string, number>();
  #from: number | undefined;

  constructor(traces: Lists, filter: TraceParameters) {
    this.#traces = traces;
    this.#filter = filter;
  }

  /** The last traces, oldest first. From then on, `further` finds those of requests that arrive after the newest one. */
  async last(count: number): Promise<readonly TraceSummaryBody[]> {
    const { traces } = await this.#traces.list({ ...this.#filter, limit: String(Math.max(count, 1)) });
    const newest = traces[0];
    if (newest !== undefined) this.#from = Date.parse(newest.created_at) + 1;
    return traces.slice(0, count).reverse();
  }

  /** Oldest first, but for those added while it looked. */
  async further(): Promise<readonly TraceSummaryBody[]> {
    const found: TraceSummaryBody[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const { traces, total, has_more: hasMore } = await this.#traces.list(this.#page(offset));
      for (const trace of traces) {
        if (this.#seen.has(trace.request_id)) continue;
        this.#seen.set(trace.request_id, Date.parse(trace.created_at));
        found.push(trace);
      }
      if (!hasMore || this.#seen.size >= total) break;
    }
    this.#forget();
    return found.reverse();
  }

  #page(offset: number): TraceParameters {
    const page = { ...this.#filter, limit: String(PAGE), offset: String(offset) };
    return this.#from === undefined ? page : { ...page, start_date: new Date(this.#from).toISOString() };
  }

  /** Traces that are too old for others to come before them. */
  #forget(): void {
    let oldest = Number.POSITIVE_INFINITY;
    let newest = 0;
    for (const at of this.#seen.values()) {
      oldest = Math.min(oldest, at);
      newest = Math.max(newest, at);
    }
    // Never before a trace that was found: an earlier moment could be before the filter's own.
    if (newest - LATE_MS <= (this.#from ?? oldest)) return;
    this.#from = newest - LATE_MS;
    for (const [requestId, at] of this.#seen) if (at < this.#from) this.#seen.delete(requestId);
  }
}
