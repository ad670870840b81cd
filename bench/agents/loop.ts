/**
 * A loop of an agent, as far as failed results of its tools go. No set has steps, so this is a model, stated here:
 *
 * A run takes `steps` steps that cost the same. Errors strike at random steps, 2.09 in a run that solves its task and 2.71 in another, of
 * which 95 % and 73.5 % are recovered from (Snorkel, eight models of 2025 and 2026 at 99 tasks,
 * snorkel.ai/blog/coding-agents-dont-need-to-be-perfect-they-need-to-recover, 2026-11-29). The result of the step that an error strikes
 * has failed; each one after it fails as well until the error is over: with a chance of `while.recovered` or `while.lasting` (guesses).
 */
export interface LoopModel {
  /** 38: calls of mini-SWE-agent for a task of SWE-bench Verified (gruckion/mini-swe-agent, results.md, 2026-11-29). */
  readonly steps: number;
  readonly solving: Errors;
  readonly failing: Errors;
  readonly while: { readonly recovered: number; readonly lasting: number };
}

interface Errors {
  /** Mean number in a run. */
  readonly count: number;
  /** Share that is recovered from. */
  readonly recovered: number;
}

export const LOOP: LoopModel = {
  steps: 38,
  solving: { count: 2.09, recovered: 0.95 },
  failing: { count: 2.71, recovered: 0.735 },
  while: { recovered: 0.3, lasting: 0.8 },
};

export interface Run {
  readonly solves: boolean;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Steps of a run until so many results in a row have failed; undefined when they never do before its last step. */
export function stepsUntilHelp(
  model: LoopModel,
  { inARow, solves, random }: Run & { readonly inARow: number },
): number | undefined {
  const hasFailed = failedSteps(model, { solves, random });
  let row = 0;
  for (let step = 0; step < model.steps - 1; step++) {
    row = hasFailed[step] ? row + 1 : 0;
    if (row === inARow) return step + 1;
  }
  return undefined;
}

function failedSteps(model: LoopModel, { solves, random }: Run): boolean[] {
  const { count, recovered } = solves ? model.solving : model.failing;
  const hasFailed = new Array<boolean>(model.steps).fill(false);
  for (let errors = poisson(count, random); errors > 0; errors--) {
    const goesOn = random() < recovered ? model.while.recovered : model.while.lasting;
    let step = Math.floor(random() * model.steps);
    do hasFailed[step++] = true;
    while (step < model.steps && random() < goesOn);
  }
  return hasFailed;
}

function poisson(mean: number, random: () => number): number {
  let count = 0;
  for (let left = random(); left > Math.exp(-mean); left *= random()) count++;
  return count;
}
