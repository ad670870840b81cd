import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

interface MenuElements {
  /** Holds the menu and its button. */
  readonly header: RefObject<HTMLElement>;
  /** Escape gives the focus back to it. */
  readonly button: RefObject<HTMLButtonElement>;
}

interface Menu {
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

/**
 * The navigation of narrow screens, which folds: it closes when another page opens, on Escape, and when anything outside of it
 * is used.
 */
export function useMenu(location: string, { header, button }: MenuElements): Menu {
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === location;
  useEffect(() => {
    if (!isOpen) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const close = (): void => setOpenAt(null);
    const closeOutside = ({ target }: Event): void => {
      if (target instanceof Node && header.current?.contains(target) === false) close();
    };
    const closeOnEscape = ({ key }: KeyboardEvent): void => {
      if (key !== "Escape") return;
      close();
      button.current?.focus();
    };
    document.addEventListener("pointerdown", closeOutside, { signal });
    document.addEventListener("focusin", closeOutside, { signal });
    document.addEventListener("keydown", closeOnEscape, { signal });
    return () => leaving.abort();
  }, [isOpen]);
  return { isOpen, toggle: () => setOpenAt(isOpen ? null : location) };
}
