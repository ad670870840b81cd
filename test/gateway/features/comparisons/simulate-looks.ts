/** Comparisons of two answers with planted chances, looked at again and again as they come in. */
import {
  detectableLoss,
  sequentialInterval,
} from "../../../../src/gateway/features/comparisons/sequential-interval.js";

/** Chances of the other answer; all others are ties. */
interface PlantedQuality {
  readonly win: number;
  readonly loss: number;
}

export interface Simulation extends PlantedQuality {
  readonly comparisons: number;
  /** After so many each time somebody looks. */
  readonly look: number;
}

export interface SimulatedLooks {
  /** At any look: the interval was not about the truth; it said that the other is worse, or better. */
  readonly isMissed: boolean;
  readonly saidWorse: boolean;
  readonly saidBetter: boolean;
  /** Comparisons at the first look that said that the other is worse; null without one. */
  readonly worseAt: number | null;
  /** At the last look. */
  readonly halfWidth: number;
  readonly statedLoss: number;
}

export function simulateLooks(
  { win, loss, comparisons, look }: Simulation,
  random: () => number,
): SimulatedLooks {
  const counts = new Map<number, number>();
  let [isMissed, saidBetter, halfWidth] = [false, false, 1];
  let worseAt: number | null = null;
  for (let at = 1; at <= comparisons; at += 1) {
    const drawn = random();
    const difference = drawn < win ? 1 : drawn < win + loss ? -1 : 0;
    counts.set(difference, (counts.get(difference) ?? 0) + 1);
    if (at % look !== 0) continue;
    const { low, high } = sequentialInterval(counts);
    isMissed ||= win - loss < low || win - loss > high;
    saidBetter ||= low > 0;
    if (high < 0) worseAt ??= at;
    halfWidth = (high - low) / 2;
  }
  const statedLoss = detectableLoss(counts);
  return { isMissed, saidWorse: worseAt !== null, saidBetter, worseAt, halfWidth, statedLoss };
}
