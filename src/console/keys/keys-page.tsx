import { useState } from "preact/hooks";
import type { Key } from "../api/keys.js";
import { Button, Icon, Segments } from "../components/controls.js";
import { count, dollars, UNKNOWN } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead } from "../components/page.js";
import { Empty, Loaded, useResource } from "../components/resource.js";
import { type Column, priced, TableFrame } from "../components/table.js";
import { Moment, Plain, TwoLines } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { type KeyAction, KeyDialogs, type OpenDialog } from "./key-dialogs.js";
import { chosenKeys, KEY_ORDERS, type KeySummary } from "./key-facts.js";
import { KeyActions, KeyState, KeyUse } from "./key-parts.js";
import { ERRORS_RANGE, loadKeys } from "./load-keys.js";

/** API keys: who may use the gateway, for what, how much, and how near each is to its limits. */
export function KeysPage() {
  const keys = useResource("keys", loadKeys);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  return (
    <>
      <PageHead title="Keys" lead="Who may use the gateway, how much of it, and who is near a limit.">
        <Button look="primary" onClick={() => setOpen({ dialog: "create" })}>
          <Icon name="plus" /> Create key
        </Button>
      </PageHead>
      <Loaded resource={keys}>
        {(list) => (list.length === 0 ? <NoKeys /> : <Content keys={list} onOpen={setOpen} />)}
      </Loaded>
      <KeyDialogs open={open} onOpen={setOpen} onChanged={keys.reload} />
    </>
  );
}

interface ContentProps {
  readonly keys: readonly KeySummary[];
  readonly onOpen: (dialog: OpenDialog) => void;
}

/** Filter and order are in the address. */
function Content({ keys, onOpen }: ContentProps) {
  const [query, change] = useQuery();
  const text = query.get("q") ?? "";
  const order = KEY_ORDERS.find((name) => name === query.get("order")) ?? "use";
  const shown = chosenKeys(keys, { order, text });
  return (
    <>
      <search class="row spread">
        <input
          class="input key-filter"
          type="search"
          aria-label="Part of a key's name, id or source"
          placeholder="Name, id or source"
          value={text}
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
        <Segments
          label="Order by"
          values={KEY_ORDERS}
          value={order}
          onChange={(value) => change({ order: value }, "add")}
        />
      </search>
      <KeyTable keys={shown} onAct={(dialog, key) => onOpen({ dialog, key })} />
      <p class="muted small">
        Spend of these keys this month:{" "}
        <strong>{dollars(shown.reduce((sum, { spendUsd }) => sum + (spendUsd ?? 0), 0))}</strong>
      </p>
    </>
  );
}

const NoKeys = () => (
  <Empty title="No keys yet">
    Create one for each application, so that each has its own traces, limits and budget.
  </Empty>
);

interface KeyTableProps {
  readonly keys: readonly KeySummary[];
  readonly onAct: (action: KeyAction, key: KeySummary["key"]) => void;
}

const KeyTable = ({ keys, onAct }: KeyTableProps) => (
  <TableFrame
    label="API keys"
    columns={[
      ...COLUMNS,
      {
        head: "Actions",
        kind: "unseen",
        look: "right",
        cell: ({ key }) => <KeyActions of={key} onAct={onAct} />,
      },
    ]}
    rows={keys}
    keyOf={({ key }) => key.id}
    ordered="sort"
    lookOf={({ key }) => (key.revoked_at === null ? "" : "dim")}
    empty={{ title: "No matching keys", text: "No key has this in its name, id or source." }}
  />
);

const COLUMNS: readonly Column<KeySummary>[] = [
  {
    head: "Name",
    look: "whole-name key-name",
    values: [{ name: "name", of: ({ key }) => key.name }],
    cell: ({ key }) => (
      <>
        <Link href={`/keys/${key.id}`}>
          <Plain text={key.name} />
        </Link>
        <small class="muted">
          <code title={key.id}>{key.prefix}…</code> {key.source !== null && <Plain text={key.source} />}
        </small>
      </>
    ),
  },
  {
    head: "State, last used",
    values: [{ name: "last_used", of: ({ key }) => key.last_used_at }],
    cell: ({ key }) => (
      <TwoLines
        look="tight"
        below={
          key.last_used_at === null ? (
            "never used"
          ) : (
            <>
              used <Moment at={key.last_used_at} />
            </>
          )
        }
      >
        <KeyState of={key} />
      </TwoLines>
    ),
  },
  { head: "Use of limits", cell: ({ key }) => <KeyUse of={key} /> },
  priced("Spend, month", ({ spendUsd }) => spendUsd, { name: "spend_month_usd" }),
  {
    head: "Refused, error",
    hint: "Refused in the last 24 hours; the last error of the last 30 days",
    look: "tight",
    values: [{ name: "refused", of: ({ refused }) => refused }],
    cell: ({ key, refused }) => (
      <span class="two-lines">
        <span class={refused > 0 ? "bad-figure" : ""}>{count(refused)} refused</span>
        <LastError of={key} />
      </span>
    ),
  },
];

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
