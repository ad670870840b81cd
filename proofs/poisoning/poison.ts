import { modelsOf, type SparseCell, type SparseSet } from "../../bench/evidence/sparse-set.js";

/** Wrong outcomes that somebody puts among those that profiles are built from. */
export interface Poisoning {
  readonly id: string;
  readonly label: string;
  /** @param share of the outcomes of the model, or of the prompts, in [0, 1] */
  readonly apply: (set: SparseSet, options: PoisonOptions) => SparseSet;
}

interface PoisonOptions {
  readonly share: number;
  readonly random: () => number;
}

export const POISONINGS: readonly Poisoning[] = [
  {
    id: "flip_best",
    label: "the best model's outcomes flipped at random",
    apply: (set, options) => flip(set, { ...options, model: bestModel(set) }),
  },
  {
    id: "demote_best",
    label: "right answers of the best model called wrong",
    apply: (set, options) => relabel(set, { ...options, model: bestModel(set), from: 1, to: 0 }),
  },
  {
    id: "promote_expensive",
    label: "wrong answers of the most expensive model called right",
    apply: (set, options) => relabel(set, { ...options, model: mostExpensiveModel(set), from: 0, to: 1 }),
  },
  {
    id: "promote_worst",
    label: "wrong answers of the worst model called right",
    apply: (set, options) => relabel(set, { ...options, model: worstModel(set), from: 0, to: 1 }),
  },
  {
    id: "invented_prompts",
    label: "invented prompts that the most expensive model alone solves",
    apply: (set, options) => addInvented(set, { ...options, model: mostExpensiveModel(set) }),
  },
];

type OfModel = PoisonOptions & { readonly model: string };

function flip(set: SparseSet, options: OfModel): SparseSet {
  const chosen = new Set(draw(set, options, () => true));
  return withCells(set, (cell) => (chosen.has(cell) ? { ...cell, score: 1 - cell.score } : cell));
}

/** Changes outcomes on one side of ½ to an end, until the share of all the model's outcomes is changed or none is left. */
function relabel(set: SparseSet, options: OfModel & { readonly from: 0 | 1; readonly to: 0 | 1 }): SparseSet {
  const chosen = new Set(draw(set, options, ({ score }) => Math.abs(score - options.from) < 0.5));
  return withCells(set, (cell) => (chosen.has(cell) ? { ...cell, score: options.to } : cell));
}

/** Copies of prompts under new ids, with the outcomes that the attacker wants. */
function addInvented(set: SparseSet, { share, random, model }: OfModel): SparseSet {
  const models = modelsOf(set);
  const count = Math.round(share * set.prompts.length);
  const drawn = Array.from({ length: count }, () => Math.floor(random() * set.prompts.length));
  const prompts = drawn.map((source, index) => ({
    ...(set.prompts[source] as SparseSet["prompts"][number]),
    id: `invented-${index}`,
  }));
  const costs = new Map(models.map((name) => [name, set.cells.find((cell) => cell.model === name)]));
  const cells = drawn.flatMap((_, index) =>
    models.map((name) => ({
      ...(costs.get(name) as SparseCell),
      ...{ prompt: set.prompts.length + index, score: name === model ? 1 : 0 },
    })),
  );
  return { ...set, prompts: [...set.prompts, ...prompts], cells: [...set.cells, ...cells] };
}

function draw(
  { cells }: SparseSet,
  { share, random, model }: OfModel,
  isWanted: (cell: SparseCell) => boolean,
): SparseCell[] {
  const own = cells.filter((cell) => cell.model === model);
  const wanted = own.filter(isWanted).map((cell) => ({ cell, key: random() }));
  return wanted
    .sort((a, b) => a.key - b.key)
    .slice(0, Math.round(share * own.length))
    .map(({ cell }) => cell);
}

const withCells = (set: SparseSet, change: (cell: SparseCell) => SparseCell): SparseSet => ({
  ...set,
  cells: set.cells.map(change),
});

const meanBy = (
  set: SparseSet,
  read: (cell: SparseCell) => number | null,
): (readonly [model: string, mean: number])[] =>
  modelsOf(set).map((model) => {
    const values = set.cells.flatMap((cell) => (cell.model === model ? (read(cell) ?? []) : []));
    return [model, values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)];
  });

function modelWith(
  set: SparseSet,
  read: (cell: SparseCell) => number | null,
  isBetter: (a: number, b: number) => boolean,
): string {
  return meanBy(set, read).reduce((best, each) => (isBetter(each[1], best[1]) ? each : best))[0];
}

const bestModel = (set: SparseSet): string =>
  modelWith(
    set,
    ({ score }) => score,
    (a, b) => a > b,
  );
const worstModel = (set: SparseSet): string =>
  modelWith(
    set,
    ({ score }) => score,
    (a, b) => a < b,
  );
/** By the recorded costs, or by the length of answers where there are none. */
const mostExpensiveModel = (set: SparseSet): string =>
  modelWith(
    set,
    ({ costUsd, tokensOut }) => costUsd ?? tokensOut,
    (a, b) => a > b,
  );
