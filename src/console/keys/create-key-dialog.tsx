import { useState } from "preact/hooks";
import { type CreatedKey, createKey } from "../api/keys.js";
import { Dialog } from "../components/dialog.js";
import { messageOf } from "../components/message-of.js";
import { Notice } from "../components/notice.js";
import { newKeyFrom } from "./new-key.js";
import { ScopeChoice } from "./scope-choice.js";

interface CreateKeyDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedKey) => void;
}

export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps) {
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      onCreated(await createKey(newKeyFrom(new FormData(event.currentTarget as HTMLFormElement))));
    } catch (error) {
      setFault(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Create key" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
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
        <div class="two-columns">
          <label class="field">
            <span>Requests a minute</span>
            <input
              class="input number"
              name="requests"
              type="number"
              min="1"
              step="1"
              placeholder="default"
            />
          </label>
          <label class="field">
            <span>Tokens a minute</span>
            <input class="input number" name="tokens" type="number" min="1" step="1" placeholder="default" />
          </label>
          <label class="field">
            <span>Budget, US$ a month</span>
            <input
              class="input number"
              name="usd"
              type="number"
              min="0.01"
              step="0.01"
              placeholder="default"
            />
          </label>
        </div>
        {fault !== null && <Notice kind="error">{fault}</Notice>}
        <div class="dialog-actions">
          <button class="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button primary" type="submit" disabled={busy}>
            {busy ? "Creating…" : "Create key"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
