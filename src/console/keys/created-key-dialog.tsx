import type { CreatedKey } from "../api/keys.js";
import { CopyButton } from "../components/copy-button.js";
import { Dialog } from "../components/dialog.js";
import { Notice } from "../components/notice.js";

interface CreatedKeyDialogProps {
  readonly created: CreatedKey;
  readonly onClose: () => void;
}

/** The one time that a key can be seen. */
export function CreatedKeyDialog({ created, onClose }: CreatedKeyDialogProps) {
  return (
    <Dialog title={`Key “${created.name}”`} onClose={onClose}>
      <Notice kind="warning">Copy it now: it is shown only once. The gateway stores only its digest.</Notice>
      <div class="secret">
        <code data-testid="new-key">{created.key}</code>
        <CopyButton text={created.key} label="Copy key" />
      </div>
      <div class="dialog-actions">
        <button class="button primary" type="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
