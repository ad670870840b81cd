import { useState } from "preact/hooks";
import { fetchValue, type SeriesQuestion, type Value } from "../api/statistics.js";
import { during, RANGE_NAMES, rangeNamed, rangeOf, startOf } from "../charts/ranges.js";
import { Segments } from "../components/controls.js";
import { count, counted, dollars, type Interval, percent, points } from "../components/format.js";
import { PageHead, Section } from "../components/page.js";
import { current, Empty, Loaded, useResource } from "../components/resource.js";
import { type Column, numeric, priced, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { headlineOf, modelsText } from "./headline.js";
import { IntervalCell } from "./interval-cell.js";
import { PastTraffic } from "./past-traffic.js";
import { Quality } from "./quality.js";
import { RecommendedWeight } from "./recommended-weight.js";
import { scaleOf } from "./scale.js";

/** What routing saves, whether quality is kept, and which cost weight to use: one answer each. */
export function ValuePage() {
  const [query, change] = useQuery();
  const range = query.has("range") || query.has("from") ? rangeOf(query) : rangeNamed("30d");
  const value = useResource(range.name, async (signal) => {
    const times = { startMs: startOf(range, Date.now()), endMs: range.endMs };
    return { ...times, ...(await fetchValue(times, signal)) };
  });
  return (
    <>
      <PageHead title="Value" lead={`What routing saved ${during(range)}, and whether quality is kept.`}>
        <Segments
          label="Range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(name) => change({ range: name, from: null, to: null }, "add")}
        />
      </PageHead>
      <Loaded resource={current(value)}>
        {(shown) => (
          <>
            <Savings value={shown} />
            <Quality feedback={shown.feedback} />
            <Weight of={shown} onUsed={value.reload} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Savings({ value }: { readonly value: Value }) {
  const { matching, sampled, weeks, presets } = value;
  const headline = headlineOf(value);
  if (headline === null)
    return (
      <Empty title="No saving to show">
        {value.compared === 0
          ? `None of ${count(sampled)} requests that were read was routed, answered, priced and stored with its text.`
          : value.always.length === 0
            ? "Nothing was billed for these requests, as in the sandbox."
            : "No fixed model is expected to be as good as the answers."}
      </Empty>
    );
  const { title, figure, note, interval, isBad, compared } = headline;
  return (
    <>
      <Section title={title}>
        <p>
          <span class={isBad ? "stat-value bad" : "stat-value"} data-testid="saved">
            {figure}
          </span>{" "}
          {interval !== "" && `(${interval}, 95% interval) `}
          {note}
        </p>
        <p class="muted small">
          Baseline: <Plain text={modelsText(compared.models)} />: {baselineText(value)}. Estimated from{" "}
          {count(compared.requests)} of {count(sampled)} sampled requests, for all {count(matching)}; routed
          answers cost {dollars(compared.spent_usd)}.
        </p>
        <Others value={value} />
      </Section>
      <Parts by="Week" rows={weeks.map(({ start: name, ...saved }) => ({ name, ...saved }))} />
      <Parts
        by="Preset and cost weight"
        rows={presets.map(({ preset, cost_weight: weight, ...saved }) => ({
          name: `${preset ?? "no preset"}, ${weight}`,
          ...saved,
        }))}
      />
    </>
  );
}

/** What the baseline is, in plain words. */
function baselineText({ baseline_model: model, saving, cheaper }: Value): string {
  const best = "the cheapest fixed choice of the same expected quality";
  if (cheaper !== null || model === null) return best;
  return saving?.models.some((part) => part.model === model)
    ? `${model} (the setting baseline_model), mixed to the same expected quality, also for requests before it was set`
    : `${best}; too little is known of ${model} (the setting baseline_model)`;
}

/** Other comparisons of the same requests: one model for everything, whatever its quality. */
function Others({ value: { always, billed, baseline_model: baseline } }: { readonly value: Value }) {
  const scale = scaleOf(always.map(({ quality }) => quality));
  return (
    <details>
      <summary>Other comparisons</summary>
      <TableFrame
        label="Compared with one model for everything"
        rows={always}
        keyOf={({ models }) => modelsText(models)}
        columns={[
          { head: "Always", cell: ({ models }) => <Plain text={modelsText(models)} /> },
          savedColumn(always),
          {
            head: "Its quality, points",
            hint: "Expected quality of the model, less that of the answers",
            cell: ({ quality }) => <IntervalCell interval={quality} scale={scale} format={points} />,
          },
          numeric<Value["always"][number]>("Requests", ({ requests }) => count(requests)),
        ]}
      />
      {billed !== null && (
        <p class="muted small">
          Exact bills since {billed.since}, against the same tokens at the prices of{" "}
          <Plain text={baseline ?? "the baseline"} /> whatever its quality: {dollars(billed.saved_usd)} saved
          of {dollars(billed.baseline_cost_usd)} in {count(billed.requests)} routed answers.
        </p>
      )}
    </details>
  );
}

function savedColumn<Row extends { readonly saved_usd: Interval }>(rows: readonly Row[]): Column<Row> {
  const scale = scaleOf(rows.map(({ saved_usd: saved }) => saved));
  return {
    head: "Saved",
    hint: "With its 95% interval; negative: the fixed models are cheaper",
    values: [{ name: "saved", of: ({ saved_usd: { value } }) => value }],
    cell: ({ saved_usd: saved }) => <IntervalCell interval={saved} scale={scale} format={dollars} />,
  };
}

interface PartsProps {
  readonly by: string;
  readonly rows: readonly (Pick<Value["weeks"][number], "saved_usd" | "spent_usd"> & {
    readonly name: string;
  })[];
}

/** What the headline consists of: they add up to it. */
const Parts = ({ by, rows }: PartsProps) => (
  <TableFrame
    title={`By ${by.toLowerCase()}`}
    label={`Saved by ${by.toLowerCase()}`}
    ordered={by.split(" ")[0]?.toLowerCase() ?? by}
    rows={rows}
    keyOf={({ name }) => name}
    columns={[
      {
        head: by,
        values: [{ name: "by", of: ({ name }) => name }],
        cell: ({ name }) => <Plain text={name} />,
      },
      savedColumn(rows),
      priced<PartsProps["rows"][number]>("Spend", ({ spent_usd: usd }) => usd, { name: "spend" }),
    ]}
  />
);

interface WeightProps {
  readonly of: Pick<SeriesQuestion, "startMs" | "endMs"> & Pick<Value, "recommended">;
  readonly onUsed: () => void;
}

function Weight({ of: { recommended, startMs, endMs }, onUsed }: WeightProps) {
  const [isOpen, setOpen] = useState(false);
  const { basis, against, requests, evidence, cost_weight: weight } = recommended;
  const of =
    basis === "comparisons"
      ? `${counted(requests ?? 0, "blind comparison")}, against what was served`
      : `${counted(requests ?? 0, "request")} of the last 30 days decided again, against cost weight ${against}`;
  return (
    <Section title="Cost weight">
      <RecommendedWeight onUsed={onUsed} />
      <p class="muted small">
        {of}:{" "}
        {evidence === null
          ? "none is clearly cheaper and rules out a loss of a point of quality."
          : `spend ${percent(-evidence.spend.value)} lower, quality ${points(evidence.quality.value)} points.`}
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Past traffic at every cost weight</summary>
        {isOpen && <PastTraffic startMs={startMs} endMs={endMs} recommended={weight} />}
      </details>
    </Section>
  );
}
