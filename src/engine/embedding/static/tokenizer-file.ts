/** Reads and checks a Hugging Face `tokenizer.json`: only what our WordPiece reproduces exactly is accepted. */

import { z } from "zod";
import { PARSE_ONCE } from "../../../foundation/parse-once.js";
import { valueAt } from "../../../foundation/value-path.js";
import { EmbedderLoadError } from "../load-error.js";
import type { NormalizerSettings } from "./characters.js";
import { idOfPiece, type Pieces, readVocabulary } from "./vocabulary.js";

export const CONTINUING_PREFIX = "##";

/** A token that is found in the raw text before anything else, such as `[MASK]`. */
export interface AddedToken {
  readonly content: string;
  readonly id: number;
}

export interface TokenizerSettings {
  readonly normalizer: NormalizerSettings;
  readonly addedTokens: readonly AddedToken[];
  /** One that continues a word begins with `CONTINUING_PREFIX`. */
  readonly pieces: Pieces;
  readonly unknownId: number;
  /** A word of more code points is unknown as a whole. */
  readonly maxWordCharacters: number;
}

const addedToken = z.object({
  id: z.int().min(0),
  content: z.string().min(1),
  single_word: z.literal(false).default(false),
  lstrip: z.literal(false).default(false),
  rstrip: z.literal(false).default(false),
  normalized: z.literal(false),
});

const tokenizerFile = z.object({
  truncation: z.null().optional(),
  padding: z.null().optional(),
  added_tokens: z.array(addedToken).default([]),
  normalizer: z.object({
    type: z.literal("BertNormalizer"),
    clean_text: z.literal(true),
    handle_chinese_chars: z.boolean(),
    strip_accents: z.boolean().nullish(),
    lowercase: z.boolean(),
  }),
  pre_tokenizer: z.object({ type: z.literal("BertPreTokenizer") }),
  post_processor: z.null().optional(),
  model: z.object({
    type: z.literal("WordPiece"),
    unk_token: z.string(),
    continuing_subword_prefix: z.literal(CONTINUING_PREFIX).default(CONTINUING_PREFIX),
    max_input_chars_per_word: z.int().min(1).max(10_000).default(100),
    vocab: z.custom<Record<string, unknown>>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      "an object of piece → id",
    ),
  }),
});

/**
 * @param json the text of the file
 * @param path used in messages only
 * @throws EmbedderLoadError naming file, field, the value found and what is supported
 */
export function parseTokenizerFile(json: string, path: string): TokenizerSettings {
  const { rest, pieces } = readVocabulary(json, path);
  const content = parseJson(rest, path);
  const parsed = tokenizerFile.safeParse(content, PARSE_ONCE);
  if (!parsed.success) throw unsupported(parsed.error, content, path);
  const { normalizer, model, added_tokens } = parsed.data;
  if (pieces.ids.length === 0) throw new EmbedderLoadError(`${path}: model.vocab is empty`);
  const unknownId = idOfPiece(pieces, model.unk_token);
  if (unknownId === undefined) {
    throw new EmbedderLoadError(
      `${path}: model.unk_token is "${model.unk_token}", which is not in model.vocab`,
    );
  }
  return {
    normalizer: {
      handleChineseChars: normalizer.handle_chinese_chars,
      stripAccents: normalizer.strip_accents ?? normalizer.lowercase,
      lowercase: normalizer.lowercase,
    },
    addedTokens: added_tokens.map(({ content: text, id }) => ({ content: text, id })),
    pieces,
    unknownId,
    maxWordCharacters: model.max_input_chars_per_word,
  };
}

function parseJson(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new EmbedderLoadError(`${path} is not JSON: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

function unsupported(error: z.ZodError, content: unknown, path: string): EmbedderLoadError {
  const [issue] = error.issues;
  if (issue === undefined) return new EmbedderLoadError(`${path} is not a tokenizer file`);
  const field = z.core.toDotPath(issue.path) || "the file";
  const found = JSON.stringify(valueAt(content, issue.path)) ?? "missing";
  const shown = found.length > 120 ? `${found.slice(0, 120)}…` : found;
  return new EmbedderLoadError(
    `${path}: ${field} is ${shown} (${issue.message}); supported: model WordPiece, normalizer BertNormalizer with ` +
      "clean_text, pre_tokenizer BertPreTokenizer, no post_processor, truncation or padding, added tokens with " +
      "normalized, single_word, lstrip and rstrip false. Any other tokenizer works through the transformers embedder",
  );
}
