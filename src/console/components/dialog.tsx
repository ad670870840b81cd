import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./icon.js";
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
