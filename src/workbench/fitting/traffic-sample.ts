import type { Embedder } from "../../engine/embedding/embedder.js";
import { allocateAnchorVectors, quantiseRow, readPromptTexts } from "../../engine/index.js";
import { encodeSections } from "../../foundation/section-file.js";
import { findDataFiles } from "../outcomes/find-files.js";
import { type PromptFileOptions, readPrompts } from "../outcomes/read-prompts.js";

/** Prompts of the sample at most, evenly spaced; the cost weight is calibrated on them at every start. */
const MOST_PROMPTS = 1024;
/** Bytes of UTF-8 per token; the figure the router prices prompts by. */
const BYTES_PER_TOKEN = 4;

export interface TrafficOptions extends PromptFileOptions {
  /** Files or folders of prompts like those that the set will decide on. */
  readonly files: readonly string[];
  readonly embedder: Embedder;
}

/**
 * The content of `traffic.bin`: what a decision reads of some prompts, without their texts.
 *
 * @throws OutcomeDataError as `readPrompts`
 */
export async function sampleTraffic({ files, embedder, ...options }: TrafficOptions): Promise<Uint8Array> {
  const texts: string[] = [];
  for (const file of await findDataFiles(files, "prompts"))
    for await (const { text } of readPrompts(file, options)) texts.push(text);
  const count = Math.min(texts.length, MOST_PROMPTS);
  const sample = Array.from(
    { length: count },
    (_, at) => texts[Math.floor((at * texts.length) / count)] as string,
  );
  const vectors = allocateAnchorVectors(count, embedder.dimensions);
  const column = () => new Float32Array(count).fill(Number.NaN);
  const sections = { prompt_tokens: column(), difficulty: column(), answer_tokens: column() };
  const { signal } = options;
  const readings = await readPromptTexts(embedder, sample, { signal });
  for (const [at, { text, vector, facts }] of readings.entries()) {
    const { difficulty = Number.NaN, answerTokens = Number.NaN } = facts;
    quantiseRow(vectors, at, vector);
    sections.prompt_tokens[at] = Buffer.byteLength(text) / BYTES_PER_TOKEN;
    sections.difficulty[at] = difficulty;
    sections.answer_tokens[at] = answerTokens;
  }
  const { codes, scales } = vectors;
  return encodeSections({ facts: {}, sections: { codes, scales, ...sections } });
}
