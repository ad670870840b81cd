import { join } from "node:path";
import { replaceFile } from "../../foundation/replace-file.js";
import type { RecommendedWeight } from "../estimation/saved-weight.js";
import { DEFAULT_COST_WEIGHT } from "../router/cost-weight.js";
import { filesVersionOf, type LoadedSet, readManifest } from "./load.js";
import { encodeManifest, MANIFEST_FILE } from "./manifest.js";

/** The recommended cost weight: what is saved in the set, where one set is in use; otherwise that for prompts like traffic. */
export const recommendedCostWeight = (
  saved: readonly (Pick<RecommendedWeight, "cost_weight"> | null)[],
): number => (saved.length === 1 ? saved[0]?.cost_weight : undefined) ?? DEFAULT_COST_WEIGHT;

/** What is saved in the set; null when nothing was saved. */
export function recommendedWeightOf({
  manifest: { recommended_cost_weight: saved },
  filesVersion,
}: Pick<LoadedSet, "manifest" | "filesVersion">): RecommendedWeight | null {
  if (saved === undefined) return null;
  const { files_version: chosenOn, ...recommended } = saved;
  return { ...recommended, is_current: chosenOn === filesVersion };
}

/** Writes the mean cost of a request at each step of the cost weight into the manifest of a set, in place of an earlier one. @throws as below */
export async function saveMeanCosts(folder: string, costs: readonly number[]): Promise<void> {
  const manifest = { ...(await readManifest(folder)), mean_costs_usd: [...costs] };
  await replaceFile(join(folder, MANIFEST_FILE), encodeManifest(manifest));
}

/**
 * Writes a recommendation into the manifest of a set, in place of an earlier one. The set's other files, its checksums and its version
 * stay as they are.
 *
 * @throws ProfileSetError; what the system says when the file cannot be written, such as EACCES
 */
export async function saveRecommendedWeight(
  folder: string,
  recommended: Omit<RecommendedWeight, "is_current">,
): Promise<void> {
  const manifest = await readManifest(folder);
  const saved = { ...recommended, files_version: await filesVersionOf(folder, manifest) };
  await replaceFile(
    join(folder, MANIFEST_FILE),
    encodeManifest({ ...manifest, recommended_cost_weight: saved }),
  );
}
