import type { ComponentChildren } from "preact";

/** What is said while something is on its way. */
export const Loading = ({ children = "Loading…" }: { readonly children?: ComponentChildren }) => (
  <p class="muted" role="status">
    {children}
  </p>
);
