import { bootstrapInterval } from "../../bench/evidence/bootstrap.js";
import { figureOf } from "../../bench/evidence/figure.js";
import type { Figure } from "../../bench/report/result.js";
import { mean } from "../../bench/report/statistics.js";
import { usdPerPoint } from "../../src/engine/router/cost-weight.js";
import { type Played, POLICIES, type Policy } from "./measure.js";

/** What one conversation came to. */
interface Outcome {
  readonly answers: number;
  readonly costUsd: number;
  /** Sum over its answers. */
  readonly quality: number;
  readonly switches: number;
  readonly switchesInToolLoops: number;
}

/** Outcomes by conversation, in the order of their first requests. */
export function outcomesOf(played: readonly Played[]): readonly Outcome[] {
  const byConversation = new Map<number, Played[]>();
  for (const answer of played) {
    const { conversation } = answer.request;
    byConversation.set(conversation, [...(byConversation.get(conversation) ?? []), answer]);
  }
  return [...byConversation.values()].map((answers) => {
    const switched = answers.filter(({ model }, index) => index > 0 && model !== answers[index - 1]?.model);
    return {
      answers: answers.length,
      costUsd: sum(answers.map(({ costUsd }) => costUsd)),
      quality: sum(answers.map(({ quality }) => quality)),
      switches: switched.length,
      switchesInToolLoops: switched.filter(({ request }) => request.inToolLoop).length,
    };
  });
}

export type PolicyOutcomes = Readonly<Record<Policy, readonly Outcome[]>>;

const LABELS: Readonly<Record<Policy, string>> = {
  off: "every request on its own",
  always: "always the first model",
  locked: "sticky, tool loops locked",
  sticky: "sticky",
};

/** Figures of one cost weight. */
export function weightFigures(costWeight: number, outcomes: PolicyOutcomes): Figure[] {
  return POLICIES.flatMap((policy) => {
    const at = { costWeight, policy, own: outcomes[policy], off: outcomes.off };
    return policy === "off" ? absoluteFigures(at) : [...absoluteFigures(at), valueGainFigure(at)];
  });
}

interface PolicyAtWeight {
  readonly costWeight: number;
  readonly policy: Policy;
  readonly own: readonly Outcome[];
  /** The same conversations with every request on its own. */
  readonly off: readonly Outcome[];
}

type Named = Pick<Figure, "unit" | "better"> & { readonly name: string; readonly what: string };

const named = ({ costWeight, policy }: PolicyAtWeight, { name, what, ...shown }: Named) => ({
  ...shown,
  id: `conversations/at_${costWeight}/${policy}/${name}`,
  label: `cost weight ${costWeight}, ${LABELS[policy]}: ${what}`,
  missing: "no answers",
});

function absoluteFigures(at: PolicyAtWeight): Figure[] {
  const mean = (facts: Named, value: (outcome: Outcome) => number) => {
    const perAnswer = (drawn: readonly Outcome[]) =>
      sum(drawn.map(value)) / sum(drawn.map(({ answers }) => answers));
    const interval = bootstrapInterval([at.own], ([drawn = []]) => perAnswer(drawn));
    return figureOf({ ...named(at, facts), value: perAnswer(at.own), interval });
  };
  const inLoops = { name: "switches_in_tool_loops", what: "switches in tool loops" } as const;
  return [
    mean(
      { name: "cost_per_answer", what: "billed for an answer", unit: "usd", better: "lower" },
      ({ costUsd }) => costUsd,
    ),
    mean(
      { name: "quality", what: "expected quality", unit: "score", better: "higher" },
      ({ quality }) => quality,
    ),
    mean(
      { name: "switches_per_answer", what: "switches for an answer", unit: "ratio", better: "neither" },
      ({ switches }) => switches,
    ),
    figureOf({
      ...named(at, { ...inLoops, unit: "count", better: "lower" }),
      value: sum(at.own.map(({ switchesInToolLoops }) => switchesInToolLoops)),
    }),
  ];
}

function valueGainFigure(at: PolicyAtWeight): Figure {
  const pairs = at.own.map((own, index) => [at.off[index] as Outcome, own] as const);
  const gain = (drawn: Pairs) => 100 * usdPerPoint(at.costWeight) * qualityGain(drawn) - costGain(drawn);
  return figureOf({
    ...named(at, { name: "value_gain", what: "value gained by an answer", unit: "usd", better: "higher" }),
    against: `conversations/at_${at.costWeight}/off/cost_per_answer`,
    value: gain(pairs),
    interval: bootstrapInterval([pairs], ([drawn = []]) => gain(drawn)),
  });
}

type Pairs = readonly (readonly [off: Outcome, own: Outcome])[];

const qualityGain = (pairs: Pairs): number =>
  sum(pairs.map(([off, own]) => own.quality - off.quality)) / sum(pairs.map(([off]) => off.answers));
const costGain = (pairs: Pairs): number =>
  sum(pairs.map(([off, own]) => own.costUsd - off.costUsd)) / sum(pairs.map(([off]) => off.answers));

const sum = (values: readonly number[]): number => (values.length === 0 ? 0 : mean(values) * values.length);
