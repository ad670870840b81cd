import { Link } from "wouter-preact";
import type { Failures } from "../api/failures.js";
import { Empty } from "../components/empty.js";
import { count } from "../components/format.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";

interface FailureTableProps {
  readonly failures: readonly Failures[];
  /** Those that the failures were asked for with, under the names of the API. */
  readonly filters: Readonly<Record<string, string>>;
}

/** Failed requests by error code, model and provider, the most frequent first. */
export function FailureTable({ failures, filters }: FailureTableProps) {
  if (failures.length === 0) {
    return (
      <div class="card">
        <Empty title="No failed requests">Nothing failed in this period.</Empty>
      </div>
    );
  }
  return (
    <TableFrame label="Failed requests">
      <thead>
        <tr>
          <th scope="col">Error</th>
          <th scope="col" class="right">
            Requests
          </th>
          <th scope="col">Model and provider</th>
          <th scope="col">Last message</th>
          <th scope="col">First seen</th>
          <th scope="col">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {failures.map((group) => (
          <FailureRow
            key={JSON.stringify([group.error_code, group.model, group.provider])}
            of={group}
            filters={filters}
          />
        ))}
      </tbody>
    </TableFrame>
  );
}

interface FailureRowProps {
  readonly of: Failures;
  readonly filters: FailureTableProps["filters"];
}

function FailureRow({ of, filters }: FailureRowProps) {
  const code = of.error_code ?? "unknown";
  const traces = new URLSearchParams(filters);
  for (const [name, value] of [
    ["error_code", of.error_code],
    ["model_id", of.model],
    ["provider", of.provider],
  ] as const) {
    if (value !== null) traces.set(name, value);
  }
  return (
    <tr>
      <th scope="row" class="tight">
        <Link href={`/traces?${traces}`} title="Show these requests">
          {code}
        </Link>
      </th>
      <td class="right">{count(of.requests)}</td>
      <td>
        <span class="two-lines">
          {of.model === null ? <span class="muted">none</span> : <Plain text={of.model} />}
          {of.provider !== null && (
            <small class="muted">
              <Plain text={of.provider} />
            </small>
          )}
        </span>
      </td>
      <td class="message">
        <span>
          {of.provider_status !== null && <span class="pill">HTTP {of.provider_status}</span>}{" "}
          <Plain text={of.provider_message ?? of.message ?? "not recorded"} />
        </span>
      </td>
      <td class="tight">
        <Moment at={of.first_seen} />
      </td>
      <td class="tight">
        <Link href={`/traces/${of.last_request_id}`}>
          <Moment at={of.last_seen} />
          <span class="unseen">, last request with {code}</span>
        </Link>
      </td>
    </tr>
  );
}
