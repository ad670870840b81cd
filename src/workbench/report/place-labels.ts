/** Labels of the marks of a chart: each beside its own mark, and upon nothing else. */

import type { Frame, Position } from "./axes.js";

/** What is drawn at a point, as a circle around it. */
interface Mark extends Position {
  readonly radius: number;
}

export interface Label extends Mark {
  readonly text: string;
  /** Whether it must be there, whatever it covers. */
  readonly isNeeded?: boolean;
}

export interface PlacedLabel<Named extends Label> {
  readonly label: Named;
  readonly anchor: "start" | "middle" | "end";
  readonly x: number;
  /** Of the base line. */
  readonly y: number;
}

/** Where labels may be, and what they may not cover. */
export interface Obstacles {
  readonly plot: Frame;
  readonly marks: readonly Mark[];
  /** Their points, in order. */
  readonly curves: readonly (readonly Position[])[];
}

/** Of the text of a chart, in its units; the width is that of a digit in wide fonts. */
const LABEL_FONT = { width: 7.4, height: 14, baseLine: 11 };
/** From a mark to its label, the nearest first. */
const GAPS = [4, 12, 20];
/** To the right, left, above, below, and between those; on a curve that rises to the right, two of the latter are free. */
const DIRECTIONS = [
  { x: 1, y: 0 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
  { x: 0, y: 1 },
  ...[
    { x: -1, y: -1 },
    { x: 1, y: 1 },
    { x: 1, y: -1 },
    { x: -1, y: 1 },
  ].map(({ x, y }) => ({ x: x * Math.SQRT1_2, y: y * Math.SQRT1_2 })),
];

/**
 * A place for each label near its mark where it covers no mark, no earlier label and no part of a curve, and is nearer to the centre
 * of its own mark than to that of any other that has a label. One without such a place is left out, unless it is needed: the first
 * labels have the choice.
 */
export function placeLabels<Named extends Label>(
  labels: readonly Named[],
  { plot, marks, curves }: Obstacles,
): readonly PlacedLabel<Named>[] {
  const taken: Frame[] = [];
  const isFree = (box: Frame, own: Label): boolean =>
    !taken.some((other) => overlap(box, other)) &&
    [...marks, ...labels].every((mark) => distance(box, mark) > mark.radius) &&
    labels.every((other) => coincide(other, own) || distance(box, other) > distance(box, own)) &&
    !curves.some((curve) =>
      curve.slice(1).some((to, at) => crosses(box, { from: curve[at] as Position, to })),
    );
  return labels.flatMap((label) => {
    const places = placesOf(label).filter(({ box }) => isWithin(box, plot));
    const uncovered = () => places.find(({ box }) => !taken.some((other) => overlap(box, other)));
    const needed = label.isNeeded === true ? (uncovered() ?? places[0]) : undefined;
    const found = places.find(({ box }) => isFree(box, label)) ?? needed;
    if (found === undefined) return [];
    const { box, anchor } = found;
    taken.push(box);
    const x = { start: box.left, middle: (box.left + box.right) / 2, end: box.right }[anchor];
    return [{ label, anchor, x, y: box.top + LABEL_FONT.baseLine }];
  });
}

/** Marks that cannot be told apart by their places. */
const coincide = (one: Position, other: Position): boolean =>
  Math.hypot(one.left - other.left, one.top - other.top) < 2;

/** Where a label may be, the best place first. */
function placesOf({ left, top, radius, text }: Label) {
  const width = text.length * LABEL_FONT.width;
  return GAPS.flatMap((gap) =>
    DIRECTIONS.map(({ x, y }) => {
      const start = left + x * (radius + gap) - ((1 - Math.sign(x)) / 2) * width;
      const upper = top + y * (radius + gap) - ((1 - Math.sign(y)) / 2) * LABEL_FONT.height;
      const box = { left: start, right: start + width, top: upper, bottom: upper + LABEL_FONT.height };
      return { box, anchor: x > 0 ? ("start" as const) : x < 0 ? ("end" as const) : ("middle" as const) };
    }),
  );
}

const isWithin = (inner: Frame, outer: Frame): boolean =>
  inner.left >= outer.left &&
  inner.right <= outer.right &&
  inner.top >= outer.top &&
  inner.bottom <= outer.bottom;

const overlap = (one: Frame, other: Frame): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** From a box to a point; 0 within it. */
const distance = (box: Frame, { left, top }: Position): number =>
  Math.hypot(Math.max(box.left - left, 0, left - box.right), Math.max(box.top - top, 0, top - box.bottom));

/** Whether a straight line passes a box (Liang and Barsky 1984): some part of it is within all four sides. */
function crosses(box: Frame, { from, to }: { readonly from: Position; readonly to: Position }): boolean {
  const [dx, dy] = [to.left - from.left, to.top - from.top];
  const sides = [
    { toward: -dx, room: from.left - box.left },
    { toward: dx, room: box.right - from.left },
    { toward: -dy, room: from.top - box.top },
    { toward: dy, room: box.bottom - from.top },
  ];
  if (sides.some(({ toward, room }) => toward === 0 && room < 0)) return false;
  const enters = sides.filter(({ toward }) => toward < 0).map(({ toward, room }) => room / toward);
  const leaves = sides.filter(({ toward }) => toward > 0).map(({ toward, room }) => room / toward);
  return Math.max(0, ...enters) <= Math.min(1, ...leaves);
}
