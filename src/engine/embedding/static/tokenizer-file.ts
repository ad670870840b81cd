/** Reads and checks a Hugging Face `tokenizer.json`: only what our WordPiece reproduces exactly is accepted. */

import { z } from "zod";
import { PARSE_ONCE } from "../../../foundation/parse-once.js";
import { EmbedderLoadError } from "../load-error.js";
import type { NormalizerSettings } from "./characters.js";

export const CONTINUING_PREFIX = "##";

/** A token that is found in the raw text before anything else, such as `[MASK]`. */
export interface AddedToken {
  readonly content: string;
  readonly id: number;
}

export interface TokenizerSettings {
  readonly normalizer: NormalizerSettings;
  readonly addedTokens: readonly AddedToken[];
  /** A piece that continues a word begins with `CONTINUING_PREFIX`. None is empty. */
  readonly pieces: readonly string[];
  /** Ids of `pieces`, in the same order; integers from 0. */
  readonly ids: readonly number[];
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
  const { rest, pieces, ids } = readVocabulary(json, path);
  const content = parseJson(rest, path);
  const parsed = tokenizerFile.safeParse(content, PARSE_ONCE);
  if (!parsed.success) throw unsupported(parsed.error, content, path);
  const { normalizer, model, added_tokens } = parsed.data;
  if (ids.length === 0) throw new EmbedderLoadError(`${path}: model.vocab is empty`);
  const unknownId = ids[pieces.indexOf(model.unk_token)];
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
    ids,
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

/** A quote within a string is escaped, so that this is the key of an object. */
const VOCABULARY = /"vocab"\s*:\s*\{(?:\s*\})?/;
/** A piece, its id, and what follows them. */
const ENTRY = /\s*"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*([^,}]*?)\s*([,}])/y;

interface Vocabulary {
  readonly pieces: readonly string[];
  readonly ids: readonly number[];
  /** The file with an empty vocabulary. */
  readonly rest: string;
}

/** An object of 32,000 keys takes twice as long to parse, and as long again to list. Without a vocabulary, all of the file is left. */
function readVocabulary(json: string, path: string): Vocabulary {
  const key = VOCABULARY.exec(json);
  const [pieces, ids]: [string[], number[]] = [[], []];
  if (key === null || key[0].endsWith("}")) return { pieces, ids, rest: json };
  const start = key.index + key[0].length;
  ENTRY.lastIndex = start;
  for (let last = ","; last === ","; ) {
    const [, quoted = "", value = "", next] = ENTRY.exec(json) ?? [];
    if (next === undefined)
      throw new EmbedderLoadError(`${path} is not JSON: model.vocab is damaged or cut short`);
    const piece = quoted.includes("\\") ? (parseJson(`"${quoted}"`, path) as string) : quoted;
    const id = Number(value);
    if (piece === "") throw new EmbedderLoadError(`${path}: model.vocab holds an empty piece`);
    if (value === "" || !isId(id))
      throw new EmbedderLoadError(
        `${path}: model.vocab[${JSON.stringify(piece)}] is ${value}; ids are integers from 0`,
      );
    pieces.push(piece);
    ids.push(id);
    last = next;
  }
  return { pieces, ids, rest: `${json.slice(0, start)}}${json.slice(ENTRY.lastIndex)}` };
}

const isId = (id: number): boolean => Number.isInteger(id) && id >= 0 && id < 2 ** 31;

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

function valueAt(content: unknown, path: readonly PropertyKey[]): unknown {
  let value = content;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
