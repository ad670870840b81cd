/** Texts that break tokenizers and embedders, for properties. */
import fc from "fast-check";

/** Ranges of code points. */
const RANGES = {
  ascii: "20-7e",
  code: "9-d 20-40 5b-7e",
  latin: "41-5a a0-24f 1e00-1eff 300-30f",
  greek: "370-3ff 1f00-1fff",
  cyrillic: "400-52f",
  arabic: "600-6ff fb50-fdff",
  hebrew: "590-5f4 fb1d-fb4f",
  thai: "e00-e5b",
  devanagari: "900-97f",
  hangul: "ac00-d7a3 1100-11ff",
  kana: "3040-30ff",
  cjk: "4e00-9fff 3400-4dbf f900-faff 3000-303f ff00-ffef",
  "supplementary cjk": "20000-2a6df 2b81e-2b925 2f800-2fa1f",
  emoji: "1f300-1faff 200d-200d fe0f-fe0f 1f1e6-1f1ff 2600-27bf",
  control: "0-20 7f-a0 2000-206f fff0-ffff",
  mathematics: "2200-22ff 1d400-1d7ff",
  any: "0-d7ff e000-10ffff",
};

type Script = keyof typeof RANGES;
export const SCRIPTS = Object.keys(RANGES) as readonly Script[];

function character(range: string): fc.Arbitrary<string> {
  const [min, max] = range.split("-").map((end) => Number.parseInt(end, 16)) as [number, number];
  return fc.integer({ min, max }).map((codePoint) => String.fromCodePoint(codePoint));
}

/** Text of one script with spaces and some ASCII in between. */
export function textOf(script: Script): fc.Arbitrary<string> {
  const own = fc.oneof(...RANGES[script].split(" ").map(character));
  const filler = fc.constantFrom(" ", "a", "B", "1", ".", "-", "\n");
  return fc
    .array(fc.oneof({ weight: 6, arbitrary: own }, { weight: 2, arbitrary: filler }))
    .map((all) => all.join(""));
}

/** Any sequence of UTF-16 units, lone surrogates among them. */
export const brokenText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })))
  .map((units) => String.fromCharCode(...units));

/** Any text at all. */
export const anyText = fc.oneof(...SCRIPTS.map(textOf), brokenText);

/** Texts that have broken something somewhere. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  "a space": " ",
  "white space": " \t\n\r\u00a0\u3000",
  NUL: "\0",
  "control characters": "\u0001\u0007\u001b[31m\u007f",
  "a lone lead surrogate": "\ud83d",
  "a lone trail surrogate": "\ude00 a",
  "emoji only": "😀🚀👩‍💻🇫🇷",
  "combining marks only": "\u0301\u0302",
  "zero-width characters": "\u200b\u200d\ufeff",
  "a replacement character": "\ufffd",
  CJK: "请用Python写一个快速排序算法",
  Arabic: "اكتب دالة لفرز قائمة",
  code: "const f = (x: number[]) => x.map((y) => y ** 2); // 100% `ok`",
  "one very long word": "a".repeat(5000),
  "special tokens": "[PAD] [CLS][SEP]",
  "a megabyte": "lorem ipsum dolor ".repeat(58_255),
};
