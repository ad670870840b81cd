import { Link } from "wouter-preact";
import type { Key } from "../api/keys.js";
import { count, dollars, UNKNOWN } from "../components/format.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import { KeyActions } from "./key-actions.js";
import type { KeyAction } from "./key-dialogs.js";
import type { KeySummary } from "./key-order.js";
import { ERRORS_RANGE } from "./key-overview.js";
import { KeyState } from "./key-state.js";
import { KeyUse } from "./key-use.js";

interface KeyTableProps {
  readonly keys: readonly KeySummary[];
  readonly onAct: (action: KeyAction, key: KeySummary["key"]) => void;
}

export function KeyTable({ keys, onAct }: KeyTableProps) {
  return (
    <TableFrame label="API keys">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">State</th>
          <th scope="col">Use of limits</th>
          <th scope="col" class="right">
            Spend, month
          </th>
          <th scope="col" title="Refused in the last 24 hours; the last error of the last 30 days">
            Refused, error
          </th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((summary) => (
          <KeyRow key={summary.key.id} of={summary} onAct={onAct} />
        ))}
      </tbody>
    </TableFrame>
  );
}

interface KeyRowProps {
  readonly of: KeySummary;
  readonly onAct: KeyTableProps["onAct"];
}

function KeyRow({ of: { key, spendUsd, refused }, onAct }: KeyRowProps) {
  return (
    <tr class={key.revoked_at === null ? "" : "dim"}>
      <th scope="row" class="clip key-name" title={key.name}>
        <Link href={`/keys/${key.id}`}>
          <Plain text={key.name} />
        </Link>
        <small class="muted">
          <code title={key.id}>{key.prefix}…</code>
          {key.source !== null && (
            <>
              {" "}
              <Plain text={key.source} />
            </>
          )}
        </small>
      </th>
      <td>
        <span class="two-lines">
          <KeyState of={key} />
          <small class="muted tight">
            {key.last_used_at === null ? (
              "never used"
            ) : (
              <>
                used <Moment at={key.last_used_at} />
              </>
            )}
          </small>
        </span>
      </td>
      <td>
        <KeyUse of={key} />
      </td>
      <td class="right">{dollars(spendUsd)}</td>
      <td class="tight">
        <span class="two-lines">
          <span class={refused > 0 ? "bad-figure" : ""}>{count(refused)} refused</span>
          <LastError of={key} />
        </span>
      </td>
      <td class="right">
        <KeyActions of={key} onAct={onAct} />
      </td>
    </tr>
  );
}

/** What failed last, with the way to all failures of the key. */
function LastError({ of: { id, name, last_error: last } }: { readonly of: Key }) {
  if (last === undefined) return <small class="muted">{UNKNOWN}</small>;
  if (last === null) return <small class="muted">no error</small>;
  return (
    <>
      <Link href={`/failures?${new URLSearchParams({ key: id, range: ERRORS_RANGE })}`}>
        {last.code ?? "unknown"}
        <span class="unseen">, failures of {name}</span>
      </Link>
      <small class="muted">
        <Moment at={last.created_at} />
      </small>
    </>
  );
}
