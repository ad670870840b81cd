import { describe, expect, it } from "vitest";
import { choiceGrader } from "../../../src/workbench/graders/choice.js";
import { exactGrader } from "../../../src/workbench/graders/exact.js";
import type { Grader } from "../../../src/workbench/graders/grader.js";
import { jsonSchemaGrader } from "../../../src/workbench/graders/json-schema.js";
import { judgeGrader } from "../../../src/workbench/graders/judge.js";
import { numberGrader } from "../../../src/workbench/graders/number.js";
import { regexGrader } from "../../../src/workbench/graders/regex.js";
import type { Reference } from "../../../src/workbench/prompts/prompt.js";

const NEVER = new AbortController().signal;

/** The grade of an answer. */
function gradeOf(grader: Grader, answer: string, reference: Reference = null) {
  if (grader.kind !== "local") throw new TypeError("a judge does not grade by itself");
  return grader.grade({ id: "p", model: "m", prompt: "Why?", answer, reference }, { signal: NEVER });
}

describe("The exact grader", () => {
  it.each([
    ["  paris.\n", "Paris", 1],
    ["**Paris**", "Paris", 1],
    ['"New   York"', "new york", 1],
    ["ＡＢＣ", "abc", 1],
    ["Paris, France", "Paris", 0],
    ["", "Paris", 0],
    ["C++", "C", 0],
    ["-5", "5", 0],
    ["UK", ["United Kingdom", "UK"], 1],
  ])("grades %j against %j: %d", (answer, reference, score) => {
    expect(gradeOf(exactGrader(), answer, reference)).toBe(score);
  });
});

describe("The number grader", () => {
  it.each([
    ["42", "42", 1],
    ["The answer is 42.", "42", 1],
    ["42 apples, of which 3 are green. The answer is 42, not 3", "42", 0],
    ["Answer: 42\nCheck: 42 - 1 = 41", "42", 1],
    ["#### 1,234", "1234", 1],
    ["It costs $1,234.50.", "1234.5", 1],
    ["1 234 567", "1234567", 1],
    ["1\u202f234", "1234", 1],
    ["1,2", "12", 0],
    ["\\boxed{72}, since 2 · 36 = 72 and 1 + 1 = 2", "72", 1],
    ["\\boxed{\\frac{3}{4}}", "0.75", 1],
    ["\\boxed{1{,}000}", "1000", 1],
    ["3/4", "0.75", 1],
    ["1/0", "1", 0],
    ["−5", "-5", 1],
    ["-5", "5", 0],
    ["10-5 is 5", "5", 1],
    ["3.0e8 m/s", "300000000", 1],
    [".5", "0.5", 1],
    ["50 %", "0.5", 1],
    ["0.5", "50%", 1],
    ["50\\%", "50", 1],
    ["no idea", "42", 0],
    ["42.0001", "42", 0],
    ["2026-01-02", "42", 0],
  ])("grades %j against %j: %d", (answer, reference, score) => {
    expect(gradeOf(numberGrader(), answer, reference)).toBe(score);
  });

  it("has a relative tolerance", () => {
    expect(gradeOf(numberGrader({ tolerance: 0.01 }), "3.14", "3.14159")).toBe(1);
    expect(gradeOf(numberGrader({ tolerance: 0.0001 }), "3.14", "3.14159")).toBe(0);
  });
});

describe("The choice grader", () => {
  it.each([
    ["B", "B", 1],
    ["B", "(B) Paris", 1],
    ["(B)", "B", 1],
    ["B) Paris", "B", 1],
    ["Answer: B", "B", 1],
    ["Thus $\\boxed{\\text{B}}$.", "B", 1],
    ["A is wrong because of C, so the answer is B.", "B", 1],
    ["Both (A) and (C) are wrong, therefore (B).", "B", 1],
    ["A good question. I think it is B", "B", 1],
    ["", "B", 0],
    ["The answer is C. B would be wrong.", "B", 0],
    ["I'd choose (B). (A) is too small, and (C) too large.", "B", 1],
    ["I'd choose A because it is the smallest.", "A", 1],
    ["I'm going with option C, since B is too small.", "C", 1],
    ["I've considered A and B; I would pick B over A", "B", 1],
    ["I, for one, would say B.", "B", 1],
    ["The answer is definitely B, not C.", "B", 1],
    ["It isn't A, it's C.", "C", 1],
    ["I would not choose A; B is right.", "B", 1],
    ["A, B and C are wrong. It is D.", "D", 1],
    ["B's correct.", "B", 1],
    ["B, because it is the smallest.", "B", 1],
    ["A – the capital", "A", 1],
    ["Answer B", "B", 1],
    ["I. Iceland", "I", 1],
    ["I don't know.", "I", 0],
  ])("grades %j against %j: %d", (answer, reference, score) => {
    expect(gradeOf(choiceGrader(), answer, reference)).toBe(score);
  });
});

