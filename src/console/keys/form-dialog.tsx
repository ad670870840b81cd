import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.js";
import { messageOf } from "../components/message-of.js";
import { Notice } from "../components/notice.js";

interface FormDialogProps {
  readonly title: string;
  /** On the button, at rest and while the API is asked. */
  readonly action: string;
  readonly busyAction: string;
  readonly look?: "primary" | "danger";
  readonly onClose: () => void;
  /** Resolves when the API has done it; what it rejects with is shown. */
  readonly onSubmit: (form: FormData) => Promise<void>;
  readonly children: ComponentChildren;
}

/** A dialog that asks the API for one change. */
export function FormDialog({ title, action, busyAction, look = "primary", ...props }: FormDialogProps) {
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await props.onSubmit(new FormData(event.currentTarget as HTMLFormElement));
    } catch (error) {
      setFault(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={props.onClose}>
      <form class="stack" onSubmit={submit}>
        {props.children}
        {fault !== null && <Notice kind="error">{fault}</Notice>}
        <div class="dialog-actions">
          <button class="button" type="button" onClick={props.onClose}>
            Cancel
          </button>
          <button class={`button ${look}`} type="submit" disabled={busy}>
            {busy ? busyAction : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
