/** A successor is not believed worse than its predecessor without evidence. */
import type { ModelDescription } from "../../engine/catalog/model-description.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import { logOddsOf } from "./joint-evidence.js";

/** What is added to all skills of a model, log-odds, and the model whose level that is. */
export interface Raise {
  readonly by: number;
  readonly to: string;
}

/** Standard errors of a difference beyond which it is evidence: of a hundred successors few are worse, so that one in twenty by chance is too many. */
const EVIDENCE_ERRORS = 2.5;
/** In expected quality. */
const TOLERANCE = 1e-6;
const MOST_STEPS = 30;

/** The model before one, at its effort. None for a model that stopped to think unasked: its default is another one. */
export function predecessorOf(
  { predecessor, effort, thinking }: ModelDescription,
  describe: (model: string) => ModelDescription,
): string | undefined {
  if (predecessor === undefined || predecessor === null) return undefined;
  const name = effort === null ? predecessor : `${predecessor}:${effort}`;
  return thinking === null && describe(name).thinking !== null ? undefined : name;
}

/** What a model is raised by, 0 or more, that is not evidently below its predecessor over all topics; undefined for others. */
export function raiseOf(
  overallAt: (raised?: Raise) => ModelProfile["facts"],
  predecessor: ModelProfile["facts"] | undefined,
): Raise | undefined {
  if (predecessor === undefined) return undefined;
  const { model: to, overall_quality: level, overall_error: error, general_skill: skill } = predecessor;
  const own = overallAt();
  const below = level - own.overall_quality;
  if (below >= EVIDENCE_ERRORS * Math.hypot(error, own.overall_error)) return undefined;
  if (below <= 0) return { by: 0, to };
  // Decisions on prompts unlike those of the set rest on the mean skill. A step takes away most of what is left.
  let by = Math.max(0, skill - own.general_skill);
  for (let step = 0; step < MOST_STEPS; step++) {
    const quality = overallAt({ by, to }).overall_quality;
    if (quality >= level) break;
    by += logOddsOf(level + TOLERANCE) - logOddsOf(quality);
  }
  return { by, to };
}