/** Takes a backtracking matcher 2⁴⁰ steps. */
const EXPLODING = `${"a".repeat(40)}!`;
/** A limit that no load of the machine reaches. */
const PATIENT = { timeoutMs: 600_000 };

describe("The grader by a regular expression", () => {
  it("grades whether an answer matches", async () => {
    expect(await gradeOf(regexGrader({ pattern: "^yes\\b" }), "yes, certainly")).toBe(1);
    expect(await gradeOf(regexGrader({ pattern: "^yes\\b" }), "Yes")).toBe(0);
    expect(await gradeOf(regexGrader({ pattern: "/^yes\\b/i" }), "Yes")).toBe(1);
  });

  it("compares the group of the last match with the reference", async () => {
    const grader = regexGrader({ pattern: "Capital: (\\w+)" });
    expect(await gradeOf(grader, "Capital: Lyon? No. Capital: Paris.", "paris")).toBe(1);
    expect(await gradeOf(grader, "Capital: Paris? No. Capital: Lyon.", "paris")).toBe(0);
    expect(await gradeOf(grader, "Paris", "paris")).toBe(0);
    expect(await gradeOf(grader, "Capital: anything")).toBe(1);
  });

  it("takes the references as expressions without one of its own", async () => {
    expect(await gradeOf(regexGrader(), "It is Paris.", "[Pp]aris")).toBe(1);
    expect(await gradeOf(regexGrader(), "It is Lyon.", "[Pp]aris")).toBe(0);
  });

  it.each([
    ["a pattern", { pattern: "/^(a+)+$/" }, null],
    ["a reference", {}, "^(a|a)*$"],
  ])(
    "gives no verdict when %s takes longer than its limit, and grades the next answer",
    async (_, options, reference) => {
      await expect(gradeOf(regexGrader({ ...options, timeoutMs: 50 }), EXPLODING, reference)).rejects.toThrow(
        "no verdict: matching the answer took longer than the time limit of 0.05 s",
      );
      expect(await gradeOf(regexGrader({ ...options, ...PATIENT }), "aaaa", reference)).toBe(1);
    },
  );

  it("stops at once when it is told to, while it matches", async () => {
    const stop = new AbortController();
    const grader = regexGrader({ pattern: "/^(a+)+$/", ...PATIENT });
    const answer = { id: "p", model: "m", prompt: "Why?", answer: EXPLODING, reference: null };
    const graded = grader.grade(answer, { signal: stop.signal });
    stop.abort("SIGINT");
    await expect(graded).rejects.toThrow("grading was stopped");
  });

  it.each([
    ["a time limit that is none", { timeoutMs: 0 }, "`timeoutMs` is 0, not a whole number of milliseconds"],
    ["a pattern that is none", { pattern: "(" }, 'the pattern "(" cannot be used'],
  ])("refuses %s", (_, options, message) => {
    expect(() => regexGrader(options)).toThrow(message);
  });
});

describe("The grader by a JSON schema", () => {
  const schema = {
    type: "object",
    required: ["name", "born"],
    properties: { name: { type: "string" }, born: { type: "string", format: "date" } },
    additionalProperties: false,
  };

  it.each([
    ['{"name": "Ada", "born": "1815-12-10"}', 1],
    ['Here it is:\n```json\n{"name": "Ada", "born": "1815-12-10"}\n```', 1],
    ['{"name": "Ada", "born": "in 1815"}', 0],
    ['{"name": "Ada", "born": "1815-12-10", "died": 1852}', 0],
    ['Sure! {"name": "Ada", "born": "1815-12-10"}', 0],
    ["", 0],
  ])("grades %j: %d", async (answer, score) => {
    expect(await gradeOf(jsonSchemaGrader({ schema }), answer)).toBe(score);
  });

  it("takes the references as schemas without one of its own, in draft 2020-12 too", async () => {
    const reference = JSON.stringify({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "array",
      prefixItems: [{ type: "number" }],
    });
    expect(await gradeOf(jsonSchemaGrader(), "[1]", reference)).toBe(1);
    expect(await gradeOf(jsonSchemaGrader(), '["1"]', reference)).toBe(0);
  });

  it("gives no verdict when a pattern of the schema takes longer than its limit", async () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    const grade = gradeOf(jsonSchemaGrader({ schema, timeoutMs: 50 }), JSON.stringify(EXPLODING));
    await expect(grade).rejects.toThrow("longer than the time limit of 0.05 s");
    expect(await gradeOf(jsonSchemaGrader({ schema, ...PATIENT }), '"aaaa"')).toBe(1);
  });

  it("gives no verdict by a schema that never ends", async () => {
    await expect(gradeOf(jsonSchemaGrader(), "1", '{"$ref": "#"}')).rejects.toThrow("no verdict");
  });

  it("refuses a schema that refers to another place", () => {
    const schema = { $ref: "https://example.com/schema.json" };
    expect(() => jsonSchemaGrader({ schema })).toThrow(`the JSON schema cannot be used: can't resolve`);
  });
});

