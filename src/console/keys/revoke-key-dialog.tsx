import { useState } from "preact/hooks";
import { type Key, revokeKey } from "../api/keys.js";
import { Dialog } from "../components/dialog.js";
import { messageOf } from "../components/message-of.js";
import { Notice } from "../components/notice.js";
import { Plain } from "../components/plain.js";

interface RevokeKeyDialogProps {
  readonly target: Key;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

export function RevokeKeyDialog({ target, onClose, onRevoked }: RevokeKeyDialogProps) {
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const revoke = async (): Promise<void> => {
    setBusy(true);
    try {
      await revokeKey(target.id);
      onRevoked();
    } catch (error) {
      setFault(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Revoke key" onClose={onClose}>
      <p>
        <strong>
          <Plain text={target.name} />
        </strong>{" "}
        (<code>{target.prefix}…</code>) stops working at once and permanently. Requests with it are answered
        with 401.
      </p>
      {fault !== null && <Notice kind="error">{fault}</Notice>}
      <div class="dialog-actions">
        <button class="button" type="button" onClick={onClose}>
          Cancel
        </button>
        <button class="button danger" type="button" disabled={busy} onClick={() => void revoke()}>
          {busy ? "Revoking…" : "Revoke permanently"}
        </button>
      </div>
    </Dialog>
  );
}
