import type { ComponentChildren } from "preact";

interface NoticeProps {
  readonly kind: "error" | "info" | "success" | "warning";
  readonly children: ComponentChildren;
}

/** A message that concerns the whole of what it stands in. Screen readers say it when it appears. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}
