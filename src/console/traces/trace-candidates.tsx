import type { Candidate, Routing } from "../api/router.js";
import { dollars, type Interval, percent } from "../components/format.js";
import { Section } from "../components/page.js";
import { numeric, Table } from "../components/table.js";
import { Plain } from "../components/text.js";
import { IntervalBar } from "../value/interval-cell.js";

/** Rows of a decision that has all of its candidates. */
const MOST_SHOWN = 12;

/** What the choice was between, the cheapest first, on a scale from the lowest to the highest quality that is shown. */
export function TraceCandidates({ routing }: { readonly routing: Routing }) {
  const { candidates } = routing;
  const shown = candidates.slice(0, MOST_SHOWN);
  const roles = rolesAmong(shown);
  const from = Math.min(...shown.map((candidate) => intervalOf(candidate).low));
  const to = Math.max(...shown.map((candidate) => intervalOf(candidate).high), from + 1e-9);
  return (
    <Section
      title="Candidates"
      lead={`Bars run from ${percent(from)} to ${percent(to)}; lines are one standard error.`}
    >
      <Table
        rows={shown.toSorted((a, b) => costOf(a) - costOf(b))}
        keyOf={({ model }) => model}
        lookOf={(candidate) => (candidate === candidates[0] ? "chosen" : "")}
        columns={[
          {
            head: "Model",
            look: "whole-name",
            cell: (candidate) => (
              <>
                <Plain text={candidate.model} />{" "}
                {(roles.get(candidate) ?? []).map((role) => (
                  <span key={role} class={`pill ${role === "chosen" ? "accent" : ""}`}>
                    {role}
                  </span>
                ))}
              </>
            ),
          },
          {
            head: "Quality",
            hint: "As it was expected, with its standard error",
            cell: (candidate) => (
              <>
                <IntervalBar interval={intervalOf(candidate)} scale={{ from, to }} />{" "}
                <span class="number tight">
                  {tenths(candidate.expected_quality)}{" "}
                  <span class="muted">± {tenths(candidate.quality_stderr)}</span>
                </span>
              </>
            ),
          },
          numeric<Candidate>("Cost", ({ expected_cost_usd: cost }) => dollars(cost), {
            hint: "As it was expected",
          }),
        ]}
      />
    </Section>
  );
}

/** Two candidates are often less than a point apart. */
const tenths = (share: number): string => `${(100 * share).toFixed(1)}%`;

const costOf = ({ expected_cost_usd: cost }: Candidate): number => cost ?? Number.POSITIVE_INFINITY;

/** One standard error around what is expected. */
const intervalOf = ({ expected_quality: value, quality_stderr: error }: Candidate): Interval => ({
  value,
  low: Math.max(0, value - error),
  high: Math.min(1, value + error),
});

function rolesAmong(candidates: readonly Candidate[]): ReadonlyMap<Candidate, readonly string[]> {
  const least = (of: (candidate: Candidate) => number): Candidate | undefined =>
    candidates.reduce<Candidate | undefined>(
      (best, one) => (best === undefined || of(one) < of(best) ? one : best),
      undefined,
    );
  const roles = new Map<Candidate, string[]>();
  for (const [role, candidate] of [
    ["chosen", candidates[0]],
    ["runner-up", candidates[1]],
    ["cheapest", least(costOf)],
    ["best", least(({ expected_quality: quality }) => -quality)],
  ] as const)
    if (candidate !== undefined) roles.set(candidate, [...(roles.get(candidate) ?? []), role]);
  return roles;
}
