import type { Candidate } from "./decision.js";
import type { Estimated, Estimates } from "./estimates.js";

/** Whether an entry of the estimates is another effort of the selected one's model. */
export function otherEffortsOf(selected: number, { candidates }: Estimates): (entry: number) => boolean {
  const base = baseOf(candidates[selected] as Estimated);
  return (entry) => {
    const candidate = candidates[entry] as Estimated;
    return entry !== selected && candidate.model.startsWith(base) && baseOf(candidate) === base;
  };
}

const baseOf = ({ model, effort }: Estimated): string =>
  effort !== null && model.endsWith(`:${effort}`) ? model.slice(0, -effort.length - 1) : model;

/** Which of its efforts the chosen model is asked for, with what the best other one of them would change; empty where there is none. */
export function effortReason(chosen: Candidate, other: Candidate | undefined): string {
  if (other === undefined) return "";
  return `; at ${nameOf(chosen)}: ${nameOf(other)} has ${points(other.expectedQuality - chosen.expectedQuality)} expected quality${costs(chosen, other)}`;
}

const nameOf = ({ effort }: Candidate): string =>
  effort === null ? "its default effort" : `effort ${effort}`;

function points(gain: number): string {
  const rounded = Math.abs(100 * gain).toFixed(1);
  return rounded === "0.0" ? "the same" : `${rounded} points ${gain > 0 ? "more" : "less"}`;
}

function costs({ expectedCostUsd: own }: Candidate, { expectedCostUsd: others }: Candidate): string {
  if (own === null || others === null || own === 0) return "";
  return ` at ${Number((others / own).toPrecision(2))} times the cost`;
}
