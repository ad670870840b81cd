/** Builds a profile set, with what the catalog knows of its models. */
import { z } from "zod";
import { createCatalog } from "../engine/catalog/catalog.js";
import { describeModel } from "../engine/catalog/describe-model.js";
import { catalogId } from "../engine/catalog/models/dataset-names.js";
import { servedModels } from "../engine/catalog/served-models.js";
import type { Embedder } from "../engine/embedding/embedder.js";
import { gatherEvidence } from "../engine/estimation/evidence.js";
import { type ConversationMessage, routingText } from "../engine/router/routing-text.js";
import { messagesSchema } from "../gateway/api/messages.js";
import { type BuiltSet, buildFromOutcomes } from "../workbench/fitting/build-from-outcomes.js";
import type { IndexToBuild } from "../workbench/fitting/build-profile-set.js";
import type { OutcomeSource } from "../workbench/fitting/collect.js";

export interface SetToBuild {
  readonly name: string;
  readonly sources: readonly OutcomeSource[];
  /** Files of published scores. */
  readonly scores: readonly string[];
  /** `served`: models that nobody is known to run are no candidates. */
  readonly candidates?: "all" | "served" | undefined;
  /** Files or folders of prompts that the cost weight is calibrated on. */
  readonly traffic?: readonly string[] | undefined;
}

export interface BuildSetOptions {
  /** Replaced when it is there. */
  readonly folder: string;
  readonly embedder: Embedder;
  readonly seed: number;
  /** ISO 8601. */
  readonly builtAt: string;
  /** The fastest kind for the number of anchors when absent. */
  readonly index?: IndexToBuild | undefined;
  /** Models keep the names of the outcome files instead of their catalog ids. */
  readonly keepNames: boolean;
  readonly signal?: AbortSignal | undefined;
  /** `total` is 0 while it is unknown. */
  readonly onProgress?: ((step: string, done: number, total: number) => void) | undefined;
  /** Called with a sentence for the user. */
  readonly onNote?: ((note: string) => void) | undefined;
}

/** @throws OutcomeDataError at the first fault of the files */
export function buildSetFromOutcomes(
  { name, sources, scores, candidates, traffic }: SetToBuild,
  { keepNames, signal, onProgress, onNote, ...options }: BuildSetOptions,
): Promise<BuiltSet> {
  const at = new Date(options.builtAt);
  const catalog = createCatalog({ providers: [], deployments: [], prices: {} }, { at });
  return buildFromOutcomes(sources, {
    ...options,
    ...{ name, scores, candidates, traffic, textOfMessages, gather: gatherEvidence },
    alsoPlace: candidates === "served" ? servedModels(catalog) : [],
    describe: (model) => describeModel(model, catalog.lookup),
    rename: (model, { effort, modelSource }) =>
      keepNames ? model : catalogId(model, effort, { sourceName: modelSource }),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(onNote === undefined ? {} : { onNote }),
  });
}

const chat = messagesSchema(Number.MAX_SAFE_INTEGER);

/** The text a chat is routed by, so that profiles and requests are embedded alike. */
export function textOfMessages(messages: readonly unknown[]): string {
  const parsed = chat.safeParse(messages);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error).replaceAll("\n", " "));
  return routingText(parsed.data as readonly ConversationMessage[]);
}
