/** Texts that break tokenizers and embedders, for properties. */
import fc from "fast-check";

const RANGES: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  ascii: [[0x20, 0x7e]],
  code: [
    [0x09, 0x0d],
    [0x20, 0x40],
    [0x5b, 0x7e],
  ],
  latin: [
    [0x41, 0x5a],
    [0xa0, 0x24f],
    [0x1e00, 0x1eff],
    [0x300, 0x30f],
  ],
  greek: [
    [0x370, 0x3ff],
    [0x1f00, 0x1fff],
  ],
  cyrillic: [[0x400, 0x52f]],
  arabic: [
    [0x600, 0x6ff],
    [0xfb50, 0xfdff],
  ],
  hebrew: [
    [0x590, 0x5f4],
    [0xfb1d, 0xfb4f],
  ],
  thai: [[0xe00, 0xe5b]],
  devanagari: [[0x900, 0x97f]],
  hangul: [
    [0xac00, 0xd7a3],
    [0x1100, 0x11ff],
  ],
  kana: [[0x3040, 0x30ff]],
  cjk: [
    [0x4e00, 0x9fff],
    [0x3400, 0x4dbf],
    [0xf900, 0xfaff],
    [0x3000, 0x303f],
    [0xff00, 0xffef],
  ],
  "supplementary cjk": [
    [0x20000, 0x2a6df],
    [0x2b81e, 0x2b925],
    [0x2f800, 0x2fa1f],
  ],
  emoji: [
    [0x1f300, 0x1faff],
    [0x200d, 0x200d],
    [0xfe0f, 0xfe0f],
    [0x1f1e6, 0x1f1ff],
    [0x2600, 0x27bf],
  ],
  control: [
    [0x00, 0x20],
    [0x7f, 0xa0],
    [0x2000, 0x206f],
    [0xfff0, 0xffff],
  ],
  mathematics: [
    [0x2200, 0x22ff],
    [0x1d400, 0x1d7ff],
  ],
  any: [
    [0x00, 0xd7ff],
    [0xe000, 0x10ffff],
  ],
};

export const SCRIPTS = Object.keys(RANGES);

const character = ([first, last]: readonly [number, number]) =>
  fc.integer({ min: first, max: last }).map((codePoint) => String.fromCodePoint(codePoint));

/** Text of one script with spaces and some ASCII in between. */
export function textOf(script: string): fc.Arbitrary<string> {
  const own = fc.oneof(...(RANGES[script] ?? []).map(character));
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
