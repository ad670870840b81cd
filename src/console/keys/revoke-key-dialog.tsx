import { type Key, revokeKey } from "../api/keys.js";
import { Plain } from "../components/plain.js";
import { FormDialog } from "./form-dialog.js";

interface RevokeKeyDialogProps {
  readonly target: Key;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

export function RevokeKeyDialog({ target, onClose, onRevoked }: RevokeKeyDialogProps) {
  return (
    <FormDialog
      title="Revoke key"
      action="Revoke permanently"
      busyAction="Revoking…"
      look="danger"
      onClose={onClose}
      onSubmit={async () => {
        await revokeKey(target.id);
        onRevoked();
      }}
    >
      <p>
        <strong>
          <Plain text={target.name} />
        </strong>{" "}
        (<code>{target.prefix}…</code>) stops working at once and permanently. Requests with it are answered
        with 401.
      </p>
    </FormDialog>
  );
}
