import { type CreatedKey, createKey } from "../api/keys.js";
import { FormDialog } from "./form-dialog.js";
import { newKeyFrom } from "./key-form.js";
import { LimitFields } from "./limit-fields.js";
import { ScopeChoice } from "./scope-choice.js";

interface CreateKeyDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedKey) => void;
}

export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps) {
  return (
    <FormDialog
      title="Create key"
      action="Create key"
      busyAction="Creating…"
      onClose={onClose}
      onSubmit={async (form) => onCreated(await createKey(newKeyFrom(form)))}
    >
      <label class="field">
        <span>Name</span>
        <input class="input" name="name" required maxLength={128} placeholder="support bot, production" />
      </label>
      <ScopeChoice />
      <div class="two-columns">
        <label class="field">
          <span>Source</span>
          <input class="input" name="source" maxLength={128} placeholder="any" />
          <small>All its traces get this source, whatever a request says.</small>
        </label>
        <label class="field">
          <span>Expires</span>
          <input class="input" name="expires" type="datetime-local" />
          <small>Your local time. Empty: never.</small>
        </label>
      </div>
      <LimitFields />
    </FormDialog>
  );
}
