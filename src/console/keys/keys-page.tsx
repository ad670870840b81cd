import { useState } from "preact/hooks";
import { type CreatedKey, type Key, listKeys } from "../api/keys.js";
import { Icon } from "../components/icon.js";
import { Loaded } from "../components/loaded.js";
import { useResource } from "../components/use-resource.js";
import { PageHead } from "../layout/page-head.js";
import { CreateKeyDialog } from "./create-key-dialog.js";
import { CreatedKeyDialog } from "./created-key-dialog.js";
import { KeyTable } from "./key-table.js";
import { RevokeKeyDialog } from "./revoke-key-dialog.js";

type Open =
  | { readonly dialog: "create" }
  | { readonly dialog: "created"; readonly created: CreatedKey }
  | { readonly dialog: "revoke"; readonly key: Key };

/** API keys: who may use the gateway, for what and how much. */
export function KeysPage() {
  const keys = useResource("keys", listKeys);
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <PageHead title="Keys" lead="Who may use the gateway, with which scopes and limits.">
        <button class="button primary" type="button" onClick={() => setOpen({ dialog: "create" })}>
          <Icon name="plus" /> Create key
        </button>
      </PageHead>
      <Loaded resource={keys}>
        {(list) => <KeyTable keys={list} onRevoke={(key) => setOpen({ dialog: "revoke", key })} />}
      </Loaded>
      {open?.dialog === "create" && (
        <CreateKeyDialog
          onClose={close}
          onCreated={(created) => {
            setOpen({ dialog: "created", created });
            keys.reload();
          }}
        />
      )}
      {open?.dialog === "created" && <CreatedKeyDialog created={open.created} onClose={close} />}
      {open?.dialog === "revoke" && (
        <RevokeKeyDialog
          target={open.key}
          onClose={close}
          onRevoked={() => {
            close();
            keys.reload();
          }}
        />
      )}
    </>
  );
}
