import type { Savings } from "../api/statistics.js";
import { Select } from "../components/controls.js";
import { count, dollars, intervalText, percent, points, share } from "../components/format.js";
import { Section } from "../components/page.js";
import { type Column, numeric, priced, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { cheapestEqual, SAVINGS_ID } from "./savings.js";

interface SavingsTableProps {
  readonly savings: Savings;
  /** A model to compare with beside the best ones. */
  readonly versus: string | null;
  readonly onVersus: (model: string) => void;
}

/** Models of the table: those with the highest expected quality, beside the cheapest one that is as good as what was decided. */
const SHOWN = 3;

/** What decisions were expected to save against always something else. */
export function SavingsTable({ savings, versus, onVersus }: SavingsTableProps) {
  const { best, models, matching, sampled, decided, correction, equal_quality: equalQuality } = savings;
  if (best === null) return null;
  const equal = cheapestEqual(savings)?.model;
  const shown = models.filter(({ model }, at) => at < SHOWN || model === versus || model === equal);
  return (
    <Section
      id={SAVINGS_ID}
      title="Estimated savings"
      lead={
        <>
          Based on what {count(decided)} routed requests were expected to cost
          {correction === 1 ? ", not on bills" : `, times ${correction.toFixed(2)} to match what was billed`}
          {sampled < matching &&
            `; ${count(sampled)} requests were read, sampled evenly from ${count(matching)} (${percent(share(sampled, matching))}); savings are scaled to all`}
          .
          {equalQuality !== null && (
            <>
              {" "}
              At equal expected quality, against {equalQuality.models.map(partText).join(" and ")}:{" "}
              {dollars(equalQuality.saved_usd.value)} saved
              {equalQuality.saved_usd.low !== equalQuality.saved_usd.high && (
                <>
                  {" "}
                  (95% interval <span class="tight">{intervalText(equalQuality.saved_usd, dollars)}</span>)
                </>
              )}
              .
            </>
          )}{" "}
          The quality difference is the expected quality of what was decided, less that of the other.
        </>
      }
      frame="none"
    >
      <TableFrame
        label="Spend saved"
        columns={COLUMNS}
        rows={[{ ...best, model: "the best for each prompt" }, ...shown]}
        keyOf={({ model }) => model}
        ordered="savings_sort"
      />
      {models.length > SHOWN && (
        <Select
          label="Compare with always"
          look="versus"
          options={[["", "…"], ...models.map(({ model }) => [model, model] as const)]}
          value={versus ?? ""}
          onChange={onVersus}
        />
      )}
    </Section>
  );
}

const partText = ({ model, share: part }: NonNullable<Savings["equal_quality"]>["models"][number]): string =>
  part === 1 ? `always ${model}` : `${model} for ${percent(part)}`;

type Against = Savings["models"][number];

const perThousand = (usd: number, { requests }: Against): number => (1000 * usd) / requests;

const COLUMNS: readonly Column<Against>[] = [
  {
    head: "Instead of always",
    values: [{ name: "model", of: ({ model }) => model }],
    cell: ({ model }) => <Plain text={model} />,
  },
  priced("Per 1,000 requests", (row) => perThousand(row.cost_usd, row), { name: "usd_per_1000" }),
  priced("Decided, per 1,000", (row) => perThousand(row.decided_cost_usd, row), {
    name: "decided_usd_per_1000",
  }),
  numeric(
    "Saved",
    ({ saved_usd: saved }) => (
      <>
        {dollars(saved.value)}{" "}
        {saved.low !== saved.high && <span class="muted small">{intervalText(saved, dollars)}</span>}
      </>
    ),
    { values: [{ name: "saved_usd", of: ({ saved_usd: saved }) => saved.value }] },
  ),
  numeric("Quality difference, points", (row) => points(row.decided_quality - row.quality), {
    values: [{ name: "quality_difference", of: (row) => row.decided_quality - row.quality }],
  }),
];
