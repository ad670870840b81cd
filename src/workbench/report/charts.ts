import { type CostQuality, qualityAt, risingHull } from "../metrics/hull.js";
import {
  type Axis,
  type ChartSize,
  chartFigure,
  circle,
  line,
  type Plane,
  type Position,
  plane,
  text,
  trail,
} from "./axes.js";
import { type Content, type Element, element } from "./element.js";
import { at, quality, usd } from "./figures.js";
import { type Label, placeLabels } from "./place-labels.js";

interface CostAndQuality {
  readonly quality: number;
  /** Dollars of a prompt. */
  readonly cost_usd: number;
}

export interface FrontierData {
  readonly sweep: readonly SweepPoint[];
  readonly singles: readonly (CostAndQuality & { readonly model: string })[];
  /** Cost weights of the sweep that are recommended. */
  readonly recommended: readonly number[];
  /** The knee of the sweep. */
  readonly knee: number | null;
  /** The cost weight that `sextant profile tune` saved in the set. */
  readonly tuned: number | null;
}

interface SweepPoint extends CostAndQuality {
  readonly cost_weight: number;
}

/** Costs are shown of so many prompts. */
const PROMPTS_A_COST = 1000;
/** Costs that differ by more are drawn by their logarithm: a linear axis would press the cheaper ones into its corner. */
const WIDE = 50;

/** Cost and quality along the cost weight, against single models. */
export function frontierChart(data: FrontierData): Element {
  const range = qualityRange(data.sweep, data.singles);
  const singles = data.singles.filter((model) => model.quality >= range[0]);
  return chartFigure({
    title: "Cost and quality",
    label: spoken(data.sweep),
    draw: (size) => drawn({ ...data, singles }, { range, size }),
    caption: captionOf(data, data.singles.length - singles.length),
  });
}

function captionOf(data: FrontierData, below: number): string {
  const { knee, tuned } = data;
  return [
    "The line is the router along its cost weight, from 0 at the right to 1 at the left; orange points, with their weights, are named below",
    knee === null ? "" : "; the diamond is the knee, beyond which quality falls faster than cost",
    tuned === null ? "" : "; the ring is the cost weight that profile tune saved in the set",
    "; circles are single models, and the dashed line what mixtures of them reach by chance. Point at one for its figures.",
    underHull(data),
    below === 0 ? "" : ` ${below} model${below === 1 ? " is" : "s are"} further below and not drawn.`,
  ].join("");
}

const hullOf = (singles: FrontierData["singles"]): readonly CostQuality[] =>
  risingHull(singles.map(({ quality: reached, cost_usd: cost }) => ({ quality: reached, cost })));

/** Less below the hull than this is rounding. */
const LEAST_GAP = 0.0005;

/** Where the router is no better than drawing single models at random, at the same cost. */
function underHull({ sweep, singles }: Pick<FrontierData, "sweep" | "singles">): string {
  const hull = hullOf(singles);
  const gaps = sweep.map((step) => qualityAt(hull, step.cost_usd) - step.quality);
  const under = sweep.filter((_, step) => (gaps[step] as number) > LEAST_GAP);
  if (under.length === 0) return " The router is nowhere below that.";
  const most = (100 * Math.max(...gaps)).toFixed(1);
  const weights = under.map(({ cost_weight: weight }) => weight).sort((a, b) => a - b);
  const shown = weights.length > MOST_WEIGHTS ? `${weights[0]} to ${weights.at(-1)}` : weights.join(", ");
  const which =
    weights.length > MOST_WEIGHTS
      ? `${weights.length} of ${sweep.length} cost weights from `
      : "cost weight ";
  return ` The router is below that at ${which}${shown}, by up to ${most} points.`;
}

const MOST_WEIGHTS = 4;

/** Points between two corners of the hull: on a logarithmic axis it is no straight line. */
const HULL_STEPS = 12;

function hullTrail(on: Plane, singles: FrontierData["singles"]): Content {
  const hull = hullOf(singles);
  const along = hull.slice(1).flatMap((to, corner) => {
    const from = hull[corner] as CostQuality;
    return Array.from({ length: HULL_STEPS }, (_, step) => {
      const share = (step + 1) / HULL_STEPS;
      const between = (name: keyof CostQuality) => from[name] + share * (to[name] - from[name]);
      return { cost_usd: between("cost"), quality: between("quality") };
    });
  });
  const [first] = hull;
  if (first === undefined || along.length === 0) return null;
  const corners = [{ cost_usd: first.cost, quality: first.quality }, ...along];
  return trail(
    corners.map((point) => place(on, point)),
    { class: "ideal" },
  );
}

interface Extent {
  readonly range: readonly [number, number];
  readonly size: ChartSize;
}

function drawn(data: FrontierData, { range: [low, high], size }: Extent): Content {
  const { sweep, singles } = data;
  const up = { low, high, label: "quality", format: (value: number) => String(Number(value.toFixed(3))) };
  const on = plane(costAxis([...sweep, ...singles]), up, size);
  return [
    on.axes,
    singles.map((model) =>
      circle(place(on, model), {
        kind: "single",
        radius: SINGLE,
        title: `always ${model.model}: quality ${quality(model.quality)}, ${usd(model.cost_usd)} a prompt`,
      }),
    ),
    hullTrail(on, singles),
    trail(
      sweep.map((step) => place(on, step)),
      { class: "curve" },
    ),
    sweep.map((step) => stepMark(on, step, data)),
    labels(on, data),
  ];
}

