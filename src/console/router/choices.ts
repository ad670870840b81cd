interface FromWeight {
  readonly from_cost_weight: number;
}

/** The choice at a cost weight. @param choices by their first weight, ascending */
export const choiceAt = <Choice extends FromWeight>(
  choices: readonly Choice[],
  costWeight: number,
): Choice | undefined => choices.findLast(({ from_cost_weight: from }) => from <= costWeight);
