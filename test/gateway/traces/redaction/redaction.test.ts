import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { redactAll } from "../../../../src/gateway/traces/redaction/redact-all.js";
import { createRedaction } from "../../../../src/gateway/traces/redaction/rules.js";
import { textsOf, withTexts } from "../../../../src/gateway/traces/redaction/texts-of-trace.js";
import { openWorkerRedactor } from "../../../../src/gateway/traces/redaction/worker-redactor.js";
import { threadServing } from "../../../fakes/thread.js";
import { anyTraces } from "../arbitrary-traces.js";
import { failedTrace, said, traceWith } from "../trace-for-test.js";

describe("Redaction rules", () => {
  it("replace every match, in the order of the list, with case sensitivity by their flags", () => {
    const redact = createRedaction([
      { pattern: "sk-[a-z0-9]+", flags: "i" },
      { pattern: "\\b\\d{4}\\b", replacement: "####" },
    ]);
    for (let time = 0; time < 2; time++)
      expect(redact("SK-abc1 and sk-2, 1234 and 12345")).toBe("[redacted] and [redacted], #### and 12345");
  });

  it("insert a replacement literally, so that it never restores a match", () => {
    expect(createRedaction([{ pattern: "(secret)", replacement: "$& $1 $$" }])("a secret")).toBe(
      "a $& $1 $$",
    );
  });
});

describe("The redacted texts of a trace", () => {
  it("are put back where they stood, and a number that was changed as a text", () => {
    const content = { input: said("i"), output: "o", reasoning: "r" };
    const trace = traceWith({ error: { code: "c", message: "m" }, metadata: { a: "x", b: 3 }, content });
    const changed = withTexts(
      trace,
      textsOf(trace).map((text) => `${text}!`),
    );
    expect(changed).toMatchObject({
      error: { code: "c", message: "m!" },
      metadata: { a: "x!", b: "3!" },
      content: { input: said("i!"), output: "o!", reasoning: "r!" },
    });
  });

  it("restore the same trace when they are put back unchanged", () => {
    fc.assert(
      fc.property(anyTraces, (traces) => {
        for (const trace of traces) expect(withTexts(trace, textsOf(trace))).toEqual(trace);
      }),
      { numRuns: 30 },
    );
  });
});

it("The texts of traces on which a pattern takes too long are null, and only those", () => {
  const tooLong = "a trace whose match is ended";
  const redact = (text: string) => {
    if (text === tooLong) throw new Error("it took longer than 1 s");
    return `${text}!`;
  };
  const limits: number[] = [];
  const within = (limitMs: number, work: () => void) => {
    limits.push(limitMs);
    work();
  };
  const texts = [["a", "b"], ["c", tooLong], ["d"], [tooLong]];
  expect(redactAll(texts, { redact, limitMs: 1000, within })).toEqual([["a!", "b!"], null, ["d!"], null]);
  expect(new Set(limits)).toEqual(new Set([1020]));
});

describe("The redactor", () => {
  // What takes no more than a moment stays within the limit, however busy the machine is.
  const redactor = openWorkerRedactor([{ pattern: "secret" }], { limitMs: 300_000 });
  afterAll(() => redactor.close());

  it("redacts every trace of concurrent batches and nothing else in it", async () => {
    const trace = traceWith({ error: { code: "secret", message: "secret!" }, source: "secret" });
    const expected = { ...trace, error: { code: "secret", message: "[redacted]!" } };
    const plain = Array.from({ length: 20 }, () => failedTrace());
    const answers = await Promise.all(plain.map((other) => redactor.redact([trace, other, trace])));
    expect(answers).toEqual(plain.map((other) => ({ traces: [expected, other, expected], withheld: 0 })));
  });

  it("withholds the content of a trace on which a pattern explodes", async () => {
    const limited = openWorkerRedactor([{ pattern: "^(a+)+$" }], { limitMs: 10 });
    const exploding = traceWith({ content: { input: said(`${"a".repeat(60)}!`), output: "" } });
    const withheld = { ...exploding, content: null, metadata: {} };
    expect(await limited.redact([exploding])).toEqual({ traces: [withheld], withheld: 1 });
    await limited.close();
  });

  it("withholds the content of traces whose thread ended, and continues with another thread", async () => {
    const methods = ["() => process.exit(1)", "(texts) => texts"];
    const restarted = openWorkerRedactor([], {
      startWorker: () => threadServing(`{ methods: { redact: ${methods.shift()} } }`),
    });
    const failed = failedTrace({ error: { code: "c", message: "has a secret" } });
    const first = await restarted.redact([failed, traceWith()]);
    expect(first.withheld).toBe(2);
    expect(first.traces[0]?.error).toEqual({ code: "c", message: "[not redacted in time]" });
    expect(await restarted.redact([failed])).toEqual({ traces: [failed], withheld: 0 });
    await restarted.close();
  });
});
