import type { JSX } from "preact";
import { navigate } from "wouter-preact/use-browser-location";

/** Path that all pages of the console are below. */
export const BASE = "/console";

interface LinkProps extends JSX.AnchorHTMLAttributes {
  /** Below `BASE`. */
  readonly href: string;
}

/**
 * A link to a page of the console, which `followLink` opens without loading the console again.
 *
 * It has no handler of its own: that of wouter's links keeps what was drawn around a link when it appeared, and so all rows
 * that have left a live list.
 */
export const Link = ({ href, ...attributes }: LinkProps) => <a href={`${BASE}${href}`} {...attributes} />;

/** Opens a link of the console that was clicked, unless it opens in another tab or window. */
export function followLink(click: MouseEvent): void {
  const link = click.target instanceof Element ? click.target.closest("a") : null;
  const isPlain = click.button === 0 && !(click.ctrlKey || click.metaKey || click.shiftKey || click.altKey);
  if (link === null || link.target !== "" || !isPlain || !link.href.startsWith(`${location.origin}${BASE}/`))
    return;
  click.preventDefault();
  navigate(`${link.pathname}${link.search}`);
}
