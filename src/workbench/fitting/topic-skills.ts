import { logisticLink } from "./logistic-link.js";
import { clamp } from "./two-way-fit.js";

/**
 * Skill of each model on each topic, independent of the ease of the prompts that it was scored on: for every topic
 * separately, `score ~ logistic(skill[model] + ease[prompt])` with normal priors on both (the Rasch model of
 * item-response theory). `fitAbilityFactors` then connects topics and published scores by these skills.
 */
export interface TopicInput {
  readonly anchorCount: number;
  /** Topic of each anchor, `[anchorCount]`. */
  readonly topicOf: Uint16Array;
  readonly topicCount: number;
  readonly columns: readonly TopicColumn[];
}

interface TopicColumn {
  /** Anchors the model was scored on. */
  readonly anchors: Uint32Array;
  /** Scores in [0, 1]; NaN is skipped. */
  readonly values: Float32Array;
}

export interface TopicSkills {
  /** Ease of each anchor relative to the mean of its topic, log-odds, `[anchorCount]`. */
  readonly ease: Float32Array;
  /**
   * Estimate from the scores alone for each model and topic: log-odds of solving a prompt of ease 0, and its sampling
   * variance; `[models × topics]`. The variance is infinite where the model was not scored on the topic.
   */
  readonly skill: Float64Array;
  readonly variance: Float64Array;
  /**
   * Variance of a score about its expectation, relative to that of a right-or-wrong answer, `[topics]`: 1 for those,
   * much less for graded marks and for means of several samples.
   */
  readonly dispersion: Float64Array;
}

const ITERATIONS = 25;
/** Prior variance of a model's skill about the mean of its topic. */
const SKILL_VARIANCE = 1.5;
const INITIAL_EASE_VARIANCE = 2;
const EASE_VARIANCE_FLOOR = 0.02;
/** Weight of the prior variance of ease, in anchors: a topic of six prompts cannot determine its own. */
const EASE_PSEUDO_ANCHORS = 10;
const LEAST_DISPERSION = 0.02;
/** Weight of the prior dispersion, in scores: a topic of a few scores cannot determine its own. */
const DISPERSION_PSEUDO_SCORES = 20;
/** Upper limit of a skill, which is unbounded for a model that solved everything. */
const HIGHEST_SKILL = 6;

interface State {
  readonly input: TopicInput;
  /** `[models × topics]` */
  readonly skill: Float64Array;
  readonly centre: Float64Array;
  readonly ease: Float64Array;
  readonly easeVariance: Float64Array;
  readonly dispersion: Float64Array;
  /** Anchors of each topic. */
  readonly sizes: Float64Array;
  /** Degrees of freedom of each topic's dispersion: scores minus its anchors' eases and models' skills. */
  readonly freedom: Float64Array;
}

export function fitTopicSkills(input: TopicInput): TopicSkills {
  const state = start(input);
  const gradient = new Float64Array(state.skill.length);
  const information = new Float64Array(state.skill.length);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    updateSkills(state, gradient, information);
    updateEase(state);
    updateDispersion(state);
  }
  updateSkills(state, gradient, information);
  // What the scores alone say: the prior is taken out of the posterior again.
  const variance = information.map((weight) => (weight > 0 ? 1 / weight : Number.POSITIVE_INFINITY));
  const skill = state.skill.map((value, index) => {
    const weight = information[index] as number;
    if (weight === 0) return 0;
    const centre = state.centre[index % input.topicCount] as number;
    const alone = value + (value - centre) / (SKILL_VARIANCE * weight);
    return clamp(alone, HIGHEST_SKILL);
  });
  return { ease: Float32Array.from(state.ease), skill, variance, dispersion: state.dispersion };
}

/** Ease of the anchors at given skills: a few Newton steps from the first fit. */
export function refitEase(
  input: TopicInput,
  skill: Float64Array,
  { ease, dispersion }: Pick<TopicSkills, "ease" | "dispersion">,
): Float32Array {
  const state = { ...start(input), skill, ease: Float64Array.from(ease), dispersion };
  for (let iteration = 0; iteration < 5; iteration++) updateEase(state, "fixed-skills");
  return Float32Array.from(state.ease);
}

