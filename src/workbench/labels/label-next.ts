import type { Embedder } from "../../engine/embedding/embedder.js";
import { catalogId, checkEmbedder, isScored, readPromptTexts } from "../../engine/index.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import type { ModelOutcomes } from "../fitting/outcome-table.js";
import { assignAnswers, type GivenAnswers, noAnswers } from "../placement/given-evidence.js";
import { openPlaceableSet, type PlaceableSet } from "../placement/placeable-set.js";
import { type EmbedTexts, withoutPromptsOf } from "../placement/prompts-of-the-set.js";
import { samplePrompts, type WorkbenchPrompt } from "../prompts/prompt.js";
import { WorkbenchError } from "../workbench-error.js";
import { type ChosenPrompts, choosePrompts } from "./choose-prompts.js";

export interface ChooseLabelsOptions {
  /** Folder of the profile set. */
  readonly set: string;
  /** The model to label: one of the set, or a new one. */
  readonly model: string;
  /** Prompts that may be labelled. */
  readonly pool: readonly WorkbenchPrompt[];
  /** How many to choose, at least 1. */
  readonly count: number;
  /** Files or folders of the model's graded answers so far, to prompts of the pool or of the set. */
  readonly outcomes?: readonly string[] | undefined;
  /** Default 0. */
  readonly seed?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface LabelNextReport extends Omit<ChosenPrompts, "chosen" | "graded"> {
  readonly set: string;
  readonly model: string;
  /** Prompts that could be chosen, without those that the model has a grade for. */
  readonly pool: number;
  /** Graded answers of the model that are known: of the set's profile and of `outcomes`. */
  readonly graded: number;
  /** The chosen prompts, in the order of the pool. */
  readonly prompts: readonly WorkbenchPrompt[];
}

export interface LabelNextDependencies {
  readonly embedder: Pick<Embedder, "id" | "fingerprint" | "embed">;
  /** The text that a chat is routed by. @throws Error for what is no chat */
  readonly textOfMessages: (messages: readonly unknown[]) => string;
}

/** Larger pools are sampled: the choice among more is no better, and embedding them takes minutes. */
const LARGEST_POOL = 20_000;
const PROMPTS_AT_ONCE = 64;

/**
 * Which prompts to label next for a model: a stratified random sample.
 *
 * @throws WorkbenchError, ProfileSetError, OutcomeDataError
 */
export async function labelNext(
  options: ChooseLabelsOptions,
  { embedder, textOfMessages }: LabelNextDependencies,
): Promise<LabelNextReport> {
  const { model, count, seed = 0, signal } = options;
  const set = await openPlaceableSet(options.set);
  checkEmbedder(set.folder, set.manifest, embedder);
  const embed = (texts: readonly string[], onBatch?: (done: number) => void) =>
    embedTexts(texts, { embedder, signal, onBatch });
  const texts = new Map(options.pool.map((prompt) => [prompt.id, routedText(prompt, textOfMessages)]));
  const given = await answersSoFar(set, { ...options, texts, embed });
  const ungraded = withoutGraded(options.pool, given);
  const candidates = samplePrompts(ungraded, { size: LARGEST_POOL, seed });
  const own = await embed(given.own.map(({ text }) => text));
  const vectors = await embed(
    candidates.map(({ id }) => texts.get(id) as string),
    (done) => options.onProgress?.(done, candidates.length),
  );
  const scored = given.own.map(({ score }, row) => ({ score, vector: own[row] as Float32Array }));
  const { chosen, graded, ...found } = choosePrompts(
    set,
    { model, outcomes: given.outcomes, own: scored },
    { pool: vectors, count, seed },
  );
  return {
    set: set.manifest.name,
    model,
    pool: candidates.length - graded,
    graded: given.outcomes.quality.length + given.own.length,
    prompts: chosen.map((position) => candidates[position] as WorkbenchPrompt),
    ...found,
  };
}

interface Answers extends GivenAnswers {
  /** Ids of prompts that the files grade. */
  readonly ids: ReadonlySet<string>;
}

interface PoolOptions extends ChooseLabelsOptions {
  /** Of the prompts of the pool, by their ids. */
  readonly texts: ReadonlyMap<string, string>;
  readonly embed: EmbedTexts;
}

/** The text that a prompt is routed by. @throws WorkbenchError naming the prompt whose messages are no chat */
function routedText(
  { id, prompt }: WorkbenchPrompt,
  textOfMessages: LabelNextDependencies["textOfMessages"],
): string {
  if (typeof prompt === "string") return prompt;
  try {
    return textOfMessages(prompt);
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message : String(cause);
    throw new WorkbenchError(`the prompt ${JSON.stringify(id)} is not a chat: ${fault}`, { cause });
  }
}

/** The graded answers of the set's profile of the model, and those of the files, which take precedence. */
async function answersSoFar(
  set: PlaceableSet,
  { model, outcomes = [], signal, texts, embed }: PoolOptions,
): Promise<Answers> {
  const profile = set.profiles.find((known) => known.profile.facts.model === model)?.profile;
  const ids = new Set<string>();
  const files =
    outcomes.length === 0
      ? noAnswers(model)
      : await assignAnswers(
          outcomes,
          { set, texts: await withoutPromptsOf(set, texts, embed), onRow: (id) => ids.add(id) },
          {
            model,
            rename: (name, { effort, modelSource }) => catalogId(name, effort, { sourceName: modelSource }),
            signal,
          },
        );
  return { ids, own: files.own, outcomes: joinOutcomes(profile, { set, added: files.outcomes }) };
}

function joinOutcomes(
  profile: ModelProfile | undefined,
  { set, added }: { readonly set: PlaceableSet; readonly added: ModelOutcomes },
): ModelOutcomes {
  const scores = new Map<number, number>();
  let entry = 0;
  for (let anchor = 0; profile !== undefined && anchor < set.manifest.anchors; anchor++)
    if (isScored(profile, anchor)) scores.set(anchor, (profile.quality[entry++] as number) / 255);
  added.anchors.forEach((anchor, row) => {
    scores.set(anchor, added.quality[row] as number);
  });
  const anchors = Uint32Array.from([...scores.keys()].sort((a, b) => a - b));
  const unknown = new Float32Array(anchors.length).fill(Number.NaN);
  return {
    model: added.model,
    originalNames: [added.model],
    anchors,
    quality: Float32Array.from(anchors, (anchor) => scores.get(anchor) as number),
    samples: new Uint16Array(anchors.length).fill(1),
    tokensOut: unknown,
    costUsd: unknown,
  };
}

function withoutGraded(
  pool: readonly WorkbenchPrompt[],
  { ids }: Pick<Answers, "ids">,
): readonly WorkbenchPrompt[] {
  const left = pool.filter(({ id }) => !ids.has(id));
  if (left.length > 0) return left;
  throw new WorkbenchError(`all ${pool.length} prompts of the pool are graded already; give more prompts`);
}

interface EmbedOptions {
  readonly embedder: Pick<Embedder, "embed">;
  readonly signal: AbortSignal | undefined;
  readonly onBatch: ((done: number) => void) | undefined;
}

async function embedTexts(
  texts: readonly string[],
  { embedder, signal, onBatch }: EmbedOptions,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += PROMPTS_AT_ONCE) {
    signal?.throwIfAborted();
    const batch = texts.slice(start, start + PROMPTS_AT_ONCE);
    const read = await readPromptTexts(embedder, batch, { signal });
    vectors.push(...read.map(({ vector }) => vector));
    onBatch?.(vectors.length);
  }
  return vectors;
}