describe("A grader", () => {
  it.each<[string, Grader, Reference, string | undefined]>([
    ["exact", exactGrader(), null, "has no reference answer"],
    ["exact", exactGrader(), "Paris", undefined],
    ["number", numberGrader(), "many", "without a number"],
    ["number", numberGrader(), "#### 12", undefined],
    ["choice", choiceGrader(), "Paris", "not the letter of an option"],
    ["choice", choiceGrader(), "b", undefined],
    ["regex", regexGrader(), "(", "not a regular expression"],
    ["regex", regexGrader(), null, "has no reference"],
    ["json-schema", jsonSchemaGrader(), "{", "is not JSON"],
    ["json-schema", jsonSchemaGrader(), '{"type": "nothing"}', "not a schema"],
  ])("by %s says what it cannot use as a reference", (_, grader, reference, problem) => {
    const found = grader.problemWith?.({ id: "p", prompt: "Why?", reference });
    expect(found).toEqual(problem && expect.stringContaining(problem));
  });
});

describe("The judge", () => {
  const judge = judgeGrader({ model: "gpt-judge", rubric: "Be strict about facts." });
  const answer = { id: "p", model: "m", prompt: "Capital of France?", answer: "It is Paris." };

  it("compares the answer with the reference in both orders, at temperature 0", () => {
    const [first, second] = judge.questionsFor({ ...answer, reference: "Paris" });
    expect(first).toMatchObject({ model: "gpt-judge", parameters: { temperature: 0 } });
    expect(first?.messages[0]?.content).toContain("Be strict about facts.");
    expect(first?.messages[1]?.content).toMatch(
      /<answer_a>\nIt is Paris\.\n<\/answer_a>\s+<answer_b>\nParis\n/,
    );
    expect(second?.messages[1]?.content).toMatch(
      /<answer_a>\nParis\n<\/answer_a>\s+<answer_b>\nIt is Paris\.\n/,
    );
  });

  it.each([
    ["[[A]]", "[[B]]", 1],
    ["[[B]]", "[[A]]", 0],
    ["[[A]]", "[[A]]", 0.5],
    ["[[C]]", "[[C]]", 0.5],
    ["[[A]]", "[[C]]", 0.75],
    ["First I thought [[B]], but: [[A]]", "[[ b ]]", 1],
  ])("scores the verdicts %j and %j: %d", (first, second, score) => {
    expect(judge.scoreOf([first, second])).toBe(score);
  });

  it.each([
    ["[[C]]", "[[C]]", 1],
    ["[[A]]", "[[C]]", 1],
    ["[[A]]", "[[A]]", 0.5],
    ["[[B]]", "[[A]]", 0],
  ])(
    "gives 1 to an answer as good as the reference at that scale: %j and %j are %d",
    (first, second, score) => {
      const lenient = judgeGrader({ model: "gpt-judge", scale: "reference" });
      expect(lenient.scoreOf([first, second])).toBe(score);
      expect(lenient.scaleOf({ reference: "Paris" })).toBe("right");
      expect(judge.scaleOf({ reference: "Paris" })).toBe("comparison");
      expect(lenient.scaleOf({ reference: null })).toBe("rating");
    },
  );

  it("rates an answer without a reference", () => {
    expect(judge.questionsFor({ ...answer, reference: null })).toHaveLength(1);
    expect(judge.scoreOf(["Good. Rating: [[7]]"])).toBe(0.7);
    expect(judge.scoreOf(["Rating: [[8.5/10]]"])).toBe(0.85);
  });

  it.each([[["better: A", "[[B]]"]], [["[[A]]", ""]], [["seven"]], [["[[70]]"]]])(
    "grades nothing by a reply without a verdict: %j",
    (replies) => {
      expect(() => judge.scoreOf(replies)).toThrow("the judge's reply holds no");
    },
  );
});
