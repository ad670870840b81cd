import type { CreatedKey, Key } from "../api/keys.js";
import { CreateKeyDialog } from "./create-key-dialog.js";
import { CreatedKeyDialog } from "./created-key-dialog.js";
import { EditKeyDialog } from "./edit-key-dialog.js";
import { RevokeKeyDialog } from "./revoke-key-dialog.js";
import { RotateKeyDialog } from "./rotate-key-dialog.js";

/** What can be done to a key that exists. */
export type KeyAction = "edit" | "rotate" | "revoke";

export type OpenDialog =
  | { readonly dialog: "create" }
  | { readonly dialog: "created"; readonly created: CreatedKey }
  | { readonly dialog: KeyAction; readonly key: Key };

interface KeyDialogsProps {
  readonly open: OpenDialog | null;
  readonly onOpen: (next: OpenDialog | null) => void;
  /** The keys are not as they were. */
  readonly onChanged: () => void;
}

/** The dialog that is open, if any, of those that create and change keys. */
export function KeyDialogs({ open, onOpen, onChanged }: KeyDialogsProps) {
  const close = (): void => onOpen(null);
  const done = (): void => {
    close();
    onChanged();
  };
  const show = (created: CreatedKey): void => {
    onOpen({ dialog: "created", created });
    onChanged();
  };
  switch (open?.dialog) {
    case undefined:
      return null;
    case "create":
      return <CreateKeyDialog onClose={close} onCreated={show} />;
    case "created":
      return <CreatedKeyDialog created={open.created} onClose={close} />;
    case "edit":
      return <EditKeyDialog target={open.key} onClose={close} onChanged={done} />;
    case "rotate":
      return <RotateKeyDialog target={open.key} onClose={close} onRotated={show} />;
    case "revoke":
      return <RevokeKeyDialog target={open.key} onClose={close} onRevoked={done} />;
  }
}
