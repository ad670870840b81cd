import type { Candidate, Routing } from "../api/router.js";
import { QualityCell } from "../components/bar.js";
import { count, dollars } from "../components/format.js";
import { Menu } from "../components/menu.js";
import { actions, type Column, numeric, TableFrame } from "../components/table.js";
import { Optional, Plain } from "../components/text.js";
import { pauseItem } from "../pauses/pause-dialog.js";
import { BasisPill } from "../profiles/basis-pill.js";
import { hasEvidence } from "./evidence.js";

const FIRST = 12;

/** The candidates in the order of the router; of a choice among all models one effort of each, but for the first two. */
export function Candidates({ routing }: { readonly routing: Routing }) {
  const { candidates, candidates_total: total } = routing;
  const bases = candidates.map(({ model, effort }) =>
    effort === null ? model : model.replace(`:${effort}`, ""),
  );
  const shown = candidates.filter(
    (_, at) => at < 2 || candidates.length === total || bases.indexOf(bases[at] ?? "") === at,
  );
  return (
    <TableFrame
      label="Candidates"
      scrolls="page"
      first={FIRST}
      columns={columnsOf(routing, shown)}
      rows={shown}
      keyOf={({ model }) => model}
      lookOf={(_, rank) => (rank === 0 ? "chosen" : "")}
    />
  );
}

function columnsOf(routing: Routing, shown: readonly Candidate[]): readonly Column<Candidate>[] {
  return [
    {
      head: "Candidate",
      look: "whole-name",
      cell: ({ model, effort }, rank) => (
        <>
          <Plain text={model} />
          {rank === 0 && <span class="pill accent beside">chosen</span>}
          {effort !== null && !model.endsWith(`:${effort}`) && (
            <span class="muted small"> at effort {effort}</span>
          )}
        </>
      ),
    },
    { head: "Provider", look: "clip muted", cell: ({ provider }) => <Optional text={provider} /> },
    {
      head: "Expected quality ± error",
      cell: (candidate) => (
        <QualityCell quality={candidate.expected_quality} error={candidate.quality_stderr} />
      ),
    },
    {
      head: "Basis",
      hint: "Graded answers, or an estimate",
      cell: ({ basis }) => <BasisPill basis={basis} />,
    },
    numeric(
      "Tokens (hidden)",
      ({ expected_answer_tokens: answer, expected_reasoning_tokens: hidden }) => (
        <>
          {count(Math.round(answer))} <span class="muted">({count(Math.round(hidden))})</span>
        </>
      ),
      { hint: "Expected length of the answer, and its hidden reasoning" },
    ),
    numeric(
      "Expected cost, p90",
      ({ expected_cost_usd: cost, expected_cost_p90_usd: p90 }) => (
        <>
          {dollars(cost)} <span class="muted">{dollars(p90)}</span>
        </>
      ),
      { hint: "And what nine of ten such answers cost at most" },
    ),
    numeric("Score", ({ score }) => score.toFixed(3)),
    // Where none has any, that is said beside the decision.
    ...(shown.some((candidate) => hasEvidence(candidate, routing))
      ? [
          numeric<Candidate>("Evidence", (candidate) =>
            hasEvidence(candidate, routing) ? candidate.evidence.toFixed(1) : <NoneNear />,
          ),
        ]
      : []),
    actions(({ model, provider }) => (
      <Menu
        label={`Actions for ${model}`}
        items={[
          pauseItem(model, provider),
          { label: "Profile", href: `/profiles?${new URLSearchParams({ model })}` },
        ]}
      />
    )),
  ];
}

export const NoneNear = () => (
  <span class="muted" title="No graded prompt is near this one">
    none near
  </span>
);
