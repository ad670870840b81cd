import { type ChartSize, line, plane } from "./axes.js";
import { chartFigure } from "./chart-figure.js";
import { type Content, type Element, element } from "./element.js";
import { at, quality } from "./figures.js";

export interface CalibrationData {
  readonly error: number;
  readonly if_perfect: number;
  readonly bins: readonly { readonly expected: number; readonly seen: number; readonly count: number }[];
}

/** Expected against seen quality, by groups of answers. */
export const calibrationChart = ({ error, if_perfect: ifPerfect, bins }: CalibrationData): Element =>
  chartFigure({
    title: "Calibration",
    label: `Expected against seen quality: mean distance ${error.toFixed(3)}`,
    draw: (size) => drawn(bins, size),
    caption: [
      "Answers of all models in groups of equal size by expected quality: on the dashed line expectations hold. ",
      `Mean distance ${error.toFixed(3)}; perfect expectations would show ${ifPerfect.toFixed(3)} on as many answers.`,
    ],
  });

function drawn(bins: CalibrationData["bins"], size: ChartSize): Content {
  const unit = { low: 0, high: 1, format: (value: number) => String(value) };
  const across = { ...unit, label: "expected quality" };
  const { x, y, axes } = plane(across, { ...unit, label: "quality seen" }, size);
  return [
    axes,
    line("ideal", { x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    bins.map(({ expected, seen, count }) =>
      element(
        "circle",
        { class: "point", cx: at(x(expected)), cy: at(y(seen)), r: 4.5 },
        element("title", {}, `expected ${quality(expected)}, seen ${quality(seen)}, ${count} answers`),
      ),
    ),
  ];
}
