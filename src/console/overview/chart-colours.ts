export interface ChartColours {
  readonly text: string;
  readonly grid: string;
  readonly line: (at: number) => string;
  /** Paler but opaque, because stacked areas overlap. */
  readonly area: (at: number) => string;
  readonly font: string;
}

/** The colours of the page as they are now: a canvas knows nothing of custom properties. */
export function chartColours(element: HTMLElement): ChartColours {
  const probe = document.createElement("span");
  element.append(probe);
  const resolved = (colour: string): string => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const tokens = [1, 2, 3, 4, 5, 6].map((at) => `var(--series-${at})`);
  const lines = tokens.map(resolved);
  const areas = tokens.map((token) => resolved(`color-mix(in srgb, ${token} 38%, var(--surface))`));
  const colours: ChartColours = {
    text: resolved("var(--muted)"),
    grid: resolved("var(--grid)"),
    line: (at) => lines[at - 1] ?? "gray",
    area: (at) => areas[at - 1] ?? "silver",
    font: `12px ${getComputedStyle(element).fontFamily}`,
  };
  probe.remove();
  return colours;
}
