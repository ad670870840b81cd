import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { openStaticEmbedder } from "../../src/engine/embedding/static/static-embedder.js";
import { parseTokenizerFile } from "../../src/engine/embedding/static/tokenizer-file.js";
import { WordPieceTokenizer } from "../../src/engine/embedding/static/wordpiece.js";
import { makePrompt, seededRandom } from "./prompts.js";

const MODEL_FOLDER = join("models", "sextant-static-v1");
/** Prompts of each length: enough to prevent branch prediction from learning them. */
const PROMPTS = 64;

/** What the timed cases need: opened once for all of them. */
export interface Dependencies {
  readonly embedder: Embedder;
  readonly tokenizer: WordPieceTokenizer;
  /** By length in tokens. */
  readonly prompts: ReadonlyMap<number, readonly string[]>;
}

export async function openDependencies(lengths: readonly number[]): Promise<Dependencies> {
  const tokenizerPath = join(MODEL_FOLDER, "tokenizer.json");
  const tokenizer = new WordPieceTokenizer(
    parseTokenizerFile(await readFile(tokenizerPath, "utf8"), tokenizerPath),
  );
  return {
    embedder: await openStaticEmbedder(MODEL_FOLDER),
    tokenizer,
    prompts: new Map(lengths.map((tokens) => [tokens, promptsOf(tokens, tokenizer)])),
  };
}

/** Prompts of exactly `tokens` tokens. */
function promptsOf(tokens: number, tokenizer: WordPieceTokenizer): string[] {
  const random = seededRandom(tokens);
  const ids = new Int32Array(tokens + 1);
  return Array.from({ length: PROMPTS }, (_, topic) => {
    for (;;) {
      const words = makePrompt(topic, tokens, random).split(" ");
      while (tokenizer.encode(words.join(" "), ids) > tokens) words.pop();
      if (tokenizer.encode(words.join(" "), ids) === tokens) return words.join(" ");
    }
  });
}
