import type { Candidate, Routing } from "../api/router.js";
import { dollars, percent } from "../components/format.js";
import { Section } from "../components/page.js";
import { numeric, Table } from "../components/table.js";
import { Plain } from "../components/text.js";

/** Rows of a decision that has all of its candidates. */
const MOST_SHOWN = 12;

/** What the choice was between, the cheapest first, on a scale from the lowest to the highest quality that is shown. */
export function TraceCandidates({ routing }: { readonly routing: Routing }) {
  const { candidates } = routing;
  const shown = candidates.slice(0, MOST_SHOWN);
  const roles = rolesAmong(shown);
  const ends = shown.flatMap(endsOf);
  const [low, high] = [Math.max(0, Math.min(...ends)), Math.min(1, Math.max(...ends))];
  const scaled = (quality: number): number => (100 * (quality - low)) / Math.max(1e-9, high - low);
  return (
    <Section
      title="Candidates"
      lead={`Bars run from ${percent(low)} to ${percent(high)}; lines are one standard error.`}
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
            cell: (candidate) => {
              const [from, to] = endsOf(candidate).map(scaled) as [number, number];
              const at = scaled(candidate.expected_quality);
              return (
                <span class="range-cell">
                  <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect
                      class="range-error"
                      x={Math.max(0, from)}
                      y="4.5"
                      width={to - Math.max(0, from)}
                      height="1"
                    />
                    <rect
                      class="range-mark"
                      x={Math.min(98, Math.max(0, at - 1))}
                      y="1"
                      width="2"
                      height="8"
                    />
                  </svg>
                  <span class="number">
                    {tenths(candidate.expected_quality)}{" "}
                    <span class="muted">± {tenths(candidate.quality_stderr)}</span>
                  </span>
                </span>
              );
            },
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

const endsOf = ({
  expected_quality: quality,
  quality_stderr: error,
}: Candidate): readonly [number, number] => [quality - error, Math.min(1, quality + error)];

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
