import { signal } from "@preact/signals";
import type { VNode } from "preact";

/** The dialog that is open over the page, whatever page that is. */
export const overlay = signal<VNode | null>(null);

export function show(dialog: VNode | null): void {
  overlay.value = dialog;
}
