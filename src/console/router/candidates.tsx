import { useState } from "preact/hooks";
import type { Routing } from "../api/router.js";
import { Bar } from "../components/bar.js";
import { count, dollars, percent } from "../components/format.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table-frame.js";
import { BasisPill } from "../profiles/basis-pill.js";
import { hasEvidence } from "./evidence.js";

const FIRST = 12;

/** Old traces have none. */
const tokens = (value: number | undefined): string => count(value === undefined ? null : Math.round(value));

/** The candidates in the order of the router. */
export function Candidates({ routing }: { readonly routing: Routing }) {
  const { candidates } = routing;
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? candidates : candidates.slice(0, FIRST);
  return (
    <>
      <TableFrame label="Candidates" scrolls="page">
        <thead>
          <tr>
            <th scope="col">Candidate</th>
            <th scope="col">Provider</th>
            <th scope="col">Expected quality ± error</th>
            <th scope="col">Basis</th>
            <th scope="col" class="right" title="Expected length of the answer, and its hidden reasoning">
              Tokens (hidden)
            </th>
            <th scope="col" class="right" title="And what nine of ten such answers cost at most">
              Expected cost, p90
            </th>
            <th scope="col" class="right">
              Score
            </th>
            <th scope="col" class="right">
              Evidence
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((candidate, rank) => (
            <tr key={candidate.model} class={rank === 0 ? "chosen" : ""}>
              <th scope="row" class="clip">
                <Plain text={candidate.model} />
                {candidate.effort !== null && <span class="muted small"> at effort {candidate.effort}</span>}
                {rank === 0 && <span class="pill accent beside">chosen</span>}
              </th>
              <td class="clip muted">
                {candidate.provider === null ? "–" : <Plain text={candidate.provider} />}
              </td>
              <td>
                <span class="bar-cell">
                  <Bar share={candidate.expected_quality} error={candidate.quality_stderr} />
                  <span class="number">
                    {percent(candidate.expected_quality)}{" "}
                    <span class="muted">± {percent(candidate.quality_stderr)}</span>
                  </span>
                </span>
              </td>
              <td>
                <BasisPill basis={candidate.basis} />
              </td>
              <td class="right">
                {tokens(candidate.expected_answer_tokens)}{" "}
                <span class="muted">({tokens(candidate.expected_reasoning_tokens)})</span>
              </td>
              <td class="right">
                {dollars(candidate.expected_cost_usd)}{" "}
                <span class="muted">{dollars(candidate.expected_cost_p90_usd ?? null)}</span>
              </td>
              <td class="right">{candidate.score.toFixed(3)}</td>
              <td class="right">
                {hasEvidence(candidate, routing) ? (
                  candidate.evidence.toFixed(1)
                ) : (
                  <span class="pill warn" title="No evidence near this prompt: ± is wide">
                    none near
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      <p class="muted small">
        Basis: <em>measured</em> models have graded answers, <em>placed</em> ones published scores alone, or
        nothing but maker, date and price. Evidence: profiled prompts near this one, by their weight;{" "}
        <em>none near</em>: the estimate is the model's overall performance, and ± is wide.
      </p>
      {candidates.length > FIRST && (
        <button class="button show-all" type="button" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? "Show the first only" : `Show all ${candidates.length} candidates`}
        </button>
      )}
    </>
  );
}