/** Where there is not room for all: those of models first, then of weights that have a name; the others are in titles alone. */
function labels(on: Plane, data: FrontierData): Element[] {
  const { sweep, singles } = data;
  const named = singles.map(
    (model): Label => ({ ...place(on, model), radius: SINGLE, text: shortened(model.model) }),
  );
  const marked = sweep
    .filter((step) => namesOf(step, data).length > 0)
    .map((step): Label => ({ ...place(on, step), radius: radiusOf(step, data), text: labelOf(step, data) }))
    .sort((a, b) => b.text.length - a.text.length);
  const curve = sweep.map((step) => place(on, step));
  const obstacles = {
    plot: { ...on, top: 0 },
    marks: curve.map((point) => ({ ...point, radius: POINT })),
    curves: [curve],
  };
  return placeLabels([...named, ...marked], obstacles).map(({ label, ...found }) => text(label.text, found));
}

const LONGEST_LABEL = 26;

const shortened = (name: string): string =>
  name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name;

type Marks = Pick<FrontierData, "recommended" | "knee" | "tuned">;

/** What a step of the sweep is marked as. */
const namesOf = ({ cost_weight: weight }: SweepPoint, { recommended, knee, tuned }: Marks): string[] => [
  ...(recommended.includes(weight) ? ["recommended"] : []),
  ...(weight === knee ? ["knee"] : []),
  ...(weight === tuned ? ["tuned"] : []),
];

const labelOf = (step: SweepPoint, marks: Marks): string =>
  [...namesOf(step, marks).filter((name) => name !== "recommended"), step.cost_weight].join(" ");

/** A point, as a diamond where the knee is, and with a ring where the tuned weight is. */
function stepMark(on: Plane, step: SweepPoint, marks: Marks): Content {
  const names = namesOf(step, marks);
  const prefix = names.length === 0 ? "" : `${names.join(", ")}: `;
  const title = `${prefix}cost weight ${step.cost_weight}: quality ${quality(step.quality)}, ${usd(step.cost_usd)} a prompt`;
  const isChosen = names.includes("recommended");
  return [
    names.includes("tuned") ? circle(place(on, step), { kind: "tuned", radius: RING, title }) : null,
    names.includes("knee")
      ? diamond(on, step, { kind: isChosen ? "knee chosen" : "knee", title })
      : circle(place(on, step), {
          kind: isChosen ? "chosen" : "point",
          radius: isChosen ? CHOSEN : POINT,
          title,
        }),
  ];
}

const spoken = (sweep: FrontierData["sweep"]): string =>
  `Cost and quality along the cost weight, against single models. ${sweep
    .filter((_, step) => step % 5 === 0)
    .map(
      (step) =>
        `Cost weight ${step.cost_weight}: quality ${quality(step.quality)}, ${usd(step.cost_usd)} a prompt`,
    )
    .join(". ")}`;

/** The curve with its room; a single model far below would press it flat, and is left out. */
function qualityRange(
  sweep: readonly CostAndQuality[],
  singles: readonly CostAndQuality[],
): readonly [number, number] {
  const reached = sweep.map((step) => step.quality);
  const [least, most] = [Math.min(...reached), Math.max(...reached)];
  const floor = least - Math.max(0.05, (most - least) / 4);
  const values = [...reached, ...singles.map((model) => model.quality).filter((value) => value >= floor)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(0.01, 0.06 * (high - low));
  return [Math.max(0, low - room), Math.min(1, high + room)];
}

function costAxis(drawn: readonly CostAndQuality[]): Axis {
  const costs = drawn.map(({ cost_usd: cost }) => cost * PROMPTS_A_COST);
  const axis = { label: "cost of 1,000 prompts", format: (cost: number) => usd(cost).replace(/\.00$/, "") };
  const [least, most] = [Math.min(...costs.filter((cost) => cost > 0)), Math.max(...costs)];
  return most > WIDE * least
    ? { ...axis, low: least / 1.3, high: most * 1.3, scale: "logarithmic" }
    : { ...axis, low: 0, high: 1.04 * most };
}

const place = ({ x, y }: Plane, { cost_usd: cost, quality: value }: CostAndQuality): Position => ({
  left: x(cost * PROMPTS_A_COST),
  top: y(value),
});

/** Radii of the points, and half the width of a diamond, in the chart's units. */
const [POINT, SINGLE, CHOSEN, DIAMOND, RING] = [3, 4.5, 6, 8, 10];

/** How far the mark of a step extends. */
function radiusOf(step: SweepPoint, marks: Marks): number {
  const names = namesOf(step, marks);
  if (names.includes("tuned")) return RING;
  return names.includes("knee") ? DIAMOND : CHOSEN;
}

function diamond(
  on: Plane,
  point: CostAndQuality,
  { kind, title }: { readonly kind: string; readonly title: string },
): Element {
  const { left, top } = place(on, point);
  const d = `M${at(left)} ${at(top - DIAMOND)}l${DIAMOND} ${DIAMOND}l-${DIAMOND} ${DIAMOND}l-${DIAMOND} -${DIAMOND}z`;
  return element("path", { class: kind, d }, element("title", {}, title));
}

interface CalibrationData {
  readonly error: number;
  readonly if_perfect: number;
  readonly bins: readonly { readonly expected: number; readonly seen: number; readonly count: number }[];
}

/** Expected against seen quality, by groups of answers. */
export const calibrationChart = ({ error, if_perfect: ifPerfect, bins }: CalibrationData): Element =>
  chartFigure({
    title: "Calibration",
    label: `Expected against seen quality: mean distance ${error.toFixed(3)}`,
    draw: (size) => drawnBins(bins, size),
    caption: [
      "Answers of all models in groups of equal size by expected quality: on the dashed line expectations hold. ",
      `Mean distance ${error.toFixed(3)}; perfect expectations would show ${ifPerfect.toFixed(3)} on as many answers.`,
    ],
  });

function drawnBins(bins: CalibrationData["bins"], size: ChartSize): Content {
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
