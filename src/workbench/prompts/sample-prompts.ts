import { createHash } from "node:crypto";
import { OptionError } from "../workbench-error.js";
import type { WorkbenchPrompt } from "./prompt.js";

export interface SampleOptions {
  /** At least 1. */
  readonly size: number;
  /** Another seed chooses other prompts. */
  readonly seed: number;
}

/**
 * That many of the prompts, chosen at random by their ids, in their order. A larger sample with the same seed contains the
 * smaller one, so that what was collected for it is not asked again.
 *
 * @throws WorkbenchError on a size that is no whole number of at least 1
 */
export function samplePrompts(
  prompts: readonly WorkbenchPrompt[],
  { size, seed }: SampleOptions,
): readonly WorkbenchPrompt[] {
  if (!Number.isInteger(size) || size < 1)
    throw new OptionError(`\`size\` is ${size}: it must be a whole number of at least 1.`);
  const draws = prompts.map(({ id }) => createHash("sha256").update(`${seed}\n${id}`).digest("hex"));
  const last = [...draws].sort()[size - 1];
  return last === undefined ? prompts : prompts.filter((_, index) => (draws[index] as string) <= last);
}
