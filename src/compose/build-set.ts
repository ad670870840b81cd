/** Builds a profile set, with what the catalog knows of its models. */
import { type Catalog, openCatalog, servedModels } from "../engine/catalog/catalog.js";
import { describeModel } from "../engine/catalog/describe-model.js";
import { catalogId } from "../engine/catalog/models/dataset-names.js";
import type { Embedder } from "../engine/embedding/embedder.js";
import { readPromptTexts } from "../engine/embedding/read-prompt-texts.js";
import { gatherEvidence } from "../engine/estimation/evidence.js";
import { candidatesOf } from "../engine/open-router.js";
import { loadProfileSet } from "../engine/profiles/load.js";
import { saveMeanCosts } from "../engine/profiles/saved-weights.js";
import { targetProblem } from "../engine/profiles/set-folder.js";
import { meanCostsOn, sampledAnchors } from "../engine/router/mean-costs.js";
import { estimateTextTokens } from "../engine/router/prompt-size.js";
import { createSnapshot } from "../engine/router/snapshot.js";
import {
  type BuildFromOutcomesOptions,
  type BuiltSet,
  buildFromOutcomes,
} from "../workbench/fitting/build-from-outcomes.js";
import type { OutcomeSource } from "../workbench/fitting/collect.js";
import { findDataFiles } from "../workbench/outcomes/find-files.js";
import { readPrompts } from "../workbench/outcomes/read-prompts.js";
import { OptionError } from "../workbench/workbench-error.js";
import { dateOf, settingsFor, textOfMessages, type WorkbenchSettings, withEmbedder } from "./workbench.js";

export interface SetToBuild {
  readonly name: string;
  readonly sources: readonly OutcomeSource[];
  /** Files of published scores. */
  readonly scores: readonly string[];
  /** `served`: models that no provider is known to run are no candidates. */
  readonly candidates?: "all" | "served" | undefined;
  /** Files or folders of prompts that the mean cost of a request is measured on, in place of the anchors. */
  readonly traffic?: readonly string[] | undefined;
}

export interface PlannedBuildOptions
  extends Pick<BuildFromOutcomesOptions, "folder" | "seed" | "index" | "signal" | "onProgress" | "onNote"> {
  /** Replaces a set that is in the folder. */
  readonly replace: boolean;
  /** Folder or hub id. Default: that of the settings. */
  readonly embedder?: string | undefined;
  /** ISO 8601. Default: now. */
  readonly builtAt?: string | undefined;
  /** Models keep the names of the outcome files instead of their catalog ids. */
  readonly keepNames: boolean;
}

/** @throws WorkbenchError when the folder is taken, OutcomeDataError at the first fault of the files */
export async function buildPlannedSet(
  { name, sources, scores, candidates, traffic }: SetToBuild,
  { replace, embedder, keepNames, ...options }: PlannedBuildOptions,
  from: WorkbenchSettings,
): Promise<BuiltSet> {
  await requireFreeFolder(options.folder, { replace });
  const builtAt = dateOf(options.builtAt, from);
  const catalog = catalogAlone(builtAt, from);
  const use = async (opened: Embedder) => {
    const built = await buildFromOutcomes(sources, {
      ...options,
      name,
      scores,
      candidates,
      textOfMessages,
      gather: gatherEvidence,
      builtAt,
      embedder: opened,
      alsoPlace: candidates === "served" ? servedModels(catalog) : [],
      describe: (model) => describeModel(model, catalog.lookup),
      rename: (model, { effort, modelSource }) =>
        keepNames ? model : catalogId(model, effort, { sourceName: modelSource }),
    });
    await storeMeanCosts(options, { embedder: opened, catalog, traffic });
    return built;
  };
  return withEmbedder({ embedder, signal: options.signal }, { from, use });
}

/** What is known of models without providers and prices of the settings. @param at ISO 8601 */
export function catalogAlone(at: string, from: WorkbenchSettings): Catalog {
  const { dataDir } = settingsFor({}, from).settings;
  const alone = { providers: [], deployments: [], prices: {}, dataDir };
  return openCatalog(alone, { at: new Date(at) });
}

/** Prompts of traffic that are decided, evenly spaced. */
const MOST_TRAFFIC = 1024;

interface MeanCostsInput {
  readonly embedder: Embedder;
  readonly catalog: Catalog;
  readonly traffic?: SetToBuild["traffic"];
}

/** Measures what a request costs by the cost weight, as a router without settings decides at the prices of the catalog, and stores it. */
export async function storeMeanCosts(
  { folder, index, signal }: Pick<PlannedBuildOptions, "folder" | "index" | "signal">,
  { embedder, catalog, traffic = [] }: MeanCostsInput,
): Promise<void> {
  const library = index?.kind === "hnsw" ? index.library : undefined;
  const openHnswLibrary = async () => library;
  const options = { embedder, includes: candidatesOf(catalog), openHnswLibrary };
  const { set } = await loadProfileSet(folder, options);
  const snapshot = createSnapshot([set], catalog.lookup);
  const texts: string[] = [];
  for (const file of await findDataFiles(traffic, "prompts"))
    for await (const { text } of readPrompts(file, { textOfMessages, signal })) texts.push(text);
  const count = Math.min(texts.length, MOST_TRAFFIC);
  const sample = Array.from(
    { length: count },
    (_, at) => texts[Math.floor((at * texts.length) / count)] ?? "",
  );
  const read = await readPromptTexts(embedder, sample, { signal });
  const prompts = read.map(({ text, vector, facts }) => ({
    found: snapshot.search(vector, facts),
    promptTokens: estimateTextTokens(text),
  }));
  const costs = meanCostsOn(snapshot, prompts.length > 0 ? prompts : sampledAnchors(snapshot, set));
  if (costs !== null) await saveMeanCosts(folder, costs);
}

/** @throws WorkbenchError when the folder holds what `replace` does not allow to replace */
export async function requireFreeFolder(
  folder: string,
  { replace, field = "folder" }: { readonly replace: boolean; readonly field?: string },
): Promise<void> {
  const problem = await targetProblem(folder, { replace, option: "`replace`" });
  if (problem !== undefined) throw new OptionError(`\`${field}\` ${folder} ${problem}`);
}
