/**
 * Colours of the charts, as CSS custom properties, so that one SVG serves a light and a dark page. Distinguishable with
 * any kind of colour blindness (after Okabe & Ito 2008, darkened for white and lightened for black backgrounds), and
 * never used alone: series also have labels, shapes and dashes.
 */
export const FAINT_INK = "var(--ink-2)";
export const OURS = "var(--ours)";

/** What stands there to be compared with. */
export const CONTEXT = "var(--s7)";

const OTHERS = 7;
const SHAPES = ["circle", "square", "up", "diamond", "cross", "down", "right"] as const;
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

/** The style of a series: the first highlighted one has the product's colour, the others cycle through the palette. */
export interface SeriesStyle {
  readonly colour: string;
  /** Triangles are named by where they point. */
  readonly shape: (typeof SHAPES)[number];
  readonly dash: readonly number[];
  readonly width: number;
}

export function stylesOf(series: readonly { readonly ours: boolean }[]): SeriesStyle[] {
  const first = series.findIndex(({ ours }) => ours);
  let other = 0;
  return series.map(({ ours }, index) => {
    const width = ours ? 2.5 : 1.5;
    if (index === first) return { colour: OURS, shape: "circle", dash: [], width };
    const turn = other++;
    return {
      colour: `var(--s${(turn % OTHERS) + 1})`,
      shape: SHAPES[(turn + 1) % SHAPES.length] ?? "square",
      dash: DASHES[Math.floor(turn / OTHERS) % DASHES.length] ?? [],
      width,
    };
  });
}

/** Values of the properties: `light` and `dark` are bodies of CSS rules. */
export const PALETTE = {
  light:
    "--paper:#fff;--ink:#1a1f26;--ink-2:#5a6472;--grid:#e6e9ee;--ours:#0b5cad;--s1:#c2410c;--s2:#00795c;--s3:#a63d7a;" +
    "--s4:#8a5d00;--s5:#2a739f;--s6:#5b5bd6;--s7:#6b7280;",
  dark:
    "--paper:#12161c;--ink:#e8ecf1;--ink-2:#9aa6b4;--grid:#2a313b;--ours:#5cb3ff;--s1:#ff8a4c;--s2:#3ccb9b;--s3:#f08bc3;" +
    "--s4:#e5b93c;--s5:#a5d8f7;--s6:#a9a6ff;--s7:#a0a8b4;",
} as const;
