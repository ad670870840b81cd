import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useId } from "preact/hooks";
import { Link } from "./link.js";

/** Address of the documentation of the open page. */
export const DocumentationAddress = createContext("");

interface PageHeadProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** Buttons that concern the whole page. */
  readonly children?: ComponentChildren;
}

export function PageHead({ title, lead, children }: PageHeadProps) {
  const docs = useContext(DocumentationAddress);
  useEffect(() => {
    document.title = `${title} – Sextant`;
  }, [title]);
  return (
    <div class="page-head">
      <div>
        <div class="row">
          <h1>{title}</h1>
          <a class="muted small" href={docs} target="_blank" rel="noopener">
            Docs
          </a>
        </div>
        {lead !== undefined && <p class="muted">{lead}</p>}
      </div>
      {children !== undefined && <div class="row page-actions">{children}</div>}
    </div>
  );
}

interface SectionProps {
  /** Of the section in the page. */
  readonly id?: string;
  readonly title: ComponentChildren;
  /** Under the title. */
  readonly lead?: ComponentChildren;
  /** At the right of the title: buttons, filters, a menu. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page under a heading, which names it for screen readers. */
export function Section({ id: own, title, lead, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section class="section" id={own} aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {actions !== undefined && <div class="row section-actions">{actions}</div>}
        {lead !== undefined && <p class="muted small">{lead}</p>}
      </div>
      {children}
    </section>
  );
}

interface TabsProps {
  /** What they choose, for screen readers. */
  readonly label: string;
  /** Addresses below `BASE`. */
  readonly tabs: readonly { readonly name: string; readonly href: string }[];
  /** Name of the open one. */
  readonly current: string;
}

/** Views of a page, each with its address. */
export const Tabs = ({ label, tabs, current }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ name, href }) => (
      <Link key={name} href={href} aria-current={name === current ? "page" : undefined}>
        {name}
      </Link>
    ))}
  </nav>
);
