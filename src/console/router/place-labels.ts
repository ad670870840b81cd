export interface LabelWish {
  readonly text: string;
  /** Of the point that it names. */
  readonly x: number;
  readonly y: number;
  /** Whether it must be there, whatever it covers. */
  readonly isFirst: boolean;
}

export interface Label extends LabelWish {
  readonly anchor: "start" | "end";
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Mean width of a character at the size of labels (measured for the usual system fonts). */
const CHARACTER = 6.6;
const LINE = 15;
const AWAY = 9;

/** Labels beside their points, without overlaps: the first ones are placed first, those that do not fit are left out. */
export function placeLabels(
  wishes: readonly LabelWish[],
  within: { readonly left: number; readonly right: number; readonly top: number },
): readonly Label[] {
  const taken: Box[] = [];
  const labels: Label[] = [];
  for (const wish of wishes.toSorted((left, right) => Number(right.isFirst) - Number(left.isFirst))) {
    const positions = positionsOf(wish).filter(
      ({ box }) => box.left >= within.left && box.right <= within.right && box.top >= within.top - LINE,
    );
    const free = positions.find(({ box }) => !taken.some((other) => overlap(box, other)));
    const chosen = free ?? (wish.isFirst ? positions[0] : undefined);
    if (chosen === undefined) continue;
    taken.push(chosen.box);
    labels.push(chosen.label);
  }
  return labels;
}

function positionsOf(wish: LabelWish): { readonly label: Label; readonly box: Box }[] {
  const length = wish.text.length * CHARACTER;
  return [
    { dx: -AWAY, dy: -5, anchor: "end" as const },
    { dx: AWAY, dy: 14, anchor: "start" as const },
    { dx: AWAY, dy: -7, anchor: "start" as const },
    { dx: -AWAY, dy: 14, anchor: "end" as const },
  ].map(({ dx, dy, anchor }) => {
    const [x, y] = [wish.x + dx, wish.y + dy];
    const left = anchor === "start" ? x : x - length;
    return {
      label: { ...wish, x, y, anchor },
      box: { left, right: left + length, top: y - LINE + 3, bottom: y + 3 },
    };
  });
}

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
