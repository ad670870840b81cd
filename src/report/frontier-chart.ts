import { type Axis, CHART, PLOT, type Plane, plane, text } from "./axes.js";
import { type Element, element } from "./element.js";
import { at, quality, usd } from "./figures.js";

interface CostAndQuality {
  readonly quality: number;
  /** Dollars of a prompt. */
  readonly cost_usd: number;
}

export interface FrontierData {
  readonly sweep: readonly (CostAndQuality & { readonly cost_weight: number })[];
  readonly singles: readonly (CostAndQuality & { readonly model: string })[];
  /** Cost weights of the sweep that are recommended. */
  readonly recommended: readonly number[];
}

/** Costs are shown of so many prompts. */
const PROMPTS_A_COST = 1000;
/** Costs that differ by more are drawn by their logarithm: a linear axis would press the cheaper ones into its corner. */
const WIDE = 50;

/** Cost and quality along the cost weight, against single models. */
export function frontierChart({ sweep, singles: all, recommended }: FrontierData): Element {
  const [low, high] = qualityRange(sweep, all);
  const singles = all.filter((model) => model.quality >= low);
  const drawn = plane(costAxis([...sweep, ...singles]), {
    ...{ low, high, label: "quality" },
    format: (value) => String(Number(value.toFixed(3))),
  });
  const below = all.length - singles.length;
  return element(
    "figure",
    {},
    element("h3", {}, "Cost and quality"),
    element(
      "svg",
      {
        viewBox: `0 0 ${CHART.width} ${CHART.height}`,
        role: "img",
        "aria-label": spoken(sweep),
      },
      drawn.axes,
      singles.map((model) =>
        circle(drawn, model, {
          ...{ kind: "single", radius: 4.5 },
          title: `always ${model.model}: quality ${quality(model.quality)}, ${usd(model.cost_usd)} a prompt`,
        }),
      ),
      curve(drawn, sweep),
      sweep.map((step) =>
        circle(drawn, step, {
          ...{ kind: recommended.includes(step.cost_weight) ? "chosen" : "point" },
          radius: recommended.includes(step.cost_weight) ? 6 : 3,
          title: `${recommended.includes(step.cost_weight) ? "recommended: " : ""}cost weight ${step.cost_weight}: quality ${quality(step.quality)}, ${usd(step.cost_usd)} a prompt`,
        }),
      ),
      labels(
        [
          ...sweep
            .filter(({ cost_weight: weight }) => recommended.includes(weight))
            .map((step) => ({
              ...place(drawn, step),
              text: String(step.cost_weight),
              side: "below" as const,
            })),
          ...singles.map((model) => ({ ...place(drawn, model), text: model.model, side: "beside" as const })),
        ],
        sweep.map((step) => place(drawn, step)),
      ),
    ),
    element(
      "figcaption",
      {},
      `The line is the router along its cost weight, from 0 at the right to 1 at the left; orange points, with their weights, are recommended below; circles are single models. Point at one for its figures.${below === 0 ? "" : ` ${below} model${below === 1 ? " is" : "s are"} further below and not drawn.`}`,
    ),
  );
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

/** Width of a character, half the height of a line, and half the extent of a point, in the chart's units. */
const [CHARACTER, HALF_LINE, HALF_POINT] = [6.6, 7, 4];
const LONGEST_LABEL = 26;

/**
 * Texts near their points; one that would cover another, a point or the axis is left out, and is in its point's title alone.
 *
 * @param points those without a label
 */
function labels(wanted: readonly Label[], points: readonly Position[]): readonly Element[] {
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
      if (box.from < PLOT.left || box.to > PLOT.right || taken.some((other) => overlap(box, other)))
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
  return side === "below" ? [...under, ...beside] : [...beside, ...under];
}

const overlap = (one: Box, other: Box): boolean =>
  one.from < other.to && other.from < one.to && one.top < other.bottom && other.top < one.bottom;
