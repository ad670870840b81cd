import type { TokenPrice } from "../../engine/estimation/bills.js";
import { middlePrice, usualAgentUsd } from "../../engine/index.js";

/** A model at one effort, whose agents may or may not have been paid. */
export interface PricedModel {
  /** The same for all efforts of a model. */
  readonly base: string;
  readonly price: TokenPrice;
  /** Hidden tokens on a prompt of medium difficulty. */
  readonly thinkingTokens: number;
}

/** What one model's answers of one source were paid. */
export interface PaidSource {
  /** Index of the model. */
  readonly model: number;
  readonly source: number;
  /** Dollars of a task, the mean over its answers, > 0. */
  readonly usd: number;
  /** Ratios of the dollars to those of a single answer, one for each answer. */
  readonly ratios: readonly number[];
}

/** From this median ratio of dollars to the price of a single answer on, a source is of agents, which call a model many times. */
const FEWEST_CALLS = 3;
/** Answers from which on a mean counts. */
const FEWEST_ANSWERS = 5;
/** Sources that similar models count as, beside a model's own. */
const PSEUDO_SOURCES = 1;
/**
 * `usualAgentUsd` of public figures, which count as one more source because harnesses differ by a factor of ten: the geometric mean of
 * Artificial Analysis's index 4.3 (.24, 2026-09-29) and VulcanBench @d5567794 (.13).
 */
const PUBLIC_USD = 0.18;
const ROUNDS = 20;

/**
 * What a task of an agent costs each model, in tokens at the middle price; NaN without bills of agents at any of its
 * efforts. Effects of sources and of models on the logarithm of dollars; the level is the mean of dollars over sources and public figures, each of which counts alike.
 */
export function agentTokens(paid: readonly PaidSource[], models: readonly PricedModel[]): Float64Array {
  const agents = agentSources(paid);
  const priced = (model: number): PricedModel => models[model] as PricedModel;
  const cells = paid
    .filter(
      ({ source, model, ratios: own }) =>
        own.length >= FEWEST_ANSWERS && middlePrice(priced(model).price) > 0 && agents.has(source),
    )
    .map((cell) => {
      const { price, thinkingTokens } = priced(cell.model);
      return { ...cell, log: Math.log(cell.usd / usualAgentUsd(1, price, thinkingTokens)) };
    });
  const sources = new Map(cells.map(({ source }) => [source, 0]));
  const effects = new Map(cells.map(({ model }) => [model, 0]));
  const average = (
    into: Map<number, number>,
    pseudo: number,
    of: (cell: (typeof cells)[number]) => readonly [number, number],
  ) => {
    for (const key of into.keys()) {
      const own = cells.map(of).filter(([at]) => at === key);
      into.set(key, own.reduce((sum, [, value]) => sum + value, 0) / (own.length + pseudo));
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    average(sources, 0, ({ source, model, log }) => [source, log - (effects.get(model) as number)]);
    average(effects, PSEUDO_SOURCES, ({ source, model, log }) => [
      model,
      log - (sources.get(source) as number),
    ]);
  }
  const level =
    [...sources.values()].reduce((sum, log) => sum + Math.exp(log), PUBLIC_USD) / (1 + sources.size);
  const effectsOf = new Map<string, number[]>();
  for (const [model, effect] of effects) {
    const { base } = priced(model);
    effectsOf.set(base, [...(effectsOf.get(base) ?? []), effect]);
  }
  return Float64Array.from(models, ({ base, price, thinkingTokens }, model) => {
    const known = effectsOf.get(base) ?? [];
    const effect = effects.get(model) ?? known.reduce((sum, one) => sum + one, 0) / known.length;
    return (1e6 * usualAgentUsd(level * Math.exp(effect), price, thinkingTokens)) / middlePrice(price);
  });
}

/** Sources of agents, by what their answers were paid. */
export function agentSources(paid: readonly PaidSource[]): ReadonlySet<number> {
  const ratios = new Map<number, number[]>();
  for (const { source, ratios: own } of paid) ratios.set(source, [...(ratios.get(source) ?? []), ...own]);
  return new Set([...ratios].filter(([, own]) => median(own) >= FEWEST_CALLS).map(([source]) => source));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
