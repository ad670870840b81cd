import type { Key } from "../api/keys.js";
import { Empty } from "../components/empty.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import { KeyLimits } from "./key-limits.js";
import { KeyState } from "./key-state.js";

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly onRevoke: (key: Key) => void;
}

export function KeyTable({ keys, onRevoke }: KeyTableProps) {
  if (keys.length === 0) {
    return (
      <div class="card">
        <Empty title="No keys yet">
          Create one for each application, so that each has its own traces, limits and budget.
        </Empty>
      </div>
    );
  }
  return (
    <TableFrame label="API keys">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Key</th>
          <th scope="col">Scopes</th>
          <th scope="col">Source</th>
          <th scope="col">Limits</th>
          <th scope="col">Last used</th>
          <th scope="col">Expires</th>
          <th scope="col">State</th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} of={key} onRevoke={onRevoke} />
        ))}
      </tbody>
    </TableFrame>
  );
}

interface KeyRowProps {
  readonly of: Key;
  readonly onRevoke: (key: Key) => void;
}

function KeyRow({ of, onRevoke }: KeyRowProps) {
  const isRevoked = of.revoked_at !== null;
  return (
    <tr class={isRevoked ? "dim" : ""}>
      <th scope="row" class="clip key-name" title={of.name}>
        <Plain text={of.name} />
      </th>
      <td class="tight">
        <code title={of.id}>{of.prefix}…</code>
      </td>
      <td>
        <span class="pills">
          {of.scopes.map((scope) => (
            <span key={scope} class={scope === "admin" ? "pill accent" : "pill"}>
              {scope}
            </span>
          ))}
        </span>
      </td>
      <td class="clip">{of.source === null ? <span class="muted">any</span> : <Plain text={of.source} />}</td>
      <td>
        <KeyLimits limits={of.limits} />
      </td>
      <td class="tight">
        <Moment at={of.last_used_at} />
      </td>
      <td class="tight">
        <Moment at={of.expires_at} />
      </td>
      <td>
        <KeyState of={of} />
      </td>
      <td class="right">
        {!isRevoked && (
          <button
            class="button danger slim"
            type="button"
            aria-label={`Revoke ${of.name}`}
            onClick={() => onRevoke(of)}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}
