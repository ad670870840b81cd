import { type Axis, CHARACTER, type ChartSize, type Plane, plane, text } from "./axes.js";
import { chartFigure } from "./chart-figure.js";
import { type Content, type Element, element } from "./element.js";
import { at, quality, usd } from "./figures.js";

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

function captionOf({ knee, tuned }: FrontierData, below: number): string {
  return [
    "The line is the router along its cost weight, from 0 at the right to 1 at the left; orange points, with their weights, are recommended below",
    knee === null ? "" : "; the diamond is the knee, beyond which quality falls faster than cost",
    tuned === null ? "" : "; the ring is the cost weight that profile tune saved in the set",
    "; circles are single models. Point at one for its figures.",
    below === 0 ? "" : ` ${below} model${below === 1 ? " is" : "s are"} further below and not drawn.`,
  ].join("");
}

interface Extent {
  readonly range: readonly [number, number];
  readonly size: ChartSize;
}

function drawn(data: FrontierData, { range: [low, high], size }: Extent): Content {
  const { sweep, singles } = data;
  const up = { low, high, label: "quality", format: (value: number) => String(Number(value.toFixed(3))) };
  const on = plane(costAxis([...sweep, ...singles]), up, size);
  // Those with a name first, as there is not always room for all labels.
  const marked = sweep
    .filter((step) => namesOf(step, data).length > 0)
    .sort((a, b) => labelOf(b, data).length - labelOf(a, data).length);
  return [
    on.axes,
    singles.map((model) =>
      circle(on, model, {
        ...{ kind: "single", radius: 4.5 },
        title: `always ${model.model}: quality ${quality(model.quality)}, ${usd(model.cost_usd)} a prompt`,
      }),
    ),
    curve(on, sweep),
    sweep.map((step) => stepMark(on, step, data)),
    labels(
      [
        ...marked.map((step) => ({ ...place(on, step), text: labelOf(step, data), side: "below" as const })),
        ...singles.map((model) => ({ ...place(on, model), text: model.model, side: "beside" as const })),
      ],
      { points: sweep.map((step) => place(on, step)), plot: on },
    ),
  ];
}

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
    names.includes("tuned") ? circle(on, step, { kind: "tuned", radius: 10, title }) : null,
    names.includes("knee")
      ? diamond(on, step, { kind: isChosen ? "knee chosen" : "knee", title })
      : circle(on, step, { kind: isChosen ? "chosen" : "point", radius: isChosen ? 6 : 3, title }),
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
  const axis = { label: "cost of 1,000 prompts", format: usd };
  const [least, most] = [Math.min(...costs.filter((cost) => cost > 0)), Math.max(...costs)];
  return most > WIDE * least
    ? { ...axis, low: least / 1.3, high: most * 1.3, scale: "logarithmic" }
    : { ...axis, low: 0, high: 1.04 * most };
}

interface Position {
  readonly left: number;
  readonly top: number;
}

const place = ({ x, y }: Plane, { cost_usd: cost, quality: value }: CostAndQuality): Position => ({
  left: x(cost * PROMPTS_A_COST),
  top: y(value),
});

const circle = (
  drawn: Plane,
  point: CostAndQuality,
  { kind, radius, title }: { readonly kind: string; readonly radius: number; readonly title: string },
): Element => {
  const { left, top } = place(drawn, point);
  return element(
    "circle",
    { class: kind, cx: at(left), cy: at(top), r: radius },
    element("title", {}, title),
  );
};

/** Half the width of a diamond. */
const DIAMOND = 8;

function diamond(
  on: Plane,
  point: CostAndQuality,
  { kind, title }: { readonly kind: string; readonly title: string },
): Element {
  const { left, top } = place(on, point);
  const d = `M${at(left)} ${at(top - DIAMOND)}l${DIAMOND} ${DIAMOND}l-${DIAMOND} ${DIAMOND}l-${DIAMOND} -${DIAMOND}z`;
  return element("path", { class: kind, d }, element("title", {}, title));
}

function curve(drawn: Plane, sweep: readonly CostAndQuality[]): Element {
  const path = sweep
    .map((step) => place(drawn, step))
    .map(({ left, top }, step) => `${step === 0 ? "M" : "L"}${at(left)} ${at(top)}`);
  return element("path", { class: "curve", d: path.join("") });
}

interface Label extends Position {
  readonly text: string;
  readonly side: "beside" | "below";
}

/** A part of the chart that is taken. */
interface Box {
  readonly from: number;
  readonly to: number;
  readonly top: number;
  readonly bottom: number;
}

/** Half the height of a line, and half the extent of a point, in the chart's units. */
const [HALF_LINE, HALF_POINT] = [7, 4];
const LONGEST_LABEL = 26;

/**
 * Texts near their points; one that would cover another, a point or the axis is left out, and is in its point's title alone.
 *
 * @param where.points those without a label
 */
function labels(
  wanted: readonly Label[],
  { points, plot }: { readonly points: readonly Position[]; readonly plot: Pick<Plane, "left" | "right"> },
): readonly Element[] {
  const taken: Box[] = [...wanted, ...points].map(({ left, top }) => ({
    ...{ from: left - HALF_POINT, to: left + HALF_POINT },
    ...{ top: top - HALF_POINT, bottom: top + HALF_POINT },
  }));
  return wanted.flatMap((label) => {
    const name = shortened(label.text);
    const width = name.length * CHARACTER;
    const found = placesOf(label).find(({ anchor, x, y }) => {
      const from = anchor === "middle" ? x - width / 2 : anchor === "end" ? x - width : x;
      const box = { from, to: from + width, top: y - HALF_LINE, bottom: y + HALF_LINE };
      if (box.from < plot.left || box.to > plot.right || taken.some((other) => overlap(box, other)))
        return false;
      taken.push(box);
      return true;
    });
    return found === undefined ? [] : [text(name, { ...found, y: found.y + 4 })];
  });
}

const shortened = (name: string): string =>
  name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name;

/** Where a label may be, the best place first. */
function placesOf({ left, top, side }: Label) {
  const beside = [
    { anchor: "start" as const, x: left + 9, y: top },
    { anchor: "end" as const, x: left - 9, y: top },
  ];
  const under = [
    { anchor: "middle" as const, x: left, y: top + 15 },
    { anchor: "middle" as const, x: left, y: top - 15 },
  ];
  // On a curve that rises to the right, these are free.
  const diagonal = [
    { anchor: "start" as const, x: left + 9, y: top + 14 },
    { anchor: "end" as const, x: left - 9, y: top - 14 },
  ];
  return side === "below" ? [...under, ...diagonal, ...beside] : [...beside, ...under];
}

const overlap = (one: Box, other: Box): boolean =>
  one.from < other.to && other.from < one.to && one.top < other.bottom && other.top < one.bottom;
