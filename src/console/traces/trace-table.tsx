import { Link } from "wouter-preact";
import type { TraceSummary } from "../api/traces.js";
import { Empty } from "../components/empty.js";
import { count, dollars, duration } from "../components/format.js";
import { KeyLink } from "../components/key-link.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import { StatusPill } from "./status-pill.js";

interface TraceTableProps {
  readonly traces: readonly TraceSummary[];
  readonly isFiltered: boolean;
}

export function TraceTable({ traces, isFiltered }: TraceTableProps) {
  if (traces.length === 0) {
    return (
      <div class="card">
        <Empty title={isFiltered ? "No matching traces" : "No requests yet"}>
          {isFiltered
            ? "No traces match all filters; remove one."
            : "Send one with one of your keys; it appears here within seconds."}
        </Empty>
      </div>
    );
  }
  return (
    <TableFrame label="Traces" scrolls="page">
      <thead>
        <tr>
          <th scope="col">Request</th>
          <th scope="col">Status</th>
          <th scope="col">Prompt</th>
          <th scope="col">Key and source</th>
          <th scope="col">Model and provider</th>
          <th scope="col" class="right">
            Tokens in / out
          </th>
          <th scope="col" class="right">
            Cost
          </th>
          <th scope="col" class="right">
            Latency
          </th>
        </tr>
      </thead>
      <tbody>
        {traces.map((trace) => (
          <tr key={trace.request_id}>
            <th scope="row" class="tight">
              <Link href={`/traces/${trace.request_id}`} class="mono" title={trace.request_id}>
                …{trace.request_id.slice(-8)}
                <span class="unseen">, details</span>
              </Link>
              <small class="muted when">
                <Moment at={trace.created_at} />
              </small>
            </th>
            <td>
              <span class="two-lines">
                <StatusPill status={trace.status} />
                {trace.error_code !== null && <small class="muted error-code">{trace.error_code}</small>}
              </span>
            </td>
            <td class="clip prompt-start">
              {trace.input_start === null ? <None /> : <Plain text={trace.input_start} />}
            </td>
            <td class="clip">
              <span class="two-lines">
                <KeyLink of={trace.api_key} />
                <small class="muted">
                  <Plain text={trace.source} />
                </small>
              </span>
            </td>
            <td class="clip">
              <span class="two-lines">
                {trace.model === null ? <None /> : <Plain text={trace.model} />}
                {trace.provider !== null && (
                  <small class="muted">
                    <Plain text={trace.provider} />
                  </small>
                )}
              </span>
            </td>
            <td class="right">
              {count(trace.tokens_in)} / {count(trace.tokens_out)}
            </td>
            <td class="right">{dollars(trace.cost_usd)}</td>
            <td class="right">{duration(trace.latency_ms)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

const None = () => <span class="muted">–</span>;
