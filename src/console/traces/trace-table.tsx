import { Link } from "wouter-preact";
import type { TraceSummary } from "../api/traces.js";
import { Empty } from "../components/empty.js";
import { count, dollars, duration } from "../components/format.js";
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
          <th scope="col">When</th>
          <th scope="col">Status</th>
          <th scope="col">Model</th>
          <th scope="col">Provider</th>
          <th scope="col" class="right">
            Tokens in
          </th>
          <th scope="col" class="right">
            Tokens out
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
            </th>
            <td class="tight">
              <Moment at={trace.created_at} />
            </td>
            <td>
              <StatusPill status={trace.status} />
            </td>
            <td class="clip">{trace.model === null ? <None /> : <Plain text={trace.model} />}</td>
            <td class="clip">{trace.provider === null ? <None /> : <Plain text={trace.provider} />}</td>
            <td class="right">{count(trace.tokens_in)}</td>
            <td class="right">{count(trace.tokens_out)}</td>
            <td class="right">{dollars(trace.cost_usd)}</td>
            <td class="right">{duration(trace.latency_ms)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

const None = () => <span class="muted">–</span>;
