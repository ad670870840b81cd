/** A label and its possible positions, the best first. */
export interface LabelRequest {
  readonly text: string;
  readonly positions: readonly LabelPosition[];
}

export interface LabelPosition {
  /** Pixels; the text's start, middle or end by `align`, its middle in height. */
  readonly x: number;
  readonly y: number;
  readonly align: "left" | "center" | "right";
  /** What it names, when that is far enough to need a line to it. */
  readonly from?: { readonly x: number; readonly y: number };
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Room {
  /** No label may extend beyond these. */
  readonly bounds: Box;
  /** Marks that a label should not cover. */
  readonly obstacles: readonly Box[];
}

const HEIGHT = 14;
/** What a pixel² over another label costs, against one over a mark, and one outside. */
const COST = { label: 8, mark: 1, outside: 20 };

/**
 * One position for each label, in their order: the one that covers the least of marks and labels, earlier labels before later
 * and better positions before worse. Greedy: a placed label is not moved.
 */
export function placeLabels(labels: readonly LabelRequest[], { bounds, obstacles }: Room): LabelPosition[] {
  const taken: Box[] = [];
  return labels.map(({ text, positions }) => {
    let best: { readonly position: LabelPosition; readonly box: Box; readonly cost: number } | undefined;
    for (const [rank, position] of positions.entries()) {
      const box = boxOf(text, position);
      const cost =
        COST.label * overlapWith(box, taken) +
        COST.mark * overlapWith(box, obstacles) +
        COST.outside * (area(box) - overlap(box, bounds)) +
        4 * rank;
      if (best === undefined || cost < best.cost) best = { position, box, cost };
    }
    if (best === undefined) throw new Error(`the label ${text} has no possible position`);
    taken.push(best.box);
    return best.position;
  });
}

export function boxOf(text: string, { x, y, align }: LabelPosition): Box {
  const width = textWidth(text);
  const left = align === "left" ? x : align === "right" ? x - width : x - width / 2;
  return { left, top: y - HEIGHT / 2, right: left + width, bottom: y + HEIGHT / 2 };
}

/** Pixels at 12 px, roughly: nothing measures fonts where charts are made. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += (character.codePointAt(0) ?? 0) >= 0x1100 ? 12 : 6.4;
  return width;
}

const area = ({ left, top, right, bottom }: Box): number => (right - left) * (bottom - top);

function overlap(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

const overlapWith = (box: Box, others: readonly Box[]): number =>
  others.reduce((sum, other) => sum + overlap(box, other), 0);
