import type { OperatorTraceBody as Trace } from "../../gateway/features/traces/schema/operator-trace.js";

/** From the request to its answer, each step as a sentence without its full stop. */
export interface Outcome {
  readonly asked: string;
  /** What came between: a budget, a pause, failed calls. */
  readonly events: readonly string[];
  readonly answered: string;
}

type Told = Pick<
  Trace,
  "requested_model" | "model" | "provider" | "status" | "error" | "attempts" | "routing"
>;

export function outcomeOf(trace: Told): Outcome {
  const { routing } = trace;
  // The last clause of a reason says which budget chose the preset.
  const budget = /the budget .* is used up, and .*$/.exec(routing?.reason ?? "")?.[0];
  return {
    asked: askedFor(trace),
    events: [...(budget === undefined ? [] : [budget]), ...passedOver(trace)],
    answered: answeredBy(trace),
  };
}

/** All of it in one sentence. */
export const outcomeText = (trace: Told): string => {
  const { asked, events, answered } = outcomeOf(trace);
  return `${[`Asked for ${asked}`, ...events, answered].join("; ")}.`;
};

function askedFor({ requested_model: asked, routing, attempts }: Told): string {
  const name = asked ?? (attempts.length === 0 ? "a decision" : "the best model");
  return routing === null ? name : `${name} at cost weight ${routing.cost_weight}`;
}

/** Why a call was not made, by the code of its attempt. */
const NOT_CALLED: Readonly<Record<string, string>> = {
  paused: "is paused by an operator",
  circuit_open: "was passed over because it kept failing",
  keys_resting: "was passed over because all keys are resting",
  concurrency_limit: "was passed over because too many calls were under way",
  over_budget: "was passed over because of its cost",
};

/** Calls that did not answer, those of one model at one provider together. */
function passedOver({ attempts }: Told): readonly string[] {
  const passed = attempts.filter(({ code }) => code !== "ok");
  return [...new Set(passed.map(labelOf))].map((label) => {
    const calls = passed.filter((attempt) => labelOf(attempt) === label);
    return label.endsWith(" failed") ? `${label}${times(calls.length)} (${codesOf(calls)})` : label;
  });
}

function labelOf({ model, provider, code }: Told["attempts"][number]): string {
  const place = code === "paused" ? "" : ` at ${provider}`;
  return `${model}${place} ${NOT_CALLED[code] ?? "failed"}`;
}

const times = (count: number): string => (count === 1 ? "" : count === 2 ? " twice" : ` ${count} times`);

const codesOf = (calls: Told["attempts"]): string =>
  [
    ...new Set(
      calls.map(({ code, status }) => (status === null ? code.replaceAll("_", " ") : `HTTP ${status}`)),
    ),
  ].join(", ");

function answeredBy({ model, provider, status, error, attempts, routing }: Told): string {
  if (status !== "success") return `not answered: ${(error?.code ?? status).replaceAll("_", " ")}`;
  const [first] = attempts;
  if (first === undefined) return "no model was called";
  const wanted = routing?.selected_model ?? first.model;
  const place = provider === null ? "" : ` at ${provider}`;
  if (model === wanted) return `answered by ${model}${place}`;
  const role = routing !== null ? "the next candidate" : first.code === "paused" ? "instead" : "the fallback";
  return role === "instead" ? `answered by ${model}${place} instead` : `answered by ${role} ${model}${place}`;
}
