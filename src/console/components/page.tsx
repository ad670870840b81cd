import type { ComponentChildren } from "preact";
import { useEffect, useId } from "preact/hooks";

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

interface SectionProps {
  /** Of the section in the page. */
  readonly id?: string;
  readonly title: ComponentChildren;
  /** Under the title. */
  readonly lead?: ComponentChildren;
  /** Beside the title. */
  readonly aside?: ComponentChildren;
  /** Whether it is a card, or holds cards. */
  readonly frame?: "card" | "none";
  readonly children: ComponentChildren;
}

/** A part of a page under a heading, which names it for screen readers. */
export function Section({ id: own, title, lead, aside, frame = "card", children }: SectionProps) {
  const id = useId();
  return (
    <section class={frame === "card" ? "card padded stack" : "stack"} id={own} aria-labelledby={id}>
      <div class={aside === undefined ? undefined : "text-head"}>
        <h2 id={id}>{title}</h2>
        {aside}
        {lead !== undefined && <p class="muted small">{lead}</p>}
      </div>
      {children}
    </section>
  );
}
