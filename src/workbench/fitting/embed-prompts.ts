import { createHash } from "node:crypto";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { allocateAnchorVectors, isMultipleChoice, quantiseRow, readPromptTexts } from "../../engine/index.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import { findDataFiles } from "../outcomes/find-files.js";
import { OutcomeDataError } from "../outcomes/outcome-data-error.js";
import { type PromptFileOptions, readPrompts } from "../outcomes/read-prompts.js";
import type { OutcomeSource } from "./collect.js";
import { type EmbeddingCheckpoint, openEmbeddingCheckpoint } from "./embedding-checkpoint.js";

export interface PromptsToEmbed {
  readonly sources: readonly OutcomeSource[];
  /** `source:id` of the prompts that are anchors, in reading order, as `collectOutcomes` gives them. */
  readonly promptIds: readonly string[];
  readonly embedder: Embedder;
}

export interface EmbedPromptsOptions extends PromptFileOptions {
  /** The checkpoint from which an interrupted run resumes; see `openEmbeddingCheckpoint`. */
  readonly checkpointFile: string;
  /** A multiple of `BATCH`. */
  readonly promptsPerCheckpoint?: number;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Called with a sentence for the user when work is resumed or an old checkpoint is discarded. */
  readonly onNote?: ((note: string) => void) | undefined;
}

const BATCH = 256;
/** A few seconds of work (guess). */
const PROMPTS_PER_CHECKPOINT = 64 * BATCH;

/**
 * Embeds the anchors' prompts into 8-bit codes, with one batch of texts in memory at a time. Batches begin at the same
 * prompts whether or not the run was interrupted, so that the result is the same to the byte. The checkpoint is kept: remove it when
 * the profile set is complete.
 *
 * @throws OutcomeDataError when the files changed since they were collected, and as `readPrompts` does
 */
export async function embedPrompts(
  input: PromptsToEmbed,
  options: EmbedPromptsOptions,
): Promise<EmbeddedPrompts> {
  const { promptsPerCheckpoint = PROMPTS_PER_CHECKPOINT } = options;
  const total = input.promptIds.length;
  const vectors = allocateAnchorVectors(total, input.embedder.dimensions);
  const { difficulty, answerLength } = input.embedder;
  const tiers = difficulty === undefined ? undefined : new Float32Array(total);
  const answerTokens = answerLength === undefined ? undefined : new Float32Array(total);
  const checkpoint = await openEmbeddingCheckpoint(options.checkpointFile, {
    fingerprint: await fingerprintOf(input, options),
    columns: [vectors.codes, vectors.scales, tiers, answerTokens].flatMap((values) =>
      values === undefined ? [] : [columnOf(values, total)],
    ),
  });
  reportCheckpoint(checkpoint, { total, options });
  let done = checkpoint.resumedAt;
  options.onProgress?.(done, total);
  for await (const texts of batchesFrom(done, input, options)) {
    options.signal?.throwIfAborted();
    const signal = options.signal === undefined ? {} : { signal: options.signal };
    for (const { text, vector, facts } of await readPromptTexts(input.embedder, texts, signal)) {
      quantiseRow(vectors, done, vector);
      if (tiers !== undefined) tiers[done] = facts.difficulty ?? Number.NaN;
      if (answerTokens !== undefined)
        answerTokens[done] = isMultipleChoice(text) ? Number.NaN : (facts.answerTokens ?? Number.NaN);
      done += 1;
    }
    if (done % promptsPerCheckpoint === 0 || done === total) await checkpoint.save(done);
    options.onProgress?.(done, total);
  }
  return { vectors, tiers, answerTokens };
}

export interface EmbeddedPrompts {
  readonly vectors: AnchorVectors;
  /** Difficulty of each prompt in tiers from 0 to 4; undefined without a difficulty model. */
  readonly tiers: Float32Array | undefined;
  /** Mean visible tokens of answers by the text of each prompt, NaN for multiple choice; undefined without a model of answer lengths. */
  readonly answerTokens: Float32Array | undefined;
}

const columnOf = ({ buffer, byteOffset, byteLength }: Int8Array | Float32Array, prompts: number) => ({
  bytes: new Uint8Array(buffer, byteOffset, byteLength),
  bytesPerPrompt: byteLength / prompts,
});

function reportCheckpoint(
  checkpoint: EmbeddingCheckpoint,
  { total, options }: { readonly total: number; readonly options: EmbedPromptsOptions },
): void {
  if (checkpoint.resumedAt === total) {
    options.onNote?.(`All ${total} prompts were embedded before.`);
  } else if (checkpoint.resumedAt > 0) {
    options.onNote?.(`Going on after ${checkpoint.resumedAt} of ${total} prompts that were embedded before.`);
  } else if (checkpoint.replaced) {
    options.onNote?.("An unfinished build of other prompts or another embedder was found; starting anew.");
  }
}

/**
 * SHA-256 over everything that determines the vectors: the embedder, and the ids and texts of the anchors in order.
 *
 * @throws OutcomeDataError when an anchor's prompt is not in the files
 */
async function fingerprintOf(input: PromptsToEmbed, options: EmbedPromptsOptions): Promise<string> {
  const hash = createHash("sha256")
    .update(input.embedder.fingerprint)
    .update(input.embedder.difficulty?.fingerprint ?? "");
  for await (const { id, text } of anchorPrompts(input, options)) hash.update(JSON.stringify([id, text]));
  return hash.digest("hex");
}

/** Texts of the anchors from number `start` on, in batches. */
async function* batchesFrom(
  start: number,
  input: PromptsToEmbed,
  options: EmbedPromptsOptions,
): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  let anchor = 0;
  for await (const { text } of anchorPrompts(input, options)) {
    anchor += 1;
    if (anchor <= start) continue;
    batch.push(text);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The anchors' prompts in order; other prompts of the files are skipped. */
async function* anchorPrompts(
  { sources, promptIds }: PromptsToEmbed,
  options: PromptFileOptions,
): AsyncGenerator<{ readonly id: string; readonly text: string }> {
  let anchor = 0;
  for (const source of sources) {
    for (const file of await findDataFiles(source.prompts, "prompts")) {
      for await (const prompt of readPrompts(file, options)) {
        const id = `${source.name}:${prompt.id}`;
        if (id !== promptIds[anchor]) continue;
        yield { id, text: prompt.text };
        anchor += 1;
      }
    }
  }
  if (anchor === promptIds.length) return;
  const file = sources[0]?.prompts[0] ?? "prompts";
  throw new OutcomeDataError(
    { file },
    `the prompts changed since they were first read: "${promptIds[anchor]}" is gone`,
  );
}
