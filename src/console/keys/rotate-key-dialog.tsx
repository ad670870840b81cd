import { type CreatedKey, type Key, rotateKey } from "../api/keys.js";
import { Notice } from "../components/notice.js";
import { Plain } from "../components/plain.js";
import { FormDialog } from "./form-dialog.js";

interface RotateKeyDialogProps {
  readonly target: Key;
  readonly onClose: () => void;
  readonly onRotated: (created: CreatedKey) => void;
}

const DEFAULT_GRACE = "86400";
const GRACES: readonly (readonly [seconds: string, label: string])[] = [
  ["0", "at once: the key leaked"],
  ["3600", "in an hour"],
  [DEFAULT_GRACE, "in a day"],
  ["604800", "in a week"],
];

export function RotateKeyDialog({ target, onClose, onRotated }: RotateKeyDialogProps) {
  return (
    <FormDialog
      title="Rotate key"
      action="Rotate key"
      busyAction="Rotating…"
      onClose={onClose}
      onSubmit={async (form) => onRotated(await rotateKey(target.id, Number(form.get("grace"))))}
    >
      <p>
        <strong>
          <Plain text={target.name} />
        </strong>{" "}
        gets a new secret. Its limits, budget and traces stay.
      </p>
      <fieldset class="scope-list">
        <legend class="field-name">
          The secret <code>{target.prefix}…</code> stops working
        </legend>
        {GRACES.map(([seconds, label]) => (
          <label key={seconds} class="tick">
            <input type="radio" name="grace" value={seconds} defaultChecked={seconds === DEFAULT_GRACE} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {target.scopes.includes("admin") && (
        <Notice kind="warning">Sessions of the console that were begun with this key end at once.</Notice>
      )}
    </FormDialog>
  );
}
