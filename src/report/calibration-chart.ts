import { CHART, line, plane } from "./axes.js";
import { type Element, element } from "./element.js";
import { at, quality } from "./figures.js";

export interface CalibrationData {
  readonly error: number;
  readonly if_perfect: number;
  readonly bins: readonly { readonly expected: number; readonly seen: number; readonly count: number }[];
}

/** Expected against seen quality, by groups of answers. */
export function calibrationChart({ error, if_perfect: ifPerfect, bins }: CalibrationData): Element {
  const unit = { low: 0, high: 1, format: (value: number) => String(value) };
  const { x, y, axes } = plane({ ...unit, label: "expected quality" }, { ...unit, label: "quality seen" });
  return element(
    "figure",
    {},
    element("h3", {}, "Calibration"),
    element(
      "svg",
      {
        viewBox: `0 0 ${CHART.width} ${CHART.height}`,
        role: "img",
        "aria-label": `Expected against seen quality: mean distance ${error.toFixed(3)}`,
      },
      axes,
      line("ideal", { x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
      bins.map(({ expected, seen, count }) =>
        element(
          "circle",
          { class: "point", cx: at(x(expected)), cy: at(y(seen)), r: 4.5 },
          element("title", {}, `expected ${quality(expected)}, seen ${quality(seen)}, ${count} answers`),
        ),
      ),
    ),
    element(
      "figcaption",
      {},
      "Answers of all models in groups of equal size by expected quality: on the dashed line expectations hold. ",
      `Mean distance ${error.toFixed(3)}; perfect expectations would show ${ifPerfect.toFixed(3)} on as many answers.`,
    ),
  );
}
