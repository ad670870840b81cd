import type { SetReport } from "../../engine/profiles/set-report.js";
import type { Element } from "./element.js";

/** Extent of the map and the room around it, in its own units. */
export const MAP = { width: 960, height: 600, margin: 12 };

/** What the map shows of a point when it is selected. */
export type MapData = Pick<SetReport, "map" | "topics"> & { readonly models: readonly string[] };

export const mapDataOf = ({ map, topics, models }: SetReport): MapData => ({
  map,
  topics,
  models: models.map(({ model }) => model),
});

/** What is needed of the elements of a page; this file also runs where their types are not known. */
interface MapElement {
  readonly viewBox: {
    readonly baseVal: {
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    };
  };
  getBoundingClientRect(): {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  addEventListener(type: string, listen: (event: MapEvent) => void): void;
}

interface MapEvent {
  readonly clientX?: number;
  readonly clientY?: number;
  readonly key?: string;
  preventDefault(): void;
}

interface SelectOptions {
  readonly svg: MapElement;
  readonly ring: { setAttribute(name: string, value: string): void };
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Called with the number of a point whenever another one is selected. */
  readonly onSelect: (index: number) => void;
}

/**
 * Selects the point that is pointed at, or reached by the arrow keys; at first the one in the middle. Uses nothing outside of
 * itself, so that its text alone is the script of a page.
 */
export function selectOnMap({ svg, ring, points, onSelect }: SelectOptions): void {
  const view = svg.viewBox.baseVal;
  // The room around is as wide at one side as at the other.
  const width = view.width + 2 * view.x;
  const height = view.height + 2 * view.y;
  const directions: Readonly<Record<string, (dx: number, dy: number) => boolean>> = {
    ArrowRight: (dx, dy) => dx > Math.abs(dy),
    ArrowLeft: (dx, dy) => -dx > Math.abs(dy),
    ArrowDown: (dx, dy) => dy > Math.abs(dx),
    ArrowUp: (dx, dy) => -dy > Math.abs(dx),
  };
  const state = { selected: -1 };
  const nearest = (x: number, y: number, accepts: (dx: number, dy: number) => boolean): number => {
    let found = -1;
    let least = Number.POSITIVE_INFINITY;
    points.forEach((point, index) => {
      const dx = point.x * width - x;
      const dy = point.y * height - y;
      const distance = dx * dx + dy * dy;
      if (distance < least && accepts(dx, dy)) [found, least] = [index, distance];
    });
    return found;
  };
  const select = (index: number): void => {
    const point = points[index];
    if (point === undefined || index === state.selected) return;
    state.selected = index;
    ring.setAttribute("cx", String(point.x * width));
    ring.setAttribute("cy", String(point.y * height));
    ring.setAttribute("visibility", "visible");
    onSelect(index);
  };
  const follow = (event: MapEvent): void => {
    const box = svg.getBoundingClientRect();
    const x = view.x + (((event.clientX ?? 0) - box.left) * view.width) / box.width;
    const y = view.y + (((event.clientY ?? 0) - box.top) * view.height) / box.height;
    select(nearest(x, y, () => true));
  };
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("keydown", (event) => {
    const accepts = directions[event.key ?? ""];
    const from = points[state.selected];
    if (accepts === undefined || from === undefined) return;
    event.preventDefault();
    select(nearest(from.x * width, from.y * height, accepts));
  });
  select(nearest(width / 2, height / 2, () => true));
}

/** What is expected at a point. Uses nothing outside of itself, as `selectOnMap`. */
export function pointDetails({ map, topics, models }: MapData, index: number): readonly Element[] {
  const plain = (tag: string, ...content: readonly (Element | string)[]): Element => ({
    tag,
    attributes: {},
    content,
  });
  const point = map[index];
  if (point === undefined) return [];
  const rows = point.best.map(({ model, quality, stderr }) =>
    plain(
      "tr",
      plain("td", plain(model === point.chosen ? "strong" : "span", models[model] ?? "")),
      plain("td", `${quality.toFixed(3)} ± ${stderr.toFixed(3)}`),
    ),
  );
  const near = point.near.map(({ topic, share }) => `${Math.round(100 * share)}% ${topics[topic]}`);
  return [
    plain("h3", topics[point.topic] ?? ""),
    plain("p", `Would answer: ${models[point.chosen]}`),
    plain(
      "table",
      plain("thead", plain("tr", plain("th", "model"), plain("th", "expected quality"))),
      plain("tbody", ...rows),
    ),
    { tag: "p", attributes: { class: "muted" }, content: [`Nearest anchors: ${near.join(", ")}`] },
  ];
}
