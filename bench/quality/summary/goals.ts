/** Goals and published reference values, by figure id. */
interface Goal {
  readonly goal: number;
  readonly best_known?: number;
}

const GOALS: Readonly<Record<string, Goal>> = {
  "quality/routellm/mmlu/ours/apgr": { goal: 0.7, best_known: 0.675 },
  "quality/routellm/mmlu/ours/cpt50": { goal: 0.27, best_known: 0.298 },
  "quality/routellm/mmlu/ours/cpt80": { goal: 0.55, best_known: 0.599 },
  "quality/routellm/mmlu/ours_1500_labels/apgr": { goal: 0.64, best_known: 0.603 },
  "quality/routellm/gsm8k/ours/apgr": { goal: 0.66, best_known: 0.622 },
  "quality/routerbench_subset/ours/aiq_gain": { goal: 0.03 },
  "quality/routerbench_subset/ours/accuracy_gain": { goal: 0 },
  "quality/llmrouter_ulab/ours/accuracy": { goal: 0.67, best_known: 0.6619 },
  "quality/mmlu_pro/ours/accuracy": { goal: 0.716, best_known: 0.7077 },
};

/** Goals that hold on every set, by what follows the set's name. */
const EVERYWHERE: Readonly<Record<string, Goal>> = {
  "ours/left_out_worst": { goal: -1, best_known: -3.9 },
  "ours/kept_typos_letters": { goal: 0.93, best_known: 0.89 },
  "ours/ece": { goal: 0.03, best_known: 0.03 },
  "ours/spend_error": { goal: 0.05 },
};

/** Sets that are too small and synthetic to have goals. */
const SAMPLES: ReadonlySet<string> = new Set(["sample"]);

export function goalOf(id: string): Goal | undefined {
  const [, set = "", ...rest] = id.split("/");
  if (SAMPLES.has(set)) return undefined;
  return GOALS[id] ?? EVERYWHERE[rest.join("/")];
}
