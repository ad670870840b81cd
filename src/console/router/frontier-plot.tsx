import { useEffect, useRef, useState } from "preact/hooks";
import { circle, line, plane, text, trail } from "../../workbench/report/axes.js";
import { type Element, element } from "../../workbench/report/element.js";
import { placeLabels } from "../../workbench/report/place-labels.js";
import type { Candidate, Routing } from "../api/router.js";
import { drawn } from "../components/drawn.js";
import { dollars, percent } from "../components/format.js";
import { Section } from "../components/page.js";

const HEIGHT = 340;

/** Quality against cost: all candidates as points, the frontier as a line, the chosen one marked. The table has the figures. */
export function FrontierPlot({ routing }: { readonly routing: Routing }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const all = routing.candidates.filter(isPriced);
  return (
    <Section
      title="Quality and cost of the candidates"
      lead="No model on the line is beaten on both quality and cost. Bars: one standard error; hollow: estimated from published scores."
    >
      <div ref={frame}>
        {all.length < 2 ? (
          <p class="muted">Too few candidates have a known price.</p>
        ) : (
          width > 0 && drawn(plotOf(all, { selected: routing.selected_model, width }))
        )}
      </div>
    </Section>
  );
}

/** A candidate whose cost is known, so that it can be plotted. */
interface Priced extends Candidate {
  readonly expected_cost_usd: number;
}

const isPriced = (candidate: Candidate): candidate is Priced =>
  candidate.expected_cost_usd !== null && candidate.expected_cost_usd > 0;

/** Candidates that none is both cheaper and better than, the cheapest first. */
function frontierOf(candidates: readonly Priced[]): readonly Priced[] {
  const byCost = candidates.toSorted(
    (left, right) =>
      left.expected_cost_usd - right.expected_cost_usd || right.expected_quality - left.expected_quality,
  );
  const frontier: Priced[] = [];
  for (const candidate of byCost) {
    if (candidate.expected_quality > (frontier.at(-1)?.expected_quality ?? -1)) frontier.push(candidate);
  }
  return frontier;
}

/** Room around the least and the largest: of costs as a factor, of qualities up to the next tenth. */
const [COSTS, QUALITIES] = [1.6, 0.02];

function plotOf(
  all: readonly Priced[],
  { selected, width }: { readonly selected: string; readonly width: number },
): Element {
  const frontier = frontierOf(all);
  const chosen = all.find(({ model }) => model === selected);
  const shown = chosen === undefined || frontier.includes(chosen) ? frontier : [...frontier, chosen];
  const costs = all.map(({ expected_cost_usd: cost }) => cost);
  const qualities = [...all.map(({ expected_quality: quality }) => quality), ...shown.flatMap(errorBar)];
  const { x, y, axes, ...plot } = plane(
    {
      low: Math.min(...costs) / COSTS,
      high: Math.max(...costs) * COSTS,
      scale: "logarithmic",
      label: "Expected cost of the request (log)",
      format: dollars,
      hasGrid: true,
    },
    {
      low: Math.max(0, Math.floor((Math.min(...qualities) - QUALITIES) * 10) / 10),
      high: Math.min(1, Math.ceil((Math.max(...qualities) + QUALITIES) * 10) / 10),
      label: "Expected quality",
      format: percent,
    },
    { width, height: HEIGHT },
  );
  const at = ({ expected_cost_usd: cost, expected_quality: quality }: Priced) => ({
    left: x(cost),
    top: y(quality),
  });
  const dot = (candidate: Priced, kind: string, radius: number): Element =>
    circle(at(candidate), {
      kind: candidate.basis === "placed" ? `${kind} placed` : kind,
      radius,
      title: described(candidate),
    });
  const radiusOf = (candidate: Priced): number => (candidate === chosen ? 6.5 : 4.5);
  const labels = placeLabels(
    shown
      .map((one) => ({ ...at(one), radius: radiusOf(one), text: one.model, isNeeded: one === chosen }))
      .sort((left, right) => Number(right.isNeeded) - Number(left.isNeeded)),
    { plot, marks: [], curves: [frontier.map(at)] },
  );
  return element(
    "svg",
    { class: "plot", width, height: HEIGHT, role: "img", "aria-label": spoken(frontier, chosen) },
    axes,
    all.map((candidate) => dot(candidate, "plot-point", 3.2)),
    trail(frontier.map(at), { class: "plot-line" }),
    shown.map((candidate) => {
      const { left } = at(candidate);
      const [low, high] = errorBar(candidate);
      return element(
        "g",
        { class: candidate === chosen ? "plot-chosen" : "plot-front" },
        line("plot-error", { x1: left, x2: left, y1: y(low), y2: y(high) }),
        dot(candidate, "plot-mark", radiusOf(candidate)),
      );
    }),
    labels.map(({ label, ...place }) =>
      text(label.text, place, { class: label.isNeeded ? "plot-label chosen" : "plot-label" }),
    ),
  );
}

const errorBar = ({
  expected_quality: quality,
  quality_stderr: error,
}: Priced): readonly [number, number] => [Math.max(0, quality - error), Math.min(1, quality + error)];

const described = ({
  model,
  expected_quality: quality,
  quality_stderr: error,
  expected_cost_usd: cost,
}: Priced): string => `${model}: ${percent(quality)} ± ${percent(error)}, ${dollars(cost)}`;

function spoken(frontier: readonly Priced[], chosen: Priced | undefined): string {
  const line = `On the frontier, cheapest first: ${frontier.map(described).join("; ")}.`;
  return chosen === undefined ? line : `Chosen: ${described(chosen)}. ${line}`;
}

/** Width inside the padding of an element, as it changes. */
function useWidth(frame: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}
