import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTokenizerFile } from "../../../src/engine/embedding/static/tokenizer-file.js";
import type { Pieces } from "../../../src/engine/embedding/static/vocabulary.js";
import { WordPieceTokenizer } from "../../../src/engine/embedding/static/wordpiece.js";
import { anyText, brokenText, SCRIPTS, textOf } from "./texts.js";
import { SHIPPED_MODEL, tinyTokenizer } from "./tiny-model.js";

const LIMIT = 100_000;
const RUNS = 60;

function ours(file: object, limit = LIMIT, frequentWords = 0): (text: string) => number[] {
  const settings = parseTokenizerFile(JSON.stringify(file), "tokenizer.json");
  const tokenizer = new WordPieceTokenizer(settings, { frequentWords });
  const ids = new Int32Array(limit);
  return (text) => Array.from(ids.subarray(0, tokenizer.encode(text, ids)));
}

/**
 * The library in JavaScript, put right in the two places where it differs from the original in Rust: it overlooks
 * Chinese characters beyond the basic plane, and it lowercases a final sigma by context.
 */
function libraryOf(file: Record<string, unknown>): (text: string) => number[] {
  const library = new Tokenizer(file, {});
  const { lowercase } = file.normalizer as { lowercase: boolean };
  return (text) => {
    const spaced = text.replace(SUPPLEMENTARY_CHINESE, " $& ");
    const prepared = lowercase ? spaced.replaceAll("Σ", "σ") : spaced;
    return library.encode(prepared, { add_special_tokens: false }).ids;
  };
}
const SUPPLEMENTARY_CHINESE =
  /[\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;

function withNormalizer(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const file = tinyTokenizer();
  return { ...file, normalizer: { ...(file.normalizer as object), ...settings } };
}

describe("The WordPiece tokenizer gives the ids of the transformers library", () => {
  const library = libraryOf(tinyTokenizer());
  const tokenizer = ours(tinyTokenizer());
  const piece = fc.constantFrom("the", "jump", "ing", "ed", "s", "привет", "та", "ß", "q", "#", "", "·");
  const word = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  // The limit of a known word is 20 characters.
  const long = fc
    .tuple(fc.constantFrom("a", "é", "😀", "한", "e\u0301"), fc.integer({ min: 18, max: 22 }))
    .map(([letter, times]) => letter.repeat(times));
  const marks = ["[MASK]", "[PAD]", "[UNK]", "[CLS", "[", "]", "a", " ", "[mask]", "\u0301", "é"];
  const texts: Readonly<Record<string, fc.Arbitrary<string>>> = {
    "lone surrogates": brokenText,
    "words composed of pieces of the vocabulary": fc.array(word).map((words) => words.join(" ")),
    "words around the length limit of a known word": fc.array(long).map((words) => words.join(" ")),
    "special tokens": fc.array(fc.constantFrom(...marks)).map((parts) => parts.join("")),
    ...Object.fromEntries(SCRIPTS.map((script) => [`letters of ${script}`, textOf(script)])),
  };

  it.each(Object.entries(texts))("for text with %s", (_, text) => {
    fc.assert(
      fc.property(text, (value) => {
        expect(tokenizer(value)).toEqual(library(value));
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    { lowercase: false },
    { lowercase: false, strip_accents: true },
    { strip_accents: false },
    { handle_chinese_chars: false },
  ])("with the normalizer settings %o", (settings) => {
    const file = withNormalizer(settings);
    const [own, theirs] = [ours(file), libraryOf(file)];
    const chinese = settings.handle_chinese_chars === false;
    const script = fc.constantFrom(...SCRIPTS.filter((name) => !chinese || name !== "supplementary cjk"));
    const text = script.chain(textOf).filter((value) => !chinese || value.search(SUPPLEMENTARY_CHINESE) < 0);
    fc.assert(
      fc.property(text, (value) => {
        expect(own(value)).toEqual(theirs(value));
      }),
      { numRuns: RUNS },
    );
  });
});

it("The WordPiece tokenizer with the shipped model gives the ids of the transformers library", () => {
  const file = JSON.parse(readFileSync(join(SHIPPED_MODEL, "tokenizer.json"), "utf8"));
  const [tokenizer, library] = [ours(file), libraryOf(file)];
  fc.assert(
    fc.property(anyText, (text) => {
      expect(tokenizer(text)).toEqual(library(text));
    }),
    { numRuns: 300 },
  );
});

it("The WordPiece tokenizer follows the Rust original where the JavaScript library differs from it", () => {
  const { vocab } = tinyTokenizer().model as { vocab: Record<string, number> };
  const idsOf = (...pieces: string[]) => pieces.map((piece) => vocab[piece]);
  // Chinese characters beyond the basic plane are words, and a final sigma is lowercased like any other.
  expect(ours(tinyTokenizer())("a𠀀𠀀 ΩΣ")).toEqual(idsOf("a", "𠀀", "𠀀", "ω", "##σ"));
});

it("The token limit keeps the first ids, and stops reading there", () => {
  const all = ours(tinyTokenizer())("the quick brown foxes jump");
  expect(all.length).toBeGreaterThan(5);
  for (const limit of [0, 1, 4, all.length, 20])
    expect(ours(tinyTokenizer(), limit)("the quick brown foxes jump")).toEqual(all.slice(0, limit));
});

describe("With frequent words, a word that is no piece", () => {
  const { vocab } = tinyTokenizer().model as { vocab: Record<string, number> };
  const all = Object.keys(vocab).length;
  const spelt = ours(tinyTokenizer(), LIMIT, all);
  it.each([
    ["a letter left out", "fuction", "function"],
    ["a letter doubled", "wriite", "write"],
    ["neighbours swapped", "pytohn", "python"],
    ["the last two swapped", "bronw", "brown"],
    ["a letter exchanged, in capitals", "RETUTN", "return"],
    ["the last letter exchanged", "jumq", "jump"],
  ])("is taken for the word that it is but for %s", (_, word, other) => {
    expect(spelt(`the ${word}, dog`)).toEqual(["the", other, ",", "dog"].map((piece) => vocab[piece]));
  });

  it("stays as it is where its first letter differs, it is short, has other characters, or the word is not frequent", () => {
    const words = "xython foxx lsit2 привт pythonsss the";
    expect(spelt(words)).toEqual(ours(tinyTokenizer())(words));
    const few = ours(tinyTokenizer(), LIMIT, vocab.python as number);
    expect(few("pytohn")).toEqual(ours(tinyTokenizer())("pytohn"));
  });

  it("does so whatever the text, and never otherwise changes what is a piece", () => {
    const word = fc.constantFrom(...Object.keys(vocab).filter((piece) => /^[a-z]{2,}$/.test(piece)));
    fc.assert(
      fc.property(fc.array(word), anyText, (words, text) => {
        expect(spelt(words.join(" "))).toEqual(words.map((piece) => vocab[piece]));
        expect(Math.max(0, ...spelt(text))).toBeLessThan(all);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("A tokenizer file with unsupported settings is refused with file, field, value and what is supported:", () => {
  const EATING = { id: 0, content: "[X]", normalized: false, lstrip: true };
  const inModel = (changes: object) => ({ model: { ...(tinyTokenizer().model as object), ...changes } });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["another model", inModel({ type: "BPE" }), /t\.json: model\.type is "BPE" .*supported: model WordPiece/],
    ["another normalizer", { normalizer: { type: "Lowercase" } }, /normalizer\.type is "Lowercase"/],
    ["no normalizer", { normalizer: null }, /normalizer is null/],
    ["text that is not cleaned", withNormalizer({ clean_text: false }), /normalizer\.clean_text is false/],
    ["another pre-tokenizer", { pre_tokenizer: { type: "ByteLevel" } }, /pre_tokenizer\.type is "ByteLevel"/],
    ["added special tokens", { post_processor: { type: "Template" } }, /post_processor is \{"type":"Temp/],
    ["another prefix", inModel({ continuing_subword_prefix: "@@" }), /continuing_subword_prefix is "@@"/],
    ["no vocabulary", inModel({ vocab: undefined }), /model\.vocab is missing/],
    ["an empty vocabulary", inModel({ vocab: {} }), /model\.vocab is empty/],
    ["an empty piece", inModel({ vocab: { "": 1, "[UNK]": 0 } }), /holds an empty piece/],
    ["an id that is no id", inModel({ vocab: { a: -1, "[UNK]": 0 } }), /model\.vocab\["a"\] is -1/],
    ["an unknown token outside", inModel({ unk_token: "<unk>" }), /unk_token is "<unk>", which is not in/],
    ["an added token that eats spaces", { added_tokens: [EATING] }, /added_tokens\[0\]\.lstrip is true/],
  ])("%s", (_name, overrides, message) => {
    expect(() => parseTokenizerFile(JSON.stringify(tinyTokenizer(overrides)), "t.json")).toThrow(message);
  });

  it("text that is not JSON, and a vocabulary that is cut short", () => {
    expect(() => parseTokenizerFile("{", "t.json")).toThrow(/^t\.json is not JSON/);
    const json = JSON.stringify(tinyTokenizer());
    const cut = json.slice(0, json.indexOf('"vocab"') + 30);
    expect(() => parseTokenizerFile(cut, "t.json")).toThrow(/^t\.json is not JSON: model\.vocab/);
  });
});

const entriesOf = ({ units, ends, ids }: Pieces) =>
  Array.from(ids, (id, at) => [String.fromCharCode(...units.subarray(ends[at - 1] ?? 0, ends[at])), id]);

describe("a vocabulary is read with quotes, escapes and any white space", () => {
  const vocab = { "[UNK]": 0, '"': 1, "\\": 2, '":': 3, "}": 4, ",": 5, "\u0301": 6, "##\\": 7 };
  const tokenizer = tinyTokenizer({ model: { ...(tinyTokenizer().model as object), vocab } });

  it.each([undefined, 2, "\t"])("indented by %j", (indent) => {
    const { pieces } = parseTokenizerFile(JSON.stringify(tokenizer, null, indent), "t.json");
    expect(Object.fromEntries(entriesOf(pieces))).toEqual(vocab);
  });

  it("escaped", () => {
    const json = JSON.stringify(tokenizer).replace('"}":4', '"\\u007d":4');
    expect(entriesOf(parseTokenizerFile(json, "t.json").pieces)).toEqual(Object.entries(vocab));
  });
});
