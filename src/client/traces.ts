import type OpenAI from "openai";
import type { APIPromise, PagePromise } from "openai";
import { APIResource } from "openai/core/resource";
import { AbstractPage, type PageRequestOptions } from "openai/pagination";
import type { TraceListBody } from "../gateway/features/traces/schema/trace.js";
import type { Trace, TraceSummary } from "./wire/replies.js";
import type { TraceQuery } from "./wire/traces.js";

/** What a request for a page was made of. */
type PageRequest = ConstructorParameters<typeof AbstractPage>[3];

/** One page of traces, newest first; `for await` goes on over the pages that follow. */
export class TracesPage extends AbstractPage<TraceSummary> {
  readonly traces: TraceSummary[];
  /** All that match, on this page or not. */
  readonly total: number;
  readonly has_more: boolean;

  constructor(client: OpenAI, response: Response, body: TraceListBody, options: PageRequest) {
    super(client, response, body, options);
    this.traces = [...body.traces];
    this.total = body.total;
    this.has_more = body.has_more;
  }

  getPaginatedItems(): TraceSummary[] {
    return this.traces;
  }

  override hasNextPage(): boolean {
    return this.has_more && super.hasNextPage();
  }

  /** Leaves out what came after the first page: it would push the older traces on, and some would be met twice. */
  nextPageRequestOptions(): PageRequestOptions | null {
    const [newest] = this.traces;
    if (newest === undefined) return null;
    const query = (this.options.query ?? {}) as TraceQuery;
    const offset = (query.offset ?? 0) + this.traces.length;
    const end_date = query.end_date ?? new Date(Date.parse(newest.created_at) + 1).toISOString();
    return { ...this.options, query: { ...query, offset, end_date } };
  }
}

/** `client.traces`: what was asked and answered; a key sees its own source, or all with `traces:read:all`. */
export class Traces extends APIResource {
  /** Newest first. An iteration over pages leaves out requests that come in after its first page. */
  list(query: TraceQuery = {}, options?: OpenAI.RequestOptions): PagePromise<TracesPage, TraceSummary> {
    const { metadata = {}, ...filters } = query;
    const tags = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, String(value)]);
    const all = { ...filters, ...Object.fromEntries(tags) };
    return this._client.getAPIList("/traces", TracesPage as never, { query: all, ...options });
  }

  /** @throws NotFoundError `trace_not_found`, also for those of a source the key may not see */
  retrieve(requestId: string, options?: OpenAI.RequestOptions): APIPromise<Trace> {
    return this._client.get(`/traces/${encodeURIComponent(requestId)}`, options);
  }
}