function start(input: TopicInput): State {
  const { topicCount, topicOf } = input;
  const sum = new Float64Array(topicCount);
  const count = new Float64Array(topicCount);
  for (const { anchors, values } of input.columns) {
    values.forEach((value, cell) => {
      if (Number.isNaN(value)) return;
      const topic = topicOf[anchors[cell] as number] as number;
      sum[topic] = (sum[topic] as number) + value;
      count[topic] = (count[topic] as number) + 1;
    });
  }
  const centre = sum.map((total, topic) =>
    count[topic] === 0 ? 0 : logisticLink.start(total / (count[topic] as number)),
  );
  const sizes = new Float64Array(topicCount);
  for (const topic of topicOf) sizes[topic] = (sizes[topic] as number) + 1;
  return {
    input,
    skill: Float64Array.from(
      { length: input.columns.length * topicCount },
      (_, index) => centre[index % topicCount] as number,
    ),
    centre,
    ease: new Float64Array(input.anchorCount),
    easeVariance: new Float64Array(topicCount).fill(INITIAL_EASE_VARIANCE),
    dispersion: new Float64Array(topicCount).fill(1),
    sizes,
    freedom: freedomOf(input, count),
  };
}

/** @param scores of each topic */
function freedomOf({ topicCount, topicOf, columns }: TopicInput, scores: Float64Array): Float64Array {
  const parameters = new Float64Array(topicCount);
  for (const topic of topicOf) parameters[topic] = (parameters[topic] as number) + 1;
  for (const { anchors } of columns)
    for (const topic of new Set(Array.from(anchors, (anchor) => topicOf[anchor] as number)))
      parameters[topic] = (parameters[topic] as number) + 1;
  return scores.map((count, topic) => Math.max(0, count - (parameters[topic] as number)));
}

/** A Newton step for every model and topic at fixed ease; writes the Fisher information of the scores to `information`. */
function updateSkills(state: State, gradient: Float64Array, information: Float64Array): void {
  const { topicCount, columns } = state.input;
  gradient.fill(0);
  information.fill(0);
  visitCells(state, ({ skillIndex, topic, residual, weight }) => {
    const precision = 1 / (state.dispersion[topic] as number);
    gradient[skillIndex] = (gradient[skillIndex] as number) + precision * residual;
    information[skillIndex] = (information[skillIndex] as number) + precision * weight;
  });
  const sum = new Float64Array(topicCount);
  const count = new Float64Array(topicCount);
  for (let index = 0; index < columns.length * topicCount; index++) {
    const seen = information[index] as number;
    if (seen === 0) continue;
    const topic = index % topicCount;
    const value = state.skill[index] as number;
    const centre = state.centre[topic] as number;
    const step =
      ((gradient[index] as number) - (value - centre) / SKILL_VARIANCE) / (seen + 1 / SKILL_VARIANCE);
    state.skill[index] = value + clamp(step, 2);
    sum[topic] = (sum[topic] as number) + (state.skill[index] as number);
    count[topic] = (count[topic] as number) + 1;
  }
  for (let topic = 0; topic < topicCount; topic++)
    if ((count[topic] as number) > 0) state.centre[topic] = (sum[topic] as number) / (count[topic] as number);
}

