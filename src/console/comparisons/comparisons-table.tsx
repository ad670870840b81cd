import { type Comparison, listComparisons } from "../api/comparisons.js";
import { changePercent, count, dollars, intervalText, points } from "../components/format.js";
import { Section } from "../components/page.js";
import { useResource } from "../components/resource.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";

/** Answers compared blind with those of another model or preset; nothing where the settings have none. */
export function ComparisonsTable() {
  const { value = [] } = useResource("comparisons", listComparisons);
  if (value.length === 0) return null;
  return (
    <Section
      title="Answers compared blind"
      lead="Since each comparison began. Quality is wins less losses, or the difference of scores; intervals hold however often they are looked at."
    >
      <TableFrame label="Answers compared blind" columns={COLUMNS} rows={value} keyOf={({ name }) => name} />
    </Section>
  );
}

const VERDICTS: Readonly<Record<Comparison["verdict"], string>> = {
  better: "better",
  as_good: "as good",
  worse: "worse",
  unclear: "not clear yet",
};

const COLUMNS: readonly Column<Comparison>[] = [
  {
    head: "With",
    look: "clip",
    values: [{ name: "with", of: ({ with: other }) => other }],
    cell: ({ name, with: other }) => (
      <>
        <Plain text={other} />
        <span class="muted small under">{name}</span>
      </>
    ),
  },
  numeric(
    "Win / tie / loss",
    ({ wins, ties, losses }) => `${count(wins)} / ${count(ties)} / ${count(losses)}`,
    {
      values: [
        { name: "wins", label: "Win", of: ({ wins }) => wins },
        { name: "losses", label: "loss", of: ({ losses }) => losses },
      ],
    },
  ),
  numeric(
    "Quality, points",
    ({ quality, verdict }) => (
      <>
        {points(quality.value)} ({intervalText(quality, points)})
        <span class="muted small under">{VERDICTS[verdict]}</span>
      </>
    ),
    { values: [{ name: "quality", of: ({ quality }) => quality.value }] },
  ),
  numeric(
    "Bill",
    ({ bill_change: change }) =>
      change === null ? (
        <span class="muted">–</span>
      ) : (
        `${changePercent(change.value)} (${intervalText(change, changePercent)})`
      ),
    { values: [{ name: "bill_change", of: ({ bill_change: change }) => change?.value ?? null }] },
  ),
  numeric(
    "Spent on it",
    ({ spent, max_usd_per_day: most }) => (
      <>
        {dollars(spent.answers + spent.judging)}
        <span class="muted small under">
          {dollars(spent.today)} of {dollars(most)} today
        </span>
      </>
    ),
    { values: [{ name: "spent", of: ({ spent }) => spent.answers + spent.judging }] },
  ),
];
