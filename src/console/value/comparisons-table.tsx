import type { Comparison } from "../api/comparisons.js";
import { changePercent, count, dollars, points, UNKNOWN } from "../components/format.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { IntervalCell } from "./interval-cell.js";
import { scaleOf } from "./scale.js";

/** Answers compared blind with those of another model or preset. */
export const ComparisonsTable = ({ comparisons }: { readonly comparisons: readonly Comparison[] }) => (
  <TableFrame
    label="Answers compared blind"
    columns={columnsOf(comparisons)}
    rows={comparisons}
    keyOf={({ name }) => name}
  />
);

const VERDICTS: Readonly<Record<Comparison["verdict"], string>> = {
  better: "better",
  as_good: "as good",
  worse: "worse",
  unclear: "not clear yet",
};

function columnsOf(comparisons: readonly Comparison[]): readonly Column<Comparison>[] {
  const qualityScale = scaleOf(comparisons.map(({ quality }) => quality));
  const billScale = scaleOf(comparisons.flatMap(({ bill_change: change }) => change ?? []));
  return [
    { head: "Compared blind with", look: "clip", cell: ({ with: other }) => <Plain text={other} /> },
    { head: "Result", cell: ({ verdict }) => VERDICTS[verdict] },
    numeric("Win / tie / loss", (one) => `${count(one.wins)} / ${count(one.ties)} / ${count(one.losses)}`),
    {
      head: "Quality, points",
      hint: "Wins less losses, or the difference of scores; the interval holds however often it is looked at",
      cell: ({ quality }) => (
        <IntervalCell interval={quality} scale={qualityScale} format={points} says="figures" />
      ),
    },
    {
      head: "Bill",
      cell: ({ bill_change: change }) =>
        change ? <IntervalCell interval={change} scale={billScale} format={changePercent} /> : UNKNOWN,
    },
    numeric("Spent on it", ({ spent }) => dollars(spent.answers + spent.judging), {
      hint: "For the other answers and judging",
    }),
  ];
}
