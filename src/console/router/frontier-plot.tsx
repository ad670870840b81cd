import { useEffect, useRef, useState } from "preact/hooks";
import type { Routing } from "../api/router.js";
import { dollars, percent, shortDollars } from "../components/format.js";
import { logAxis, shareAxis } from "./axis.js";
import { frontierOf, type Priced, priced } from "./frontier.js";
import { placeLabels } from "./place-labels.js";

const HEIGHT = 340;
const MARGIN = { left: 52, right: 24, top: 16, bottom: 42 };

/** Quality against cost: all candidates as points, the frontier as a line, the chosen one marked. The table has the figures. */
export function FrontierPlot({ routing }: { readonly routing: Routing }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const all = priced(routing.candidates);
  return (
    <section class="card" aria-labelledby="frontier-title">
      <div class="card-head">
        <h2 id="frontier-title">Quality and cost of the candidates</h2>
        <p class="muted small">
          The Pareto frontier: no model on it is beaten on both quality and cost. Bars are one standard error;
          hollow points are placed by published scores alone.
        </p>
      </div>
      <div ref={frame} class="plot-frame">
        {all.length < 2 ? (
          <p class="muted padded">Too few candidates have a known price.</p>
        ) : (
          width > 0 && <Plot all={all} selected={routing.selected_model} width={width} />
        )}
      </div>
    </section>
  );
}

interface PlotProps {
  readonly all: readonly Priced[];
  readonly selected: string;
  readonly width: number;
}

function Plot({ all, selected, width }: PlotProps) {
  const frontier = frontierOf(all);
  const chosen = all.find(({ model }) => model === selected);
  const shown = chosen === undefined || frontier.includes(chosen) ? frontier : [...frontier, chosen];
  const x = logAxis(
    all.map((candidate) => candidate.expected_cost_usd),
    { from: MARGIN.left, to: width - MARGIN.right },
  );
  const y = shareAxis([...all.map((candidate) => candidate.expected_quality), ...shown.flatMap(errorBar)], {
    from: HEIGHT - MARGIN.bottom,
    to: MARGIN.top,
  });
  const at = (candidate: Priced) => ({
    x: x.toPixel(candidate.expected_cost_usd),
    y: y.toPixel(candidate.expected_quality),
  });
  const labels = placeLabels(
    shown.map((candidate) => ({ text: candidate.model, ...at(candidate), isFirst: candidate === chosen })),
    { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top },
  );
  return (
    <svg class="plot" width={width} height={HEIGHT} role="img" aria-label={spoken(frontier, chosen)}>
      {y.ticks.map((tick) => (
        <g key={tick}>
          <line
            class="plot-grid"
            x1={MARGIN.left}
            x2={width - MARGIN.right}
            y1={y.toPixel(tick)}
            y2={y.toPixel(tick)}
          />
          <text class="plot-tick" x={MARGIN.left - 8} y={y.toPixel(tick) + 4} text-anchor="end">
            {percent(tick)}
          </text>
        </g>
      ))}
      {x.ticks.map((tick) => (
        <g key={tick}>
          <line
            class="plot-grid"
            x1={x.toPixel(tick)}
            x2={x.toPixel(tick)}
            y1={MARGIN.top}
            y2={HEIGHT - MARGIN.bottom}
          />
          <text class="plot-tick" x={x.toPixel(tick)} y={HEIGHT - MARGIN.bottom + 17} text-anchor="middle">
            {shortDollars(tick)}
          </text>
        </g>
      ))}
      <text
        class="plot-tick"
        x={(MARGIN.left + width - MARGIN.right) / 2}
        y={HEIGHT - 6}
        text-anchor="middle"
      >
        Expected cost of the request (log)
      </text>
      {all.map((candidate) => (
        <circle
          key={candidate.model}
          class={candidate.basis === "placed" ? "plot-point placed" : "plot-point"}
          cx={at(candidate).x}
          cy={at(candidate).y}
          r="3.2"
        >
          <title>{described(candidate)}</title>
        </circle>
      ))}
      <polyline
        class="plot-line"
        points={frontier.map((candidate) => `${at(candidate).x},${at(candidate).y}`).join(" ")}
      />
      {shown.map((candidate) => (
        <g key={candidate.model} class={candidate === chosen ? "plot-chosen" : "plot-front"}>
          <line
            x1={at(candidate).x}
            x2={at(candidate).x}
            y1={y.toPixel(errorBar(candidate)[0])}
            y2={y.toPixel(errorBar(candidate)[1])}
          />
          <circle
            class={candidate.basis === "placed" ? "placed" : ""}
            cx={at(candidate).x}
            cy={at(candidate).y}
            r={candidate === chosen ? 6.5 : 4.5}
          >
            <title>{described(candidate)}</title>
          </circle>
        </g>
      ))}
      {labels.map(({ text, x: left, y: base, anchor, isFirst }) => (
        <text
          key={text}
          class={isFirst ? "plot-label chosen" : "plot-label"}
          x={left}
          y={base}
          text-anchor={anchor}
        >
          {text}
        </text>
      ))}
    </svg>
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

/** Width of an element, as it changes. */
function useWidth(frame: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}
