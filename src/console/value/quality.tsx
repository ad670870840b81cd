import { listComparisons } from "../api/comparisons.js";
import { documentationAt } from "../api/documentation.js";
import type { Value } from "../api/statistics.js";
import { count, percent } from "../components/format.js";
import { Section } from "../components/page.js";
import { Loaded, useResource } from "../components/resource.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { Optional } from "../components/text.js";
import { ComparisonsTable } from "./comparisons-table.js";
import { IntervalCell } from "./interval-cell.js";
import { comparisonText, feedbackText } from "./quality-text.js";

const documentationLink = (page: string, text: string) => (
  <a class="button" href={documentationAt(page)} target="_blank" rel="noopener">
    {text}
  </a>
);

type Feedback = Value["feedback"];

/** What is known of the answers' quality: answers compared blind, and clients' scores. */
export const Quality = ({ feedback }: { readonly feedback: Feedback }) => (
  <>
    <Section title="Is quality kept?">
      <Loaded resource={useResource("comparisons", listComparisons)}>
        {(list) => (
          <>
            <p>{comparisonText(list)}</p>
            <p>{feedbackText(feedback)}</p>
            <div class="row">
              {list.every(({ verdict }) => verdict === "unclear") &&
                documentationLink("comparisons", "Set up blind comparisons")}
              {feedback.missing > 0 &&
                documentationLink("api#post-v1feedback", "Send feedback from your app")}
            </div>
            {list.length > 0 && <ComparisonsTable comparisons={list} />}
          </>
        )}
      </Loaded>
    </Section>
    {feedback.count > 0 && (
      <TableFrame
        title="Feedback"
        label="Scores that clients gave"
        rows={[
          ...rowsOf("week from", feedback.weeks),
          ...rowsOf("model", feedback.models),
          ...rowsOf("preset", feedback.presets),
        ]}
        keyOf={({ by, name }) => `${by} ${name}`}
        columns={COLUMNS}
      />
    )}
  </>
);

const rowsOf = (by: string, rows: Feedback["models"]) => rows.map((row) => ({ by, ...row }));
type Row = ReturnType<typeof rowsOf>[number];

const COLUMNS: readonly Column<Row>[] = [
  {
    head: "By",
    cell: ({ by, name }) => (
      <>
        <span class="muted">{by}</span> <Optional text={name} none="none" />
      </>
    ),
  },
  numeric("Scores", (row) => count(row.count)),
  {
    head: "Mean score",
    cell: ({ mean }) => mean && <IntervalCell interval={mean} scale={{ from: 0, to: 1 }} format={percent} />,
  },
];
