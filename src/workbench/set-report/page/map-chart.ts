import type { SetReport } from "../set-report.js";
import { at, colourClass, escaped, jsonInScript, OWN_COLOURS, percentAbove0 } from "./markup.js";

const WIDTH = 960;
const HEIGHT = 600;
const MARGIN = 12;

/** Models that get a colour, the ones chosen most often first, as positions in `report.models`. */
function colouredModels({ models }: Pick<SetReport, "models">): readonly number[] {
  return [...models.keys()]
    .filter((position) => (models[position]?.chosen ?? 0) > 0)
    .sort((a, b) => (models[b]?.chosen ?? 0) - (models[a]?.chosen ?? 0) || a - b)
    .slice(0, OWN_COLOURS);
}

/** The map of the anchors: one dot each, its legend, and the details of the selected one, which the script fills. */
export function mapSection(report: SetReport): string {
  const { points } = report.map;
  const coloured = colouredModels(report);
  const classOf = (model: number): string => colourClass(coloured.indexOf(model));
  const place = ({ x, y }: { readonly x: number; readonly y: number }) => ({
    left: MARGIN + x * (WIDTH - 2 * MARGIN),
    top: MARGIN + y * (HEIGHT - 2 * MARGIN),
  });
  const radius = points.length > 1500 ? 2.6 : points.length > 400 ? 3.4 : 5;
  // One path a colour: thousands of elements would make the page slow.
  const dots = new Map<string, string>();
  for (const point of points) {
    const { left, top } = place(point);
    const colour = classOf(point.chosen);
    dots.set(colour, `${dots.get(colour) ?? ""}M${at(left)} ${at(top)}h0`);
  }
  const paths = [...dots]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([colour, path]) => `<path class="dots ${colour}" d="${path}" stroke-width="${2 * radius}"/>`)
    .join("");
  const data = {
    models: report.models.map(({ model }) => model),
    topics: report.topics,
    points: points.map((point) => {
      const { left, top } = place(point);
      return [
        ...[Math.round(left), Math.round(top), point.topic, point.chosen],
        point.best.map(({ model, quality, error }) => [model, rounded(quality), rounded(error)]),
        point.topicsNear.map(({ topic, share }) => [topic, rounded(share)]),
      ];
    }),
  };
  const isSample = points.length < report.anchors;
  const drawn = isSample
    ? `${points.length.toLocaleString("en")} of ${report.anchors.toLocaleString("en")} anchors, drawn at random,`
    : `All ${points.length.toLocaleString("en")} anchors,`;
  return `<section aria-labelledby="map-title">
<h2 id="map-title">Map of the anchors</h2>
<p class="note">${drawn} each in the colour of the model that would answer such a prompt at cost weight 0.
Neighbours in the map are neighbours for the router; distances between groups mean little.</p>
<ul class="legend">${legendOf(report, coloured)}</ul>
<div class="map">
<svg id="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" tabindex="0" role="application"
 aria-label="Map of the anchors. Arrow keys go to the next anchor in that direction." aria-describedby="map-details">
${paths}<circle id="map-ring" r="${radius + 5}" class="ring" visibility="hidden"/></svg>
<div id="map-details" class="details" aria-live="polite"><p class="muted">Point at a dot, or focus the map and press the arrow
keys, to see what the router expects there.</p></div>
</div>
<script type="application/json" id="map-data">${jsonInScript(data)}</script>
</section>`;
}

const rounded = (value: number): number => Math.round(1000 * value) / 1000;

function legendOf({ models }: SetReport, coloured: readonly number[]): string {
  const own = coloured.map((position, colour) => {
    const { model, chosen } = models[position] as SetReport["models"][number];
    return `<li><span class="swatch ${colourClass(colour)}"></span>${escaped(model)} <span class="muted">${percentAbove0(chosen)}</span></li>`;
  });
  const others = models.filter(({ chosen }, position) => chosen > 0 && !coloured.includes(position));
  if (others.length === 0) return own.join("");
  const share = others.reduce((sum, { chosen }) => sum + chosen, 0);
  return `${own.join("")}<li><span class="swatch ${colourClass(-1)}"></span>${others.length} other${others.length === 1 ? "" : "s"} <span class="muted">${percentAbove0(share)}</span></li>`;
}
