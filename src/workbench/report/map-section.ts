import type { SetReport } from "../../engine/profiles/set-report.js";
import { type Element, element } from "./element.js";
import { at, count, percentAbove0 } from "./figures.js";
import { MAP } from "./map-selection.js";
import { note, section } from "./section.js";

/** Models that get a colour of their own, `c0` to `c6`; the others share `c7`. */
const OWN_COLOURS = 7;
const colourClass = (position: number): string =>
  position < 0 || position >= OWN_COLOURS ? `c${OWN_COLOURS}` : `c${position}`;

/** The map of the anchors: one dot each, its legend, and room for the details of the selected one. */
export function mapSection(report: SetReport): Element {
  const coloured = colouredModels(report.models);
  const radius = radiusOf(report.map.length);
  return section(
    "map",
    "Map of the anchors",
    note(
      "Anchors are the prompts that the set was built with: the router compares a new prompt with those that are like it. ",
      drawn(report),
      " each in the colour of the model that would answer such a prompt at cost weight 0. Neighbours in the map are neighbours for the router; distances between groups mean little, and texts of prompts are not part of a set.",
    ),
    element("ul", { class: "legend" }, legendOf(report.models, coloured)),
    element(
      "div",
      { class: "map" },
      element(
        "svg",
        {
          id: "map",
          viewBox: `${-MAP.margin} ${-MAP.margin} ${MAP.width + 2 * MAP.margin} ${MAP.height + 2 * MAP.margin}`,
          tabindex: 0,
          role: "application",
          "aria-label": "Map of the anchors. Arrow keys go to the next anchor in that direction.",
          "aria-describedby": "map-details",
        },
        dotsOf(report, { coloured, radius }),
        element("circle", { id: "map-ring", r: radius + 5, class: "ring", visibility: "hidden" }),
      ),
      element("div", { id: "map-details", class: "details", "aria-live": "polite" }),
    ),
  );
}

const radiusOf = (points: number): number => (points > 1500 ? 2.6 : points > 400 ? 3.4 : 5);

function drawn({ map, anchors }: SetReport): string {
  return map.length < anchors
    ? `Drawn are ${count(map.length)} of ${count(anchors)} anchors, chosen at random,`
    : `Drawn are all ${count(map.length)} anchors,`;
}

/** One path a colour: thousands of elements would make the page slow. */
function dotsOf(
  { map }: SetReport,
  { coloured, radius }: { readonly coloured: readonly number[]; readonly radius: number },
): readonly Element[] {
  const paths = new Map<string, string>();
  for (const { x, y, chosen } of map) {
    const colour = colourClass(coloured.indexOf(chosen));
    paths.set(colour, `${paths.get(colour) ?? ""}M${at(x * MAP.width)} ${at(y * MAP.height)}h0`);
  }
  return [...paths]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([colour, d]) => element("path", { class: `dots ${colour}`, d, "stroke-width": 2 * radius }));
}

/** Those chosen most often first, as positions in `models`. */
function colouredModels(models: SetReport["models"]): readonly number[] {
  const chosen = (position: number): number => models[position]?.chosen ?? 0;
  return [...models.keys()]
    .filter((position) => chosen(position) > 0)
    .sort((a, b) => chosen(b) - chosen(a) || a - b)
    .slice(0, OWN_COLOURS);
}

function legendOf(models: SetReport["models"], coloured: readonly number[]): readonly Element[] {
  const own = coloured.map((position, colour) => entry(models[position], colour));
  const others = models.filter(({ chosen }, position) => chosen > 0 && !coloured.includes(position));
  if (others.length === 0) return own;
  const share = others.reduce((sum, { chosen }) => sum + chosen, 0);
  const model = `${others.length} other${others.length === 1 ? "" : "s"}`;
  return [...own, entry({ model, chosen: share }, -1)];
}

const entry = (
  named: { readonly model: string; readonly chosen: number } | undefined,
  colour: number,
): Element =>
  element(
    "li",
    {},
    element("span", { class: `swatch ${colourClass(colour)}` }),
    `${named?.model ?? ""} `,
    element("span", { class: "muted" }, percentAbove0(named?.chosen ?? 0)),
  );
