import { usdPerPoint } from "./cost-weight.js";
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

/** The model without its effort. */
const baseOf = ({ model, effort }: Pick<Estimated, "model" | "effort">): string =>
  effort !== null && model.endsWith(`:${effort}`) ? model.slice(0, -effort.length - 1) : model;

/**
 * Which of its efforts the chosen model is asked for, with what the best other one of them would change. Empty where there is none, and
 * where this answer's figures are not why it was passed over: for its time, for a conversation, or to learn from its answer.
 */
export function effortReason({ selected: chosen, otherEffort: other }: Efforts, costWeight: number): string {
  if (other === undefined) return "";
  const gain = 100 * (other.expectedQuality - chosen.expectedQuality);
  const ratio = costRatio(chosen, other);
  const isCheaper = ratio !== undefined && ratio < 1;
  const price = usdPerPoint(costWeight);
  if (gain > -LEAST_POINTS && (isCheaper || ratio === undefined || ratio === 1)) return "";
  // The other effort's gain is worth more than it costs: this is not why it was passed over.
  const extraUsd = ((ratio ?? 1) - 1) * (chosen.expectedCostUsd ?? 0);
  if (ratio !== undefined && Math.abs(gain) >= LEAST_POINTS && gain * price > extraUsd) return "";
  const cost = ratio === undefined ? "" : ` at ${Number(ratio.toPrecision(2))}× the cost`;
  const limit =
    isCheaper && costWeight > 0 ? `, and a point may cost up to $${Number(price.toPrecision(2))}` : "";
  return `; ${nameOf(chosen)}: ${nameOf(other)} would be ${points(gain)}${cost}${limit}`;
}

interface Efforts {
  readonly selected: Candidate;
  /** The best other effort of its model; undefined where it is no candidate. */
  readonly otherEffort: Candidate | undefined;
}

/** Hundredths of expected quality that are not written. */
const LEAST_POINTS = 0.0005;

const nameOf = ({ effort }: Candidate): string => (effort === null ? "default effort" : `effort ${effort}`);

/** Two digits of a small difference: it may be what the choice is paid for. */
function points(gain: number): string {
  const size = Math.abs(gain);
  if (size < LEAST_POINTS) return "of the same quality";
  return `${size.toFixed(size < 0.1 ? 3 : 1)} points ${gain > 0 ? "better" : "worse"}`;
}

function costRatio(chosen: Candidate, other: Candidate): number | undefined {
  const [own, others] = [chosen.expectedCostUsd, other.expectedCostUsd];
  return own === null || others === null || own === 0 ? undefined : others / own;
}
