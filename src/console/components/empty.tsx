import type { ComponentChildren } from "preact";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** Whether it is a card of its own, or stands in one. */
  readonly frame?: "card" | "none";
}

/** What stands where there is nothing to show, and what to do about it. */
export function Empty({ title, children, frame = "card" }: EmptyProps) {
  const text = (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <p class="muted">{children}</p>}
    </div>
  );
  return frame === "card" ? <div class="card">{text}</div> : text;
}
