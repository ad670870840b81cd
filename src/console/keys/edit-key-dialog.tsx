import { type Key, updateKey } from "../api/keys.js";
import { localInput } from "../components/format.js";
import { FormDialog } from "./form-dialog.js";
import { keyChangeFrom } from "./key-form.js";
import { LimitFields } from "./limit-fields.js";

interface EditKeyDialogProps {
  readonly target: Key;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function EditKeyDialog({ target, onClose, onChanged }: EditKeyDialogProps) {
  return (
    <FormDialog
      title="Edit key"
      action="Save"
      busyAction="Saving…"
      onClose={onClose}
      onSubmit={async (form) => {
        await updateKey(target.id, keyChangeFrom(form));
        onChanged();
      }}
    >
      <label class="field">
        <span>Name</span>
        <input class="input" name="name" required maxLength={128} defaultValue={target.name} />
      </label>
      <LimitFields limits={target.limits} costWeight={target.cost_weight} />
      <label class="field">
        <span>Expires</span>
        <input
          class="input"
          name="expires"
          type="datetime-local"
          defaultValue={localInput(target.expires_at)}
        />
        <small>Your local time. Empty: never.</small>
      </label>
    </FormDialog>
  );
}
