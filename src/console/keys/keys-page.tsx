import { useState } from "preact/hooks";
import { Icon, Segments } from "../components/controls.js";
import { PageHead } from "../components/page.js";
import { Empty, Loaded, useResource } from "../components/resource.js";
import { useQuery } from "../components/use-query.js";
import { KeyDialogs, type OpenDialog } from "./key-dialogs.js";
import { chosenKeys, KEY_ORDERS, type KeySummary } from "./key-facts.js";
import { KeyTable } from "./key-table.js";
import { loadKeys } from "./load-keys.js";

/** API keys: who may use the gateway, for what, how much, and how near each is to its limits. */
export function KeysPage() {
  const keys = useResource("keys", loadKeys);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  return (
    <>
      <PageHead title="Keys" lead="Who may use the gateway, how much of it, and who is near a limit.">
        <button class="button primary" type="button" onClick={() => setOpen({ dialog: "create" })}>
          <Icon name="plus" /> Create key
        </button>
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
          name="order"
          values={KEY_ORDERS}
          value={order}
          onChange={(value) => change({ order: value })}
        />
      </search>
      <KeyTable keys={shown} onAct={(dialog, key) => onOpen({ dialog, key })} />
    </>
  );
}

const NoKeys = () => (
  <Empty title="No keys yet">
    Create one for each application, so that each has its own traces, limits and budget.
  </Empty>
);
