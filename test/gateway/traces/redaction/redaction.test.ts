import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Redactor } from "../../../../src/gateway/traces/redaction/redactor.js";
import { createRedaction } from "../../../../src/gateway/traces/redaction/rules.js";
import { textsOf, withTexts } from "../../../../src/gateway/traces/redaction/texts-of-trace.js";
import { openWorkerRedactor } from "../../../../src/gateway/traces/redaction/worker-redactor.js";
import type { TracedMessage } from "../../../../src/gateway/traces/traced-message.js";
import { threadServing } from "../../../fakes/thread.js";
import { anyTraces } from "../arbitrary-traces.js";
import { failedTrace, traceWith } from "../trace-for-test.js";

const opened: Redactor[] = [];
/** What takes no more than a moment stays within the limit, however busy the machine is. */
const PATIENT_MS = 30_000;
const open = (...[entries, options]: Parameters<typeof openWorkerRedactor>): Redactor => {
  const redactor = openWorkerRedactor(entries, { limitMs: PATIENT_MS, ...options });
  opened.push(redactor);
  return redactor;
};
afterAll(() => Promise.all(opened.map((redactor) => redactor.close())));

describe("Redaction rules", () => {
  it("replace every match, in the order of the list, with case sensitivity by their flags", () => {
    const redact = createRedaction([
      { pattern: "sk-[a-z0-9]+", flags: "i" },
      { pattern: "\\b\\d{4}\\b", replacement: "####" },
    ]);
    expect(redact("SK-abc1 and sk-2, 1234 and 12345")).toBe("[redacted] and [redacted], #### and 12345");
  });

  it("insert a replacement literally, so that it never restores a match", () => {
    expect(createRedaction([{ pattern: "(secret)", replacement: "$& $1 $$" }])("a secret")).toBe(
      "a $& $1 $$",
    );
  });

  it("are repeatable", () => {
    const redact = createRedaction([{ pattern: "a" }]);
    expect([redact("ba"), redact("a"), redact("ba")]).toEqual(["b[redacted]", "[redacted]", "b[redacted]"]);
  });
});

describe("The redacted texts of a trace", () => {
  it("are prompt, answer, reasoning, error message, provider messages and metadata values", () => {
    const error = { code: "c", message: "m" };
    const attempt = { provider: "lab", model: "model-a", latency_ms: 1 };
    const attempts = [
      { ...attempt, status: 500, code: "server_error", message: "said" },
      { ...attempt, status: 200, code: "ok", message: null },
    ];
    const prompt = (...[user, file, id, name, given]: readonly string[]) =>
      [
        {
          role: "user",
          content: [
            { type: "text", text: user },
            { type: "file", media_type: null, bytes: 3, filename: file },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id, type: "function", function: { name, arguments: given } }],
        },
      ] as readonly TracedMessage[];
    const content = {
      input: prompt("2 + 2?", "a.pdf", "c", "f", "{}"),
      output: "4",
      reasoning: "Two and two.",
    };
    const trace = traceWith({ error, attempts, content, metadata: { a: "x", b: 3, c: true } });
    expect(textsOf(trace)).toEqual([
      ...["4", "Two and two.", "m", "said", "", "x", "3", "true", "2 + 2?", "a.pdf", "c", "f", "{}"],
    ]);
    const texts = ["o", "r", "e", "s", "", "X", "4", "true", "i", "b.pdf", "d", "g", "[]"];
    expect(withTexts(trace, texts)).toEqual({
      ...trace,
      content: { input: prompt("i", "b.pdf", "d", "g", "[]"), output: "o", reasoning: "r" },
      error: { code: "c", message: "e" },
      attempts: [{ ...attempts[0], message: "s" }, attempts[1]],
      metadata: { a: "X", b: "4", c: true },
    });
  });

  it("restore the same trace when they are put back unchanged", () => {
    fc.assert(
      fc.property(anyTraces, (traces) => {
        for (const trace of traces) expect(withTexts(trace, textsOf(trace))).toEqual(trace);
      }),
    );
  });
});

describe("The redactor", () => {
  it("redacts every trace of a batch and nothing else in it", async () => {
    const redactor = open([{ pattern: "secret" }]);
    const trace = traceWith({
      content: { input: "a secret", output: "secret b", reasoning: "the secret" },
      error: { code: "secret", message: "secret!" },
      metadata: { secret: "secret", n: 3 },
      source: "secret",
    });
    const plain = failedTrace();
    const { traces, withheld } = await redactor.redact([trace, plain, trace]);
    const expected = {
      ...trace,
      content: { input: "a [redacted]", output: "[redacted] b", reasoning: "the [redacted]" },
      error: { code: "secret", message: "[redacted]!" },
      metadata: { secret: "[redacted]", n: 3 },
    };
    expect(traces).toEqual([expected, plain, expected]);
    expect(withheld).toBe(0);
  });

  it("keeps concurrent batches apart", async () => {
    const redactor = open([{ pattern: "x" }]);
    const batches = Array.from({ length: 20 }, (_, at) => [
      traceWith({ content: { input: `${at}`, output: "" } }),
    ]);
    const answers = await Promise.all(batches.map((batch) => redactor.redact(batch)));
    expect(answers.map(({ traces }) => traces)).toEqual(batches);
  });

  it("withholds the content of traces on which a pattern takes too long, and only of those", async () => {
    const redactor = open([{ pattern: "^(a+)+$" }], { limitMs: 1000 });
    const exploding = traceWith({
      content: { input: `${"a".repeat(60)}!`, output: "" },
      metadata: { k: "v" },
    });
    const harmless = traceWith();
    const { traces, withheld } = await redactor.redact([harmless, exploding, harmless, exploding]);
    const without = { ...exploding, content: null, metadata: {} };
    expect(traces).toEqual([harmless, without, harmless, without]);
    expect(withheld).toBe(2);
  });

  it("withholds the content of traces whose thread ended, and continues with another thread", async () => {
    const methods = ["() => process.exit(1)", "(texts) => texts"];
    const redactor = open([], {
      startWorker: () => threadServing(`{ methods: { redact: ${methods.shift()} } }`),
    });
    const failed = failedTrace({ error: { code: "c", message: "has a secret" } });
    const first = await redactor.redact([failed, traceWith()]);
    expect(first.withheld).toBe(2);
    expect(first.traces[0]?.error).toEqual({ code: "c", message: "[not redacted in time]" });
    expect(await redactor.redact([failed])).toEqual({ traces: [failed], withheld: 0 });
  });
});
