import { type Dimension, dimensionTitle } from "../api/dimensions.js";
import { chartLines, type Figures } from "../charts/figures.js";
import { type Group, largestGroups } from "../charts/groups.js";
import type { Line } from "../charts/plot-options.js";
import { type Range, stepsOf } from "../charts/ranges.js";
import { latencyCharts, TimeChart } from "../charts/time-chart.js";
import { dollars, shortCount, wholeCount } from "../components/format.js";
import { Tabs } from "../components/page.js";
import { useQuery } from "../components/use-query.js";

interface ChartsProps {
  readonly figures: Figures;
  readonly range: Range;
  readonly by: Dimension;
  /** What a value of the dimension is called. */
  readonly nameOf: (group: string) => string;
  /** A part of the time was chosen, in milliseconds since the epoch. */
  readonly onZoom: (fromMs: number, toMs: number) => void;
}

type Summed = Group["points"][number];

/** What is stacked by the dimension: in the left chart, and in the right one. */
const STACKED = [
  [
    ["Spend", dollars, ({ cost_usd: cost }: Summed) => cost],
    ["Tokens", shortCount, (point: Summed) => point.tokens_in + point.tokens_out],
  ],
  [
    ["Requests", wholeCount, ({ requests, decisions }: Summed) => requests - decisions],
    ["Errors", wholeCount, ({ errors, timeouts }: Summed) => errors + timeouts],
  ],
] as const;

const HEIGHT = 250;

/** Two charts, each with tabs of what it shows. */
export function Charts({ figures, range, by, nameOf, onZoom }: ChartsProps) {
  const [query] = useQuery();
  const steps = stepsOf(figures.startMs, range);
  const { all: points } = figures;
  // The same in all charts, so that a value has one colour. Days are the steps themselves.
  const groups: readonly Group[] = by === "day" ? [{ name: "all", points }] : largestGroups(figures);
  const linesOf = (figure: (point: Summed) => number): readonly Line[] =>
    groups.flatMap((group, at) =>
      chartLines({ points: group.points, steps }, [
        [nameOf(group.name), Math.min(6, at + 1) as Line["colour"], figure],
      ]),
    );
  const stacked = STACKED.map((charts) =>
    charts.map(([name, format, figure]) => ({
      name,
      title: `${name} by ${dimensionTitle(by)}`,
      format,
      lines: linesOf(figure),
      shape: "stacked" as const,
    })),
  );
  const sides = [stacked[0] ?? [], [...(stacked[1] ?? []), ...latencyCharts({ points, steps })]];
  return (
    <div class="charts">
      {sides.map((charts, side) => {
        const asked = query.get(SIDES[side] ?? "");
        const shown = charts.find(({ name }) => name === asked) ?? charts[0];
        const tabs = charts.map(({ name }) => {
          const to = new URLSearchParams(query);
          to.set(SIDES[side] ?? "", name);
          return { name, href: `/?${to}` };
        });
        return (
          shown && (
            <div key={side}>
              <Tabs label={`Chart ${side + 1}`} tabs={tabs} current={shown.name} />
              <TimeChart
                key={shown.name}
                {...shown}
                steps={steps}
                onZoom={onZoom}
                height={HEIGHT}
                look="unseen"
              />
            </div>
          )
        );
      })}
    </div>
  );
}

/** Their names in the address. */
const SIDES = ["left", "right"];
