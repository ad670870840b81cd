import type { ComponentChildren } from "preact";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** What stands where there is nothing to show, and what to do about it. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <p class="muted">{children}</p>}
    </div>
  );
}
