import type { ComponentChildren } from "preact";

interface TwoLinesProps {
  readonly children: ComponentChildren;
  /** Small and grey, in the second line; nothing where it is null. */
  readonly below: ComponentChildren;
  readonly look?: string;
}

/** What a cell says, with a detail under it. */
export const TwoLines = ({ children, below, look = "" }: TwoLinesProps) => (
  <span class="two-lines">
    {children}
    {below !== null && <small class={`muted ${look}`}>{below}</small>}
  </span>
);
