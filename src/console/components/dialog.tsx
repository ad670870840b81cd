import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button, Form, Icon } from "./controls.js";
import { Notice, useAction } from "./resource.js";
import { ScrollArea } from "./scroll-area.js";

interface DialogProps {
  readonly title: string;
  /** `anywhere`, the default: Escape and a button in the corner close it; else only its own buttons do. */
  readonly closes?: "anywhere" | "by-its-buttons";
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Whether keys are meant for a dialog, whatever of it has the focus, and not for the page behind it. */
export const isDialogOpen = (): boolean => document.querySelector("dialog:modal") !== null;

/** Whether one is open that only its own buttons may close. */
export const isDialogKept = (): boolean => document.querySelector('[data-closes="by-its-buttons"]') !== null;

/** The browser's own modal dialog: it keeps the focus, closes on Escape and gives the focus back. */
export function Dialog({ title, closes = "anywhere", onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isLeaving = useRef(false);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>(".dialog-body input")?.focus();
    return () => {
      isLeaving.current = true;
      // Gives the focus back.
      dialog?.close();
    };
  }, []);
  // The event comes later, when another dialog may have taken the place of this one.
  const closed = (): void => {
    if (isLeaving.current) return;
    if (closes === "anywhere") onClose();
    // The browser closes it at the second Escape, whatever was said to the first.
    else element.current?.showModal();
  };
  return (
    <dialog
      ref={element}
      class="dialog"
      data-closes={closes}
      aria-labelledby={titleId}
      onCancel={(event) => closes === "by-its-buttons" && event.preventDefault()}
      onClose={closed}
    >
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {closes === "anywhere" && (
          <Button look="quiet slim" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      <ScrollArea label={title} class="dialog-scroll">
        <div class="dialog-body">{children}</div>
      </ScrollArea>
    </dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  /** On the button, at rest and while the API is asked; left out where the children have buttons that submit. */
  readonly action?: string;
  readonly busyAction?: string;
  readonly look?: "primary" | "danger";
  readonly onClose: () => void;
  /** Resolves when the API has done it; what it rejects with is shown. The signal ends when the dialog closes. */
  readonly onSubmit: (form: FormData, signal: AbortSignal) => Promise<void>;
  readonly children: ComponentChildren;
}

/** A dialog that asks the API for one change. */
export function FormDialog({ title, action, busyAction, look = "primary", ...props }: FormDialogProps) {
  const { run, running, fault } = useAction((signal, form: FormData) => props.onSubmit(form, signal));
  return (
    <Dialog title={title} onClose={props.onClose}>
      <Form class="stack" onSubmit={(form) => running === undefined && run(form)}>
        {props.children}
        {fault !== undefined && <Notice kind="error">{fault}</Notice>}
        <div class="dialog-actions">
          <Button onClick={props.onClose}>Cancel</Button>
          {action !== undefined && (
            <Button look={look} type="submit" disabled={running !== undefined}>
              {running === undefined ? action : busyAction}
            </Button>
          )}
        </div>
      </Form>
    </Dialog>
  );
}
