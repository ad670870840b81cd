/** Builds the router: what the gateway, the command line and the embedded library load. */
import { join } from "node:path";
import { allInOrder } from "../foundation/all-in-order.js";
import { runCooperatively } from "../foundation/cooperative-batches.js";
import { type Catalog, openCatalog } from "./catalog/catalog.js";
import type { CatalogSettings } from "./catalog/entries.js";
import type { Embedder } from "./embedding/embedder.js";
import { openEmbedder } from "./embedding/open-embedder.js";
import type { RecommendedWeight } from "./estimation/saved-weight.js";
import { type LoadOptions, loadProfileSets } from "./profiles/load.js";
import { recommendedWeightOf } from "./profiles/saved-weights.js";
import type { ModelAvailability } from "./router/candidate.js";
import type { LengthRatioOf } from "./router/estimate-candidates.js";
import { createRouter, type LoadedProfiles, type Router } from "./router/router.js";
import { SHIPPED_EMBEDDER } from "./shipped.js";

/** What a router is made of. */
export interface RouterSettings extends CatalogSettings {
  /** Folder or Hugging Face hub id; default the shipped one. */
  readonly embedder?: string | undefined;
  /** Profile sets, or folders of profile sets. */
  readonly profiles: readonly string[];
  /** Folder whose `models` holds embedders that were downloaded. */
  readonly dataDir: string;
}

/** A router on profile sets that can be loaded again. */
export interface OpenedRouter {
  readonly router: Router;
  /** What the router embeds prompts with; the router closes it. */
  readonly embedder: Pick<Embedder, "id" | "dimensions" | "embed">;
  /** Sentences for a log, such as which index serves a profile set. */
  readonly notes: readonly string[];
  /** Changes with the files of the profile sets, but not with the providers that decide which models are loaded. */
  profileFilesVersion(): string;
  /** The sets in use, in their order. */
  setsInUse(): readonly SetInUse[];
  /** Reads the profile sets again and swaps them in whole. @throws ProfileSetError; those in use, and the catalog, then stay */
  reloadProfiles(next?: NextCatalog): Promise<LoadedProfiles>;
}

/** A set in use, and what reading its files again takes. */
export interface SetInUse {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** Those that were loaded. */
  readonly models: readonly string[];
  /** The cost weight that was saved in it. */
  readonly recommended: RecommendedWeight | null;
  readonly embedder: {
    readonly id: string;
    readonly fingerprint: string;
    readonly difficulty?: { readonly fingerprint: string } | undefined;
  };
}

export type RouterCatalog = Pick<Catalog, "lookup" | "isServed" | "profilesLent" | keyof ModelAvailability>;

/** A catalog that takes the place of the one in use together with the sets. */
export interface NextCatalog {
  /** By it the models are loaded. */
  readonly catalog: RouterCatalog;
  /** Called before sets that were read are swapped in, unless it rejects: from then on the router's catalog answers as this one. */
  use(): void | Promise<void>;
}

interface OpenRouterOptions {
  /** What is known of models. Default: a catalog of these settings, with the prices of now. */
  readonly catalog?: RouterCatalog;
  /** Factor by which a model's answers are longer than profiled. Default: 1 for every model. */
  readonly lengthRatioOf?: LengthRatioOf | undefined;
}

export type OpenRouter = (settings: RouterSettings, options?: OpenRouterOptions) => Promise<OpenedRouter>;

/**
 * Loads the embedder and the profile sets and makes a router of them.
 *
 * @throws ProfileSetError and the errors of `openEmbedder`, which name the file and the remedy
 */
export const openRouterFromSettings: OpenRouter = async (settings, options = {}) => {
  const catalog = options.catalog ?? openCatalog(settings, { at: new Date(), now: Date.now });
  const embedder = await openEmbedder(settings.embedder ?? SHIPPED_EMBEDDER, {
    cacheDir: join(settings.dataDir, "models"),
  });
  try {
    return await openSets(settings, { ...options, embedder, catalog });
  } catch (error) {
    await embedder.close();
    throw error;
  }
};

interface OpenSetsSources extends OpenRouterOptions {
  readonly embedder: Embedder;
  readonly catalog: RouterCatalog;
}

async function openSets(
  settings: Pick<RouterSettings, "profiles">,
  { embedder, catalog, lengthRatioOf }: OpenSetsSources,
): Promise<OpenedRouter> {
  let loaded = await loadSets(settings, { embedder, catalog });
  const router = createRouter({
    embedder,
    sets: loaded.sets,
    lookup: catalog.lookup,
    availability: catalog,
    lengthRatioOf,
    clock: () => performance.now(),
    runSteps: runCooperatively,
  });
  return {
    router,
    embedder,
    notes: loaded.notes,
    profileFilesVersion: () => loaded.filesVersion,
    setsInUse: () => loaded.inUse,
    async reloadProfiles(other) {
      const next = await loadSets(settings, { embedder, catalog: other?.catalog ?? catalog });
      await other?.use();
      await router.replaceSets(next.sets);
      loaded = next;
      return {
        version: router.profileVersion,
        count: router.profiles().length,
        notes: next.notes,
      };
    },
  };
}

/** Which models of a set are loaded: those that somebody runs. */
export const candidatesOf =
  (catalog: Pick<Catalog, "isServed" | "unavailability">): NonNullable<LoadOptions["includes"]> =>
  (model, { candidates }) =>
    candidates === "served" ? catalog.isServed(model) : catalog.unavailability(model) === null;

async function loadSets(
  { profiles }: Pick<RouterSettings, "profiles">,
  { embedder, catalog }: { readonly embedder: Embedder; readonly catalog: RouterCatalog },
) {
  const standIns = catalog.profilesLent();
  const isCandidate = candidatesOf(catalog);
  const options: LoadOptions = {
    embedder,
    includes: (model, set) => standIns.has(model) || isCandidate(model, set),
  };
  const loaded = (await allInOrder(profiles.map((folder) => loadProfileSets(folder, options)))).flat();
  return {
    sets: loaded.map(({ set }) => set),
    inUse: loaded.map((each): SetInUse => {
      const { name, version, models } = each.set;
      const recommended = recommendedWeightOf(each);
      return { name, version, folder: each.folder, models, recommended, embedder: identityOf(embedder) };
    }),
    notes: loaded.flatMap(({ notes }) => notes),
    filesVersion: loaded.map(({ set, filesVersion }) => `${set.name}@${filesVersion}`).join("+"),
  };
}

const identityOf = ({ id, fingerprint, difficulty }: Embedder): SetInUse["embedder"] => ({
  id,
  fingerprint,
  ...(difficulty === undefined ? {} : { difficulty: { fingerprint: difficulty.fingerprint } }),
});
