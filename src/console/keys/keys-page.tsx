import { useState } from "preact/hooks";
import type { Key } from "../api/keys.js";
import { Button, Icon } from "../components/controls.js";
import { count, UNKNOWN } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead } from "../components/page.js";
import { Empty, Loaded, useResource } from "../components/resource.js";
import { actions, type Column, numeric, priced, TableFrame } from "../components/table.js";
import { Moment, Optional, Plain } from "../components/text.js";
import { TextFilter } from "../components/text-filter.js";
import { useQuery } from "../components/use-query.js";
import { KeyDialogs, type OpenDialog } from "./key-dialogs.js";
import { chosenKeys, highestUse, type KeySummary } from "./key-facts.js";
import { KeyActions, KeyState, KeyUse, limitTexts } from "./key-parts.js";
import { ERRORS_RANGE, loadKeys } from "./load-keys.js";

/** API keys: who may use the gateway, for what, how much, and how near each is to its limits. */
export function KeysPage() {
  const keys = useResource("keys", loadKeys);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  return (
    <>
      <PageHead title="Keys">
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

function Content({ keys, onOpen }: ContentProps) {
  const [query] = useQuery();
  return (
    <TableFrame
      label="API keys"
      scrolls="page"
      tools={
        <TextFilter label="Part of a key's name, id, team or source" placeholder="Name, id, team or source" />
      }
      columns={[
        ...COLUMNS,
        actions<KeySummary>(({ key }) => (
          <KeyActions of={key} onAct={(dialog, target) => onOpen({ dialog, key: target })} />
        )),
      ]}
      rows={chosenKeys(keys, query.get("q") ?? "")}
      keyOf={({ key }) => key.id}
      ordered="sort"
      lookOf={({ key }) => (key.revoked_at === null ? "" : "dim")}
      empty={{ title: "No matching keys", text: "No key has this in its name, id, team or source." }}
    />
  );
}

const NoKeys = () => (
  <Empty title="No keys yet">
    Create one for each application, so that each has its own traces, limits and budget.
  </Empty>
);

const COLUMNS: readonly Column<KeySummary>[] = [
  {
    head: "Name",
    look: "clip",
    titleOf: ({ key }) => `${key.name}, ${key.id}, ${key.prefix}…`,
    values: [{ name: "name", of: ({ key }) => key.name }],
    cell: ({ key }) => (
      <Link href={`/keys/${key.id}`}>
        <Plain text={key.name} />
      </Link>
    ),
  },
  {
    head: "Team",
    look: "clip short",
    values: [{ name: "team", of: ({ key }) => key.team }],
    cell: ({ key }) => <Optional text={key.team} />,
  },
  {
    head: "Source",
    look: "clip short",
    values: [{ name: "source", of: ({ key }) => key.source }],
    cell: ({ key }) => <Optional text={key.source} none="any" />,
  },
  { head: "State", look: "clip short", cell: ({ key }) => <KeyState of={key} /> },
  {
    head: "Last used",
    look: "tight",
    values: [{ name: "last_used", of: ({ key }) => key.last_used_at }],
    cell: ({ key }) => <Moment at={key.last_used_at} />,
  },
  {
    head: "Highest use",
    hint: "Of the limit that is nearest to used up",
    titleOf: ({ key }) => limitTexts(key).join(", "),
    values: [{ name: "use", of: ({ key }) => highestUse(key) }],
    cell: ({ key }) => <KeyUse of={key} shows="highest" />,
  },
  priced("Spend, month", ({ spendUsd }) => spendUsd, { name: "spend_month_usd" }),
  numeric(
    "Refused, 24 h",
    ({ refused }) => <span class={refused > 0 ? "bad-figure" : "muted"}>{count(refused)}</span>,
    { values: [{ name: "refused", of: ({ refused }) => refused }] },
  ),
  {
    head: "Last error",
    look: "clip short",
    hint: "Of the last 30 days",
    values: [{ name: "last_error", of: ({ key }) => key.last_error?.created_at ?? null }],
    cell: ({ key }) => <LastError of={key} />,
  },
];

/** What failed last, with the way to all failures of the key. */
function LastError({ of: { id, name, last_error: last } }: { readonly of: Key }) {
  if (last == null) return <span class="muted">{last === undefined ? UNKNOWN : "none"}</span>;
  return (
    <Link
      href={`/failures?${new URLSearchParams({ key: id, range: ERRORS_RANGE })}`}
      title={new Date(last.created_at).toLocaleString()}
    >
      {last.code ?? "unknown"}
      <span class="unseen">, failures of {name}</span>
    </Link>
  );
}
