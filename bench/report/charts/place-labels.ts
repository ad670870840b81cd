/** A text that wants to stand at one of several places, the best first. */
export interface LabelRequest {
  readonly text: string;
  readonly places: readonly LabelPlace[];
}

export interface LabelPlace {
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
  /** Where no label may reach out of. */
  readonly bounds: Box;
  /** Marks that a label should not cover. */
  readonly obstacles: readonly Box[];
}

const HEIGHT = 14;
/** What a pixel² over another label costs, against one over a mark, and one outside. */
const COST = { label: 8, mark: 1, outside: 20 };

/**
 * One place for each label, in their order: the one that covers least of what is there, the earlier ones before the later
 * and the better places before the worse. Greedy: a label once placed stays.
 */
export function placeLabels(labels: readonly LabelRequest[], { bounds, obstacles }: Room): LabelPlace[] {
  const taken: Box[] = [];
  return labels.map(({ text, places }) => {
    let best: { readonly place: LabelPlace; readonly box: Box; readonly cost: number } | undefined;
    for (const [rank, place] of places.entries()) {
      const box = boxOf(text, place);
      const cost =
        COST.label * overlapWith(box, taken) +
        COST.mark * overlapWith(box, obstacles) +
        COST.outside * (area(box) - overlap(box, bounds)) +
        4 * rank;
      if (best === undefined || cost < best.cost) best = { place, box, cost };
    }
    if (best === undefined) throw new Error(`the label ${text} has no place to stand at`);
    taken.push(best.box);
    return best.place;
  });
}

export function boxOf(text: string, { x, y, align }: LabelPlace): Box {
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
