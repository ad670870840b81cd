import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askedPart } from "../../../src/engine/estimation/asked-part.js";

describe("The asked part of a prompt", () => {
  it("is the text outside quotations of at least twelve characters", () => {
    expect(askedPart("Fix 'she dont like it at all', please")).toBe("Fix  , please");
    expect(askedPart("Say “the shop is closed today” and „der Laden hat heute zu“ twice")).toBe(
      "Say   and   twice",
    );
    expect(askedPart("翻译成英文：「今天会议推迟到下午三点，请通知」")).toBe("翻译成英文： ");
    expect(askedPart("What does 'asap' mean?")).toBe("What does 'asap' mean?");
  });

  it("continues over an apostrophe, which neither begins nor ends a quotation", () => {
    expect(askedPart("I don't know what it's called, doesn't matter")).toBe(
      "I don't know what it's called, doesn't matter",
    );
    expect(askedPart("Fix: 'I dont know, it's the wrong way' now")).toBe("Fix:   now");
  });

  it("omits fenced text, across lines and paragraphs", () => {
    expect(askedPart('Shorten:\n"""\none\n\ntwo\n"""')).toBe("Shorten:\n ".trimEnd());
    expect(askedPart("Why?\n```js\nlet a\n\nlet b\n```\nIs it slow?")).toBe("Why?");
  });

  it("is the shorter one of the first and the last paragraph", () => {
    const material = "a line of a log\nand another one";
    expect(askedPart(`Count them.\n\n${material}`)).toBe("Count them.");
    expect(askedPart(`${material}\n \t\n${material}\n\nCount them.\n`)).toBe("Count them.");
  });

  it("is the whole prompt when nothing is left outside quotations", () => {
    expect(askedPart("'Good morning to all of you'")).toBe("'Good morning to all of you'");
    expect(askedPart("")).toBe("");
  });

  it("is never longer than the prompt, for any input", () => {
    const marks = fc.string({ unit: fc.constantFrom(..."'\"`“”„«» \nab."), maxLength: 200 });
    fc.assert(fc.property(marks, (text) => askedPart(text).length <= text.length));
  });
});
