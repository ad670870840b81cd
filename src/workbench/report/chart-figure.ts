import type { ChartSize } from "./axes.js";
import { type Content, type Element, element } from "./element.js";

/** Charts are drawn for wide and for narrow columns, so that their texts keep their size; the style shows the one that fits. */
const SIZES: readonly (ChartSize & { readonly kind: string })[] = [
  { kind: "wide", width: 520, height: 360 },
  { kind: "narrow", width: 330, height: 300 },
];

interface ChartFigure {
  readonly title: string;
  /** What the chart shows, for screen readers. */
  readonly label: string;
  readonly draw: (size: ChartSize) => Content;
  readonly caption: Content;
}

/** A chart with its title and caption. */
export const chartFigure = ({ title, label, draw, caption }: ChartFigure): Element =>
  element(
    "figure",
    {},
    element("h3", {}, title),
    SIZES.map(({ kind, ...size }) =>
      element(
        "svg",
        { class: kind, viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label },
        draw(size),
      ),
    ),
    element("figcaption", {}, caption),
  );
