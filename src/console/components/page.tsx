import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface PageHeadProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** Buttons that concern the whole page. */
  readonly children?: ComponentChildren;
}

export function PageHead({ title, lead, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} – Sextant`;
  }, [title]);
  return (
    <div class="page-head">
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <p class="muted">{lead}</p>}
      </div>
      {children !== undefined && <div class="page-actions">{children}</div>}
    </div>
  );
}