/** A Newton step for every anchor at fixed skills, then the variance of ease of each topic. */
function updateEase(state: State, skills: "free" | "fixed-skills" = "free"): void {
  const { input, ease, easeVariance } = state;
  const gradient = new Float64Array(input.anchorCount);
  const information = new Float64Array(input.anchorCount);
  visitCells(state, ({ anchor, topic, residual, weight }) => {
    const precision = 1 / (state.dispersion[topic] as number);
    gradient[anchor] = (gradient[anchor] as number) + precision * residual;
    information[anchor] = (information[anchor] as number) + precision * weight;
  });
  const sum = new Float64Array(input.topicCount);
  const squares = new Float64Array(input.topicCount);
  for (let anchor = 0; anchor < input.anchorCount; anchor++) {
    const topic = input.topicOf[anchor] as number;
    const precision = 1 / (easeVariance[topic] as number);
    const value = ease[anchor] as number;
    const total = (information[anchor] as number) + precision;
    const next = value + clamp(((gradient[anchor] as number) - value * precision) / total, 2);
    ease[anchor] = next;
    sum[topic] = (sum[topic] as number) + next;
    squares[topic] = (squares[topic] as number) + next ** 2 + 1 / total;
  }
  if (skills === "free") centreEase(state, sum);
  for (let topic = 0; topic < input.topicCount; topic++) {
    const size = state.sizes[topic] as number;
    const pooled = (squares[topic] as number) + EASE_PSEUDO_ANCHORS * INITIAL_EASE_VARIANCE;
    easeVariance[topic] = Math.max(pooled / (size + EASE_PSEUDO_ANCHORS), EASE_VARIANCE_FLOOR);
  }
}

/**
 * Dispersion of the scores relative to right-or-wrong answers (quasi-likelihood: Wedderburn 1974). A ratio of sums
 * rather than a mean of ratios, which expectations close to 0 or 1 would dominate.
 */
function updateDispersion(state: State): void {
  const { input, dispersion, freedom } = state;
  const squares = new Float64Array(input.topicCount);
  const expected = new Float64Array(input.topicCount);
  const count = new Float64Array(input.topicCount);
  visitCells(state, ({ topic, residual, weight }) => {
    squares[topic] = (squares[topic] as number) + residual * residual;
    expected[topic] = (expected[topic] as number) + weight;
    count[topic] = (count[topic] as number) + 1;
  });
  for (let topic = 0; topic < input.topicCount; topic++) {
    if ((count[topic] as number) === 0) continue;
    const weight = (expected[topic] as number) / (count[topic] as number);
    const own = (freedom[topic] as number) * weight;
    const pseudo = DISPERSION_PSEUDO_SCORES * weight;
    const found = ((squares[topic] as number) + pseudo) / (own + pseudo);
    dispersion[topic] = Math.min(1, Math.max(LEAST_DISPERSION, found));
  }
}

/** Centres ease at 0 on every topic, which makes the skills of two topics comparable. */
function centreEase({ input, ease, skill, centre, sizes }: State, sum: Float64Array): void {
  const mean = sum.map((total, topic) => total / Math.max(1, sizes[topic] as number));
  for (let anchor = 0; anchor < input.anchorCount; anchor++)
    ease[anchor] = (ease[anchor] as number) - (mean[input.topicOf[anchor] as number] as number);
  for (let index = 0; index < skill.length; index++)
    skill[index] = (skill[index] as number) + (mean[index % input.topicCount] as number);
  for (let topic = 0; topic < centre.length; topic++)
    centre[topic] = (centre[topic] as number) + (mean[topic] as number);
}

interface Cell {
  readonly anchor: number;
  /** Index into `skill` of the model and topic. */
  readonly skillIndex: number;
  readonly topic: number;
  readonly residual: number;
  /** Variance of a right-or-wrong answer. */
  readonly weight: number;
}

function visitCells({ input, skill, ease }: State, visit: (cell: Cell) => void): void {
  input.columns.forEach(({ anchors, values }, model) => {
    for (let row = 0; row < anchors.length; row++) {
      const value = values[row] as number;
      if (Number.isNaN(value)) continue;
      const anchor = anchors[row] as number;
      const topic = input.topicOf[anchor] as number;
      const skillIndex = model * input.topicCount + topic;
      const mean = logisticLink.mean((skill[skillIndex] as number) + (ease[anchor] as number));
      visit({ anchor, skillIndex, topic, residual: value - mean, weight: logisticLink.weight(mean) });
    }
  });
}
