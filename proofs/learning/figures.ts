import { figureOf } from "../../bench/evidence/figure.js";
import type { Figure } from "../../bench/report/result.js";
import { ARMS, type Arm, type ArmFinding, type LearningFinding } from "./measure.js";
import { meanOf } from "./measures.js";

export interface Measured {
  readonly set: string;
  readonly seed: number;
  readonly finding: LearningFinding;
}

const POINTS = 100;

export function figuresOf(measured: readonly Measured[]): Figure[] {
  return measured.flatMap(({ set, seed, finding }) => {
    const path = (what: string) => `learning/${set}/seed_${seed}/${what}`;
    const arms = finding.arms.flatMap((arm) =>
      armFigures(arm, (what) => path(`share_${arm.share}/${arm.arm}/${what}`)),
    );
    const replay = finding.replay.flatMap(({ costWeight, spendError, qualityError }) => {
      const of = (what: string) => path(`replay/weight_${costWeight}/${what}`);
      const label = `${set}, replay at cost weight ${costWeight}`;
      const missing = "nothing was spent";
      return [
        figureOf({
          ...{ id: of("spend"), label: `${label}: error of the spend`, value: spendError },
          ...{ unit: "share", better: "neither", missing },
        }),
        figureOf({
          ...{ id: of("quality"), label: `${label}: error of the change of quality`, missing },
          ...{ value: POINTS * qualityError, unit: "points", better: "neither" },
        }),
      ];
    });
    return [...arms, ...replay];
  });
}

function armFigures({ arm, share, answered, all, gain }: ArmFinding, id: (what: string) => string): Figure[] {
  const label = `${ARMS[arm]}, ${100 * share} % explored`;
  const missing = "no model answered often enough";
  const error = (what: string, value: number) =>
    figureOf({
      ...{ id: id(what), label: `${label}: ${what.replaceAll("_", " ")}`, missing },
      ...{ value: POINTS * value, unit: "points", better: "lower" },
    });
  return [
    error("error_of_answered_models", answered),
    ...(all === null ? [] : [error("error_of_all_models", all)]),
    ...(gain === null
      ? []
      : [
          figureOf({
            ...{ id: id("gain_at_equal_cost"), label: `${label}: quality at equal cost`, missing },
            ...{ value: POINTS * gain.value, unit: "points", better: "higher" },
            interval: { low: POINTS * gain.low, high: POINTS * gain.high },
          }),
        ]),
  ];
}

/** A row for each way to learn, for each set and seed. */
export const armRows = (measured: readonly Measured[]): string[][] =>
  measured.flatMap(({ set, seed, finding }) =>
    finding.arms.map(({ arm, share, answered, all, gain }) => [
      `${set}, seed ${seed}: ${labelOf(arm)}`,
      `${100 * share} %`,
      points(answered),
      all === null ? "–" : points(all),
      gain === null ? "–" : `${points(gain.value)} [${points(gain.low)}, ${points(gain.high)}]`,
    ]),
  );

const labelOf = (arm: Arm): string => ARMS[arm];

/** Mean absolute errors over the cost weights, and how many of the truths are within the intervals. */
export const replayRows = (measured: readonly Measured[]): string[][] =>
  measured.map(({ set, seed, finding: { replay } }) => [
    `${set}, seed ${seed}`,
    `${(100 * meanOf(replay.map(({ spendError }) => Math.abs(spendError)))).toFixed(1)} %, ${inside(replay.map(({ spendInside }) => spendInside))}`,
    `${points(meanOf(replay.map(({ qualityError }) => Math.abs(qualityError))))} of ${points(meanOf(replay.map(({ qualityChange }) => Math.abs(qualityChange))))}, ${inside(replay.map(({ qualityInside }) => qualityInside))}`,
  ]);

const inside = (hits: readonly boolean[]): string =>
  `${hits.filter(Boolean).length} of ${hits.length} within`;

const points = (value: number): string => (POINTS * value).toFixed(2).replace("-", "−");
