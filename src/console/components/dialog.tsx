import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./controls.js";
import { messageOf, Notice } from "./resource.js";
import { ScrollArea } from "./scroll-area.js";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The browser's own modal dialog: it keeps the focus, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isLeaving = useRef(false);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      isLeaving.current = true;
      // Gives the focus back.
      dialog?.close();
    };
  }, []);
  // The event comes later, when another dialog may have taken the place of this one.
  const closed = (): void => {
    if (!isLeaving.current) onClose();
  };
  return (
    <dialog ref={element} class="dialog" aria-labelledby={titleId} onClose={closed}>
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <button class="button quiet slim" type="button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <ScrollArea label={title} class="dialog-scroll">
        <div class="dialog-body">{children}</div>
      </ScrollArea>
    </dialog>
  );
}

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
