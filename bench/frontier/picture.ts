import { type CostQuality, risingHull } from "../../src/workbench/metrics/hull.js";
import { circle, plane, text, trail } from "../../src/workbench/report/axes.js";
import { element, htmlOf } from "../../src/workbench/report/element.js";
import { type Label, placeLabels } from "../../src/workbench/report/place-labels.js";
import { significant } from "../report/format.js";
import { COST_WEIGHTS } from "./cross-validate.js";
import type { Frontier } from "./figures.js";
import { meanPoints } from "./saving.js";

const SIZE = { width: 860, height: 470, margin: { left: 64, right: 26, top: 64, bottom: 52 } };
/** Cost weights that are marked on the line of the router. */
const MARKED_WEIGHTS = [0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1];
/** Least distance of two marks, in pixels: of those nearer together the first is drawn. */
const APART = 40;
/** Room beyond the points, as a share of their most dollars, and in quality. */
const ROOM = { cost: 0.05, quality: 0.03 };

/** Colours follow the theme of the reader's system: an image on a page does not see the page's own. */
const STYLE = `
text{font:13px system-ui,sans-serif;fill:#5a6472}.title{font-size:16px;font-weight:600;fill:#1a1f26}.ours{font-weight:600;fill:#0b5cad}
.paper{fill:#fff}.grid{stroke:#e6e9ee}.axis{stroke:#9aa3ae}.model{fill:#7b8794}.mark{fill:#0b5cad}
.mix{fill:none;stroke:#c2410c;stroke-width:1.5;stroke-dasharray:5 4}.dial{fill:none;stroke:#0b5cad;stroke-width:2.5;stroke-linejoin:round}.mixed{fill:#c2410c}
@media (prefers-color-scheme:dark){text{fill:#9aa6b4}.title{fill:#e8ecf1}.ours{fill:#5cb3ff}.paper{fill:#12161c}.grid{stroke:#2a313b}
.axis{stroke:#5a6472}.model{fill:#8d98a5}.mark{fill:#5cb3ff}.mix{stroke:#ff8a4c}.dial{stroke:#5cb3ff}.mixed{fill:#ff8a4c}}`;

interface Named extends Label {
  readonly kind: string;
}

/** A set's single models, what mixing two of them reaches, and the router at all cost weights, as an SVG file for light and dark pages. */
export function frontierPicture({ set, answers, results }: Frontier): string {
  const models = meanPoints(results, "models");
  const settings = meanPoints(results, "settings");
  const hull = risingHull(models);
  const all = [...models, ...settings];
  const dollars = all.map(({ cost }) => cost);
  const qualities = all.map(({ quality }) => quality);
  const on = plane(
    {
      ...{ low: 0, high: Math.max(...dollars) * (1 + ROOM.cost) },
      ...{ label: "mean cost of a task", format: (value: number) => `$${value.toFixed(2)}`, hasGrid: true },
    },
    {
      ...{ low: Math.min(...qualities) - ROOM.quality, high: Math.max(...qualities) + ROOM.quality },
      ...{ label: "mean quality", format: (value: number) => value.toFixed(2) },
    },
    SIZE,
  );
  const placed = ({ cost, quality }: CostQuality) => ({ left: on.x(cost), top: on.y(quality) });
  const curves = [settings, hull].map((points) => points.map(placed));
  const marks: Named[] = [];
  for (const weight of MARKED_WEIGHTS) {
    const point = settings[COST_WEIGHTS.indexOf(weight)];
    if (point === undefined) continue;
    const mark = { ...placed(point), radius: 5, text: String(weight), kind: "ours", isNeeded: true };
    const isFree = marks.every(({ left, top }) => Math.hypot(left - mark.left, top - mark.top) > APART);
    if (isFree) marks.push(mark);
  }
  const dots = models
    .map((point, column) => ({ point, name: answers.models[column] ?? "" }))
    .sort(
      (a, b) =>
        Number(hull.includes(b.point)) - Number(hull.includes(a.point)) || b.point.quality - a.point.quality,
    )
    .map(({ point, name }) => ({ ...placed(point), radius: 4, text: name, kind: "name", point }));
  const labels = placeLabels<Named>([...marks, ...dots], {
    plot: { ...on, right: SIZE.width - 6 },
    marks: [...marks, ...dots],
    curves,
  });
  const legend = [
    { kind: "ours", words: "the router, by its cost weight", x: 0 },
    { kind: "mixed", words: "two models mixed at random", x: 240 },
    { kind: "name", words: "single models", x: 460 },
  ];
  const title = `${set}: ${results.length} tasks, ${answers.models.length} models, the dollars that were paid`;
  return htmlOf(
    element(
      "svg",
      {
        ...{ xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${SIZE.width} ${SIZE.height}` },
        ...{ width: SIZE.width, height: SIZE.height, role: "img", "aria-label": title },
      },
      element("style", {}, STYLE),
      element("rect", { class: "paper", width: SIZE.width, height: SIZE.height, rx: 6 }),
      text(title, { x: SIZE.margin.left, y: 24, anchor: "start" }, { class: "title" }),
      legend.map(({ kind, words, x }) =>
        text(`● ${words}`, { x: SIZE.margin.left + x, y: 46, anchor: "start" }, { class: kind }),
      ),
      on.axes,
      dots.map((dot) => circle(dot, { kind: "model", radius: 4, title: tip(dot.text, dot.point) })),
      trail(curves[1] ?? [], { class: "mix" }),
      trail(curves[0] ?? [], { class: "dial" }),
      marks.map((mark) => circle(mark, { kind: "mark", radius: 5, title: `cost weight ${mark.text}` })),
      labels.map(({ label, ...place }) => text(label.text, place, { class: label.kind })),
    ),
  );
}

const tip = (name: string, { cost, quality }: CostQuality): string =>
  `${name}: quality ${quality.toFixed(3)}, $${significant(cost, 3)}`;
