import { join } from "node:path";
import { z } from "zod";
import { type Catalog, openCatalog } from "../engine/catalog/catalog.js";
import { resolveProviders } from "../engine/catalog/deployments/provider-entries.js";
import type { Embedder } from "../engine/embedding/embedder.js";
import { openEmbedder } from "../engine/embedding/open-embedder.js";
import { type OpenRouter, openRouterFromSettings } from "../engine/open-router.js";
import { type LoadedSet, loadProfileSets } from "../engine/profiles/load.js";
import { EVERY_MODEL_AVAILABLE } from "../engine/router/live-models.js";
import type { Router } from "../engine/router/router.js";
import { type ConversationMessage, routingText } from "../engine/router/routing-text.js";
import { SHIPPED_EMBEDDER } from "../engine/shipped.js";
import { messagesSchema } from "../gateway/api/messages.js";
import { loadSettings, readEnvironment } from "../gateway/settings/load-settings.js";
import { type EvaluatedSweep, type EvaluateOptions, evaluate } from "../workbench/evaluation/evaluate.js";
import {
  type GradedFiles,
  type GradedPrompts,
  readGradedBySet,
} from "../workbench/evaluation/graded-prompts.js";
import { OptionError } from "../workbench/workbench-error.js";

/** Where the settings come from. */
export interface WorkbenchSettings {
  /** Folder of `.env`, of the settings file, and of relative paths in it. Default: that of the process. */
  readonly workingDirectory?: string;
  /** Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How a router is opened by them. Default: as by `openRouterFromSettings`. */
  readonly openRouter?: OpenRouter;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number;
}

/** One way to decide. */
export interface SetRouterOptions {
  /** Profile set, or a folder of several. Default: those of the settings. */
  readonly set?: string | undefined;
  /** Folder or hub id. Default: that of the settings. */
  readonly embedder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Held-out prompts with graded answers, in the canonical layout. */
export interface EvaluateSetOptions extends SetRouterOptions, GradedFiles {
  /** 0 to 1. Default: 0. */
  readonly costWeight?: number | undefined;
  /** What costs are of: a call, or the whole task of an agent that each prompt begins. Default: a call. */
  readonly per?: "call" | "task" | undefined;
  /** Evaluates prompts that the set was built with, too. Default: false. */
  readonly includeKnown?: boolean | undefined;
  /** Models graded on at most this share of the prompts are left out. Default: 0.9. */
  readonly minCoverage?: number | undefined;
  /** Of the bootstrap. Default: 0. */
  readonly seed?: number | undefined;
  /** Lists every candidate of each prompt in `decisions`. Default: false. */
  readonly candidates?: boolean | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const DEFAULT_COVERAGE = 0.9;

export interface Evaluated extends EvaluatedSweep {
  readonly graded: GradedPrompts;
}

/**
 * Decides held-out prompts by a set and compares the chosen models' answers with those of every model.
 *
 * @param opening.use is called with the open router, too, which is closed afterwards
 */
export async function decideGraded<Result>(
  options: EvaluateSetOptions & Pick<EvaluateOptions, "including" | "along">,
  {
    from,
    use,
  }: {
    readonly from: WorkbenchSettings;
    readonly use: (evaluated: Evaluated, router: Router) => Promise<Result>;
  },
): Promise<Result> {
  const { costWeight = 0, along, including, per, includeKnown, seed, candidates } = options;
  const { signal, onProgress } = options;
  return withRouter(options, {
    from,
    use: async (router, { lookup }) => {
      const { graded, leftOut } = await readGradedBySet(options, {
        models: router.profiles().map(({ model }) => model),
        minCoverage: options.minCoverage ?? DEFAULT_COVERAGE,
        textOfMessages,
        signal,
      });
      const sweep = await evaluate(router, graded, {
        costWeight,
        along,
        including,
        per,
        includeKnown,
        seed,
        candidates,
        signal,
        leftOut,
        onProgress,
        lookup: (model) => lookup(model),
      });
      return use({ ...sweep, graded }, router);
    },
  });
}

/** Opens the router of a set. @param options.use is called with it; it is closed afterwards */
export async function withRouter<Result>(
  way: SetRouterOptions,
  {
    from,
    use,
  }: {
    readonly from: WorkbenchSettings;
    readonly use: (router: Router, catalog: Catalog) => Promise<Result>;
  },
): Promise<Result> {
  const { settings, catalog } = settingsFor(way, from);
  const { router } = await (from.openRouter ?? openRouterFromSettings)(settings, {
    // What was graded, or what answered, may be retired by now.
    catalog: { ...catalog, isServed: () => true, ...EVERY_MODEL_AVAILABLE },
  });
  try {
    return await use(router, catalog);
  } finally {
    await router.close();
  }
}

/** Opens the embedder of the settings. @param options.use is called with it; it is closed afterwards */
export async function withEmbedder<Result>(
  way: Pick<SetRouterOptions, "embedder" | "signal">,
  {
    from,
    use,
  }: {
    readonly from: WorkbenchSettings;
    readonly use: (embedder: Embedder, catalog: Catalog) => Promise<Result>;
  },
): Promise<Result> {
  const embedder = await openNamedEmbedder(way, from);
  try {
    return await use(embedder, settingsFor(way, from).catalog);
  } finally {
    await embedder.close();
  }
}

/** Opens the embedder that is named, else that of the settings. */
export function openNamedEmbedder(
  { embedder, signal }: Pick<SetRouterOptions, "embedder" | "signal">,
  from: WorkbenchSettings,
): Promise<Embedder> {
  const { settings } = settingsFor({ embedder }, from);
  return openEmbedder(settings.embedder ?? SHIPPED_EMBEDDER, {
    cacheDir: join(settings.dataDir, "models"),
    signal,
  });
}

/** Reads one set. @throws WorkbenchError when the folder holds several, ProfileSetError */
export async function readSet(folder: string): Promise<LoadedSet> {
  const [loaded, ...more] = await loadProfileSets(folder, {
    index: "exact",
  });
  if (loaded === undefined || more.length > 0)
    throw new OptionError(`${folder} holds ${more.length + 1} profile sets; name one of its sub-folders`);
  return loaded;
}

/** ISO 8601, UTC. @param date default: now */
export const dateOf = (date: string | undefined, { now = Date.now }: WorkbenchSettings): string =>
  new Date(date ?? now()).toISOString();

export function settingsFor(
  { set, embedder }: SetRouterOptions,
  { workingDirectory = process.cwd(), environment = process.env, now = Date.now }: WorkbenchSettings,
) {
  const named = {
    ...environment,
    ...(set === undefined ? {} : { SEXTANT_PROFILES: set }),
    ...(embedder === undefined ? {} : { SEXTANT_EMBEDDER: embedder }),
  };
  const variables = readEnvironment(named, { workingDirectory });
  const settings = loadSettings(variables, { workingDirectory });
  const providers = resolveProviders(settings, variables);
  return { settings, catalog: openCatalog(settings, { at: new Date(now()), now, providers }) };
}

const chat = messagesSchema(Number.MAX_SAFE_INTEGER);

/** The text a chat is routed by, so that profiles and requests are embedded alike. */
export function textOfMessages(messages: readonly unknown[]): string {
  const parsed = chat.safeParse(messages);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error).replaceAll("\n", " "));
  return routingText(parsed.data as readonly ConversationMessage[]);
}
