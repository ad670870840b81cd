import type { TokenPrice } from "../../engine/estimation/bills.js";
import { middlePrice, usualAgentUsd } from "../../engine/index.js";

/** What one model's answers of one source were paid, and at which price of its tokens. */
export interface PaidSource {
  readonly model: number;
  readonly source: number;
  /** Dollars of a task, the mean over its answers, > 0. */
  readonly usd: number;
  /** Ratios of the dollars to those of a single answer, one for each answer. */
  readonly ratios: readonly number[];
  readonly price: TokenPrice;
}

/** From this median ratio of dollars to the price of a single answer on, a source is of agents, which call a model many times. */
const FEWEST_CALLS = 3;
/** Answers from which on a mean counts. */
const FEWEST_ANSWERS = 5;
/** Sources that similar models count as, beside a model's own. */
const PSEUDO_SOURCES = 1;
const ROUNDS = 20;

/**
 * What a task of an agent costs each model, in tokens at the middle price; NaN without bills of agents. Effects of sources and of models
 * on the logarithm of dollars; the level is the mean of dollars over sources, each of which counts alike.
 */
export function agentTokens(paid: readonly PaidSource[], models: number): Float64Array {
  const tokens = new Float64Array(models).fill(Number.NaN);
  const ratios = new Map<number, number[]>();
  for (const { source, ratios: own } of paid) ratios.set(source, [...(ratios.get(source) ?? []), ...own]);
  const ofAgents = (source: number): boolean => median(ratios.get(source) ?? []) >= FEWEST_CALLS;
  const cells = paid
    .filter(
      ({ source, ratios: own, price }) =>
        own.length >= FEWEST_ANSWERS && middlePrice(price) > 0 && ofAgents(source),
    )
    .map((cell) => ({ ...cell, log: Math.log(cell.usd / usualAgentUsd(1, cell.price)) }));
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
    [...sources.values()].reduce((sum, log) => sum + Math.exp(log), 0) / Math.max(1, sources.size);
  for (const { model, price } of cells)
    tokens[model] =
      (1e6 * usualAgentUsd(level * Math.exp(effects.get(model) as number), price)) / middlePrice(price);
  return tokens;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
