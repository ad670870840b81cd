import { logisticLink } from "./logistic-link.js";

/** Observations for which the expectation counts that a bill is what its tokens cost. */
export const BILL_PSEUDO_OBSERVATIONS = 10;

/** Topic of each anchor of a set, `[anchors]`, and how many there are. */
interface TopicsOfAnchors {
  readonly topicOf: Uint16Array;
  readonly topicCount: number;
}

/**
 * Expected quality of a model on each topic, `[topics]`: the mean over the topic's anchors of what its skill lets expect.
 *
 * @param skill log-odds, `[topics]`
 * @param ease of each anchor of the set, log-odds
 */
export function qualityTable(skill: Float64Array, topicOf: Uint16Array, ease: Float32Array): Float32Array {
  const expected = ease.map((own, anchor) =>
    logisticLink.mean((skill[topicOf[anchor] as number] as number) + own),
  );
  const everyone = Uint32Array.from(ease, (_, anchor) => anchor);
  const topics = { topicOf, topicCount: skill.length };
  const sums = sumByTopic(everyone, expected, topics);
  const sizes = sumByTopic(everyone, expected.fill(1), topics);
  return Float32Array.from(sums, (sum, topic) => sum / Math.max(sizes[topic] as number, 1e-9));
}

/** Σ of values over some anchors, `[topics]`. */
function sumByTopic(
  anchors: Uint32Array,
  values: Float32Array,
  { topicOf, topicCount }: TopicsOfAnchors,
): Float64Array {
  const sums = new Float64Array(topicCount);
  anchors.forEach((anchor, cell) => {
    const topic = topicOf[anchor] as number;
    sums[topic] = (sums[topic] as number) + (values[cell] as number);
  });
  return sums;
}

interface BillTableInput extends TopicsOfAnchors {
  /** Anchors the model was scored on. */
  readonly anchors: Uint32Array;
  /** Code of the bill for its answer to each, ≥ 0; NaN = not measured. */
  readonly codes: Float32Array;
  /** Effect of the model on the log2 of 1 + code. */
  readonly ability: number;
  /** Effect of each prompt on it, `[anchors of the set]`. */
  readonly level: Float32Array;
}

interface BillTable {
  /** Expected mean of 1 + code on each topic, `[topics]`. */
  readonly expected: Float32Array;
  /** Ratio of the mean of 1 + code to 2^(ability + level): Duan's smearing factor (1983); 1 when nothing was measured. */
  readonly smear: number;
}

/**
 * Expected codes of bills: the expectation from the model's ability and the prompts' levels, multiplied by the ratio of measured to
 * expected on the topic, which is shrunk to the ratio over all prompts.
 */
export function billTable(input: BillTableInput): BillTable {
  const { anchors, level } = input;
  const smear = smearOf(input);
  const forecast = level.map((anchorLevel) => smear * 2 ** (input.ability + anchorLevel));
  const everyone = Uint32Array.from(level, (_, anchor) => anchor);
  const base = sumByTopic(everyone, forecast, input);
  const size = sumByTopic(
    everyone,
    forecast.map(() => 1),
    input,
  );
  const seen = sumByTopic(
    anchors,
    input.codes.map((code) => (Number.isNaN(code) ? 0 : 1 + code)),
    input,
  );
  const foreseen = sumByTopic(
    anchors,
    input.codes.map((code, cell) => (Number.isNaN(code) ? 0 : (forecast[anchors[cell] as number] as number))),
    input,
  );
  const expected = Float32Array.from(base, (sum, topic) => {
    const mean = sum / Math.max(size[topic] as number, 1e-9);
    return mean * shrunkRatio(seen[topic] as number, foreseen[topic] as number, mean);
  });
  return { expected, smear };
}

function shrunkRatio(seen: number, foreseen: number, mean: number): number {
  const pseudo = BILL_PSEUDO_OBSERVATIONS * mean;
  return pseudo > 0 ? (seen + pseudo) / (foreseen + pseudo) : 1;
}

function smearOf({ anchors, codes, ability, level }: BillTableInput): number {
  let seen = 0;
  let foreseen = 0;
  for (let cell = 0; cell < anchors.length; cell++) {
    const code = codes[cell] as number;
    if (Number.isNaN(code)) continue;
    seen += 1 + code;
    foreseen += 2 ** (ability + (level[anchors[cell] as number] as number));
  }
  return foreseen > 0 ? seen / foreseen : 1;
}
