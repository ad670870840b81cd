import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  insertZeroWidth,
  spaceLetters,
  useFullWidth,
  useLookalikes,
} from "../../../bench/robustness/characters.js";
import { canonicalText } from "../../../src/engine/estimation/canonical-text.js";

const QUESTION = "How many bags of 6 apples can she fill? Explain each step.";

describe("The canonical form of a routing text", () => {
  it.each([
    ["zero-width spaces within words", insertZeroWidth(QUESTION)],
    ["letters of other scripts that look the same", useLookalikes(QUESTION)],
    ["thousands of line ends before and after", `${"\n".repeat(2000)}${QUESTION}${"\r\n".repeat(2000)}`],
    ["many spaces between words", QUESTION.replaceAll(" ", "          ")],
    ["upper case only, but for the letters", QUESTION.toUpperCase()],
    ["mathematical letters", QUESTION.replace("many", "𝐦𝐚𝐧𝐲")],
    ["piles of combining marks", QUESTION.replace(/[bcdfghj-np-tv-xz]/g, "$&\u0363\u0363\u0363")],
  ])("is the text itself for %s", (name, written) => {
    const expected = name.startsWith("upper") ? QUESTION.toLowerCase() : QUESTION;
    expect(canonicalText(written)).toBe(expected);
  });

  it("has ASCII letters and digits for full-width ones, and leaves full-width punctuation, as Chinese has it", () => {
    expect(canonicalText(useFullWidth("Solve 12"))).toBe("Solve 12");
    expect(canonicalText("解方程，求 ｘ！")).toBe("解方程，求 x！");
  });

  it("drops marks that no letter of a language has, and keeps those that one has", () => {
    expect(canonicalText("p\u0308l\u0308e\u0308i\u0308n")).toBe("plëïn");
    expect(canonicalText("o\u0308ffne die Tu\u0308r")).toBe("öffne die Tür");
  });

  it("has a repeated paragraph once, and repeated lines as often as they are", () => {
    expect(canonicalText([QUESTION, "Think.", QUESTION, QUESTION].join("\n\n"))).toBe(
      `${QUESTION}\n\nThink.`,
    );
    expect(canonicalText(`${QUESTION}\n\n\n\n\n${QUESTION}`)).toBe(QUESTION);
    expect(canonicalText("0 1\n0 1\n0 1")).toBe("0 1\n0 1\n0 1");
  });

  it("joins letters parted by spaces when most words are single letters", () => {
    expect(canonicalText(spaceLetters("Prove this theorem"))).toBe("Prove this theorem");
    expect(canonicalText("Is it a, b or c? I say b or a.")).toBe("Is it a, b or c? I say b or a.");
  });

  it("leaves requests in many languages as they are", () => {
    const requests = [
      "A farmer has 48 apples and puts them into bags of 6. How many bags does she fill?",
      "Wie groß ist die Wahrscheinlichkeit, mit zwei Würfeln zwei Sechsen zu würfeln?",
      "Un train part à 9 h 40 et arrive à 13 h 05. Combien de temps dure le trajet ?",
      "¿Qué le ocurre al volumen de un gas cuando su presión se duplica a temperatura constante?",
      "一列火车9:40出发，13:05到达。行程需要多长时间？",
    ];
    expect(requests.map(canonicalText)).toEqual(requests);
  });

  it.each([
    "Что такое инфляция? Что значит слово «VPN-сервис»?",
    "Find Δx for the αβ-plane, with ΔT = 5 µs, x² + ½ and ∫₀¹ f(x) dx…",
    "def f(x):\n    if x:\n        return  # two spaces\n\n\tpass",
    "नमस्ते, आप कैसे हैं? السَّلامُ عَلَيْكُم",
    "WHO and NATO met in the USA",
    "👩‍👩‍👧 family",
  ])("leaves %j as it is", (text) => {
    expect(canonicalText(text)).toBe(text);
  });

  it("keeps the ends of a text of a megabyte, and reads no more than they are", () => {
    const text = `${insertZeroWidth("First words")}${"x ".repeat(500_000)}${insertZeroWidth("last words")}`;
    const canonical = canonicalText(text);
    expect(canonical.startsWith("First wordsx x")).toBe(true);
    expect(canonical.endsWith("x last words")).toBe(true);
  });

  it("changes nothing a second time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const once = canonicalText(text);
        expect(canonicalText(once)).toBe(once);
      }),
      { numRuns: 40 },
    );
  });
});
