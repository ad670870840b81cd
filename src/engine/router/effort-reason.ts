import type { Candidate } from "./decision.js";

/**
 * Which of its efforts the chosen model is asked for, with what the best other one of them would change; empty for a model that is no
 * candidate at another effort.
 *
 * @param candidates the chosen one first, then by score
 */
export function effortReason(candidates: readonly Candidate[]): string {
  const [chosen, ...others] = candidates;
  if (chosen === undefined) return "";
  const base = baseOf(chosen);
  const other = others.find((candidate) => candidate.model.startsWith(base) && baseOf(candidate) === base);
  if (other === undefined) return "";
  return `; at ${nameOf(chosen)}: ${nameOf(other)} has ${points(other.expectedQuality - chosen.expectedQuality)} expected quality${costs(chosen, other)}`;
}

const baseOf = ({ model, effort }: Candidate): string =>
  effort !== null && model.endsWith(`:${effort}`) ? model.slice(0, -effort.length - 1) : model;

const nameOf = ({ effort }: Candidate): string =>
  effort === null ? "its default effort" : `effort ${effort}`;

function points(gain: number): string {
  const rounded = (100 * gain).toFixed(1);
  return /^-?0\.0$/.test(rounded) ? "the same" : `${gain > 0 ? "+" : ""}${rounded} points of`;
}

function costs({ expectedCostUsd: own }: Candidate, { expectedCostUsd: others }: Candidate): string {
  if (own === null || others === null || own === 0) return "";
  return ` at ${Number((others / own).toPrecision(2))} times the cost`;
}
