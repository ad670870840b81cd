interface FromWeight {
  readonly from_cost_weight: number;
}

/** The choice at a cost weight. @param choices by their first weight, ascending */
export const choiceAt = <Choice extends FromWeight>(
  choices: readonly Choice[],
  costWeight: number,
): Choice | undefined => choices.findLast(({ from_cost_weight: from }) => from <= costWeight);

const COLOURS = 6;

/** A colour for each of the models that occur most, from 1; the others have none. */
export function coloursOf(models: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const model of models) counts.set(model, (counts.get(model) ?? 0) + 1);
  return new Map(
    [...counts]
      .sort(([, left], [, right]) => right - left)
      .slice(0, COLOURS)
      .map(([model], at) => [model, at + 1]),
  );
}
