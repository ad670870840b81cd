import type { Router } from "../../src/router/router.js";
import { bootstrapInterval } from "../evidence/bootstrap.js";
import { figureOf } from "../evidence/figure.js";
import type { Figure } from "../report/result.js";
import { mean, median } from "../report/statistics.js";
import type { DecisionTimes } from "./decision-time.js";
import type { Played, Policy } from "./measure.js";

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
  sticky: "sticky",
};

/** Figures of one cost weight. @param usdPerQuality dollars that a unit of quality is worth at it */
export function weightFigures(
  costWeight: number,
  { outcomes, usdPerQuality }: { readonly outcomes: PolicyOutcomes; readonly usdPerQuality: number },
): Figure[] {
  const off = outcomes.off;
  return (Object.keys(outcomes) as Policy[]).flatMap((policy) => {
    const own = outcomes[policy];
    const path = (name: string): string => `conversations/at_${costWeight}/${policy}/${name}`;
    const label = (what: string): string => `cost weight ${costWeight}, ${LABELS[policy]}: ${what}`;
    const perAnswer = (value: (outcome: Outcome) => number) => (drawn: readonly Outcome[]) =>
      sum(drawn.map(value)) / sum(drawn.map(({ answers }) => answers));
    const of = (name: string, what: string, value: (outcome: Outcome) => number, unit: Figure["unit"]) =>
      figureOf({
        ...{ id: path(name), label: label(what), unit, missing: "no answers" },
        better: unit === "usd" ? "lower" : unit === "score" ? "higher" : "neither",
        value: perAnswer(value)(own),
        interval: bootstrapInterval([own], ([drawn = []]) => perAnswer(value)(drawn)),
      });
    const single = [
      of("cost_per_answer", "billed for an answer", ({ costUsd }) => costUsd, "usd"),
      of("quality", "expected quality", ({ quality }) => quality, "score"),
      of("switches_per_answer", "switches for an answer", ({ switches }) => switches, "ratio"),
      figureOf({
        ...{ id: path("switches_in_tool_loops"), label: label("switches in tool loops"), unit: "count" },
        ...{ better: "lower", value: sum(own.map((one) => one.switchesInToolLoops)), missing: "no answers" },
      }),
    ];
    if (policy === "off") return single;
    const pairs = own.map((one, index) => [off[index] as Outcome, one] as const);
    const compared = (name: string, what: string, unit: Figure["unit"], value: Comparison) =>
      figureOf({
        ...{ id: path(name), label: label(what), unit, missing: "no answers" },
        ...{
          better: unit === "ratio" ? "lower" : "higher",
          against: `conversations/at_${costWeight}/off/${COMPARED[name]}`,
        },
        value: value(pairs),
        interval: bootstrapInterval([pairs], ([drawn = []]) => value(drawn)),
      });
    return [
      ...single,
      compared("cost_ratio", "billed, against every request on its own", "ratio", costRatio),
      compared("quality_gain", "points of expected quality gained", "points", qualityGain),
      compared(
        "value_gain",
        "quality at its worth less the bill, gained by an answer",
        "usd",
        (drawn) => (usdPerQuality * qualityGain(drawn)) / 100 - costGain(drawn),
      ),
    ];
  });
}

const COMPARED: Readonly<Record<string, string>> = {
  cost_ratio: "cost_per_answer",
  quality_gain: "quality",
  value_gain: "cost_per_answer",
};

type Comparison = (pairs: readonly (readonly [Outcome, Outcome])[]) => number;

const costRatio: Comparison = (pairs) =>
  sum(pairs.map(([, own]) => own.costUsd)) / sum(pairs.map(([off]) => off.costUsd));
const qualityGain: Comparison = (pairs) =>
  (100 * sum(pairs.map(([off, own]) => own.quality - off.quality))) / sum(pairs.map(([off]) => off.answers));
const costGain: Comparison = (pairs) =>
  sum(pairs.map(([off, own]) => own.costUsd - off.costUsd)) / sum(pairs.map(([off]) => off.answers));

/** What the conversation costs a decision. */
export function timeFigures({ decisionRatio, offUs, findUs }: DecisionTimes): Figure[] {
  const timed = { better: "lower", missing: "no rounds" } as const;
  return [
    figureOf({
      ...{ ...timed, id: "conversations/time/decision_ratio", unit: "ratio", samples: [...decisionRatio] },
      ...{ label: "a decision with a previous answer, against one without", value: median(decisionRatio) },
    }),
    figureOf({
      ...{ ...timed, id: "conversations/time/off_us", unit: "us", samples: [...offUs] },
      ...{ label: "to see that a request is decided on its own", value: median(offUs) },
    }),
    figureOf({
      ...{ ...timed, id: "conversations/time/find_us", unit: "us", samples: [...findUs] },
      ...{ label: "to find the conversation of a request in memory", value: median(findUs) },
    }),
  ];
}

/**
 * Dollars that a unit of quality is worth at a cost weight: scores are linear in quality and cost, so two candidates of a decision
 * give both factors.
 */
export async function usdPerQualityAt(
  router: Pick<Router, "route">,
  { costWeight, models }: { readonly costWeight: number; readonly models: readonly string[] },
): Promise<number> {
  const messages = [{ role: "user", content: "Why is the sky blue?" }] as const;
  const { candidates } = await router.route({ messages, models, costWeight });
  const [first, last] = [candidates[0], candidates.at(-1)];
  const [firstUsd, lastUsd] = [first?.expectedCostUsd, last?.expectedCostUsd];
  if (!first || !last || typeof firstUsd !== "number" || typeof lastUsd !== "number") return Number.NaN;
  const byQuality = first.score * lastUsd - last.score * firstUsd;
  const byCost = last.expectedQuality * first.score - first.expectedQuality * last.score;
  return byQuality / byCost;
}

const sum = (values: readonly number[]): number => (values.length === 0 ? 0 : mean(values) * values.length);
