import { beforeEach, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import {
  Comparisons,
  type ComparisonsOptions,
} from "../../../../src/gateway/features/comparisons/comparisons.js";
import { ComparisonJournal } from "../../../../src/gateway/features/comparisons/journal.js";
import { comparisonReport } from "../../../../src/gateway/features/comparisons/report.js";
import type { FinishedAnswer } from "../../../../src/gateway/run/dependencies.js";
import type { InferenceRequest, RequestContext } from "../../../../src/gateway/run/request.js";
import type { ComparisonEntry } from "../../../../src/gateway/settings.js";
import { MemoryStore } from "../../../fakes/store.js";
import { routedTrace, USAGE } from "../../traces/trace-for-test.js";

const ENTRY: ComparisonEntry = {
  name: "cheaper",
  with: "small",
  share: 1,
  max_usd_per_day: 1,
  judges: ["small-judge", "judge"],
};
const DAY = Date.UTC(2026, 10, 27);

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

const answerOf = (
  text = "Paris",
  changes: Partial<FinishedAnswer["trace"]> = {},
  request: Partial<InferenceRequest> = {},
): FinishedAnswer => ({
  trace: routedTrace({ kind: "chat", model: "large", metadata: { team: "a" }, ...changes }),
  request: {
    kind: "chat",
    stream: false,
    fallbacks: [],
    metadata: {},
    choice: { type: "routed", models: undefined, costWeight: 0 },
    body: { messages: [{ role: "user", content: "What is the capital of France?" }] },
    ...request,
  },
  text: () => text,
});

/** Models that answer with a text, a reply of a judge for the two orders, or an error. */
function started(
  replies: Record<string, (request: InferenceRequest) => string>,
  changes: Partial<ComparisonsOptions> & { readonly entry?: Partial<ComparisonEntry> } = {},
) {
  const asked: { model: string; request: InferenceRequest; context: RequestContext }[] = [];
  const faults: object[] = [];
  const journal = new ComparisonJournal(store);
  const { entry, ...options } = changes;
  const whole = { ...ENTRY, ...entry };
  const comparisons = new Comparisons({
    entries: () => [whole],
    inference: {
      async run(request, context) {
        const model = request.choice.type === "named" ? request.choice.model : "?";
        asked.push({ model, request, context });
        const content = replies[model]?.(request) ?? "";
        return {
          kind: "completion",
          model,
          provider: "lab",
          attempts: [],
          routing: null,
          limitHeaders: {},
          completion: {
            choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
          } as never,
          usage: { ...USAGE, total_cost_usd: 0.125 },
        };
      },
      decide: async () => ({ routing: { selected_model: "large" } as never, limitHeaders: {} }),
    },
    choiceOf: (model) => ({ type: "named", model, provider: undefined }),
    vendorOf: (model) => (model.startsWith("small") ? "vendor-s" : `vendor-${model}`),
    journal,
    redact: async (texts) => texts.map((text) => text.replaceAll("Berlin", "[city]")),
    keepOutcome: async () => {},
    wantsContent: true,
    newRequestId: () => `req_other_${asked.length + 1}`,
    now: () => DAY,
    clock: () => 0,
    random: () => 0,
    yieldThread: async () => {},
    log: { warn: (fields, message) => void faults.push({ ...fields, message }) },
    ...options,
  });
  const settled = async () => {
    await comparisons.settled();
    expect(faults).toEqual([]);
    return journal.results();
  };
  return { comparisons, asked, journal, settled, entry: whole };
}

const prefers = (text: string) => (request: InferenceRequest) => {
  const shown = String(request.body.messages.at(-1)?.content);
  return shown.indexOf(`<answer_a>\n${text}`) >= 0 ? "A it is. [[A]]" : "B it is. [[B]]";
};

describe("An answer that is compared", () => {
  it("is answered by the other model and judged blind in both orders, at temperature 0", async () => {
    const { comparisons, asked, settled } = started({ small: () => "Lyon", judge: prefers("Paris") });
    comparisons.answered(answerOf());
    expect(asked).toEqual([]);
    const [result] = await settled();
    expect(result).toMatchObject({
      outcome: "judged",
      served: "large",
      other: "small",
      difference: -1,
      answer_spent_usd: 0.125,
      judge_spent_usd: 0.25,
      other_usd: 0.125,
      served_usd: 0.0004,
    });
    expect(asked.map(({ model }) => model)).toEqual(["small", "judge", "judge"]);
    for (const { request, context } of asked)
      expect([request.kind, context.principal.id, context.source].join()).toBe(
        "comparison,comparisons,comparisons",
      );
    const questions = asked.slice(1).map(({ request }) => JSON.stringify(request.body));
    expect(questions.every((text) => text.includes('"temperature":0'))).toBe(true);
    expect(questions.every((text) => text.includes("Criteria:\\nA good answer"))).toBe(true);
    expect(questions.join()).not.toMatch(/large|small|sextant/);
    expect(questions[0]).not.toBe(questions[1]);
  });

  it("shows judges what redaction leaves, and keeps no text", async () => {
    const { comparisons, asked, settled } = started({ small: () => "Berlin", judge: () => "[[C]]" });
    comparisons.answered(answerOf());
    await settled();
    const questions = asked.slice(1).map(({ request }) => request.body);
    expect(JSON.stringify(questions)).not.toContain("Berlin");
    expect(JSON.stringify(await store.entries("comparisons"))).not.toMatch(/Berlin|Paris|France/);
  });
});

/** Its second call was billed. */
const fails = (): string => {
  const usage = { prompt_tokens: 9, completion_tokens: 1, total_cost_usd: 0.0625 };
  const attempts = [{ code: "unavailable" }, { code: "stream_error", usage }];
  throw new SextantError("upstream_error", "It said: Paris.", { extra: { attempts } });
};

describe("What does not come to a comparison", () => {
  it.each<readonly [string, Record<string, () => string>, number, number]>([
    ["of the other model", { small: fails }, 0.0625, 0],
    ["of the judge", { small: () => "Lyon", judge: fails }, 0.125, 0.125],
  ])("is counted with what it cost: an error %s", async (_, replies, answering, judging) => {
    const { comparisons, settled } = started(replies);
    comparisons.answered(answerOf());
    const spent = { answer_spent_usd: answering, judge_spent_usd: judging };
    expect(await settled()).toMatchObject([{ outcome: "failed", reason: "upstream_error", ...spent }]);
  });

  it("is what comes while 64 wait, and what an operator does not pay for any more today", async () => {
    const { comparisons, asked, settled } = started(
      { small: () => "Lyon", judge: () => "[[C]]" },
      { entry: { max_usd_per_day: 1 } },
    );
    for (let count = 0; count < 70; count += 1) comparisons.answered(answerOf());
    expect(comparisons.state("cheaper")).toMatchObject({ waiting: 64, passedOver: { dropped: 6 } });
    const results = await settled();
    const spent = results.reduce((sum, one) => sum + one.answer_spent_usd + one.judge_spent_usd, 0);
    expect(spent).toBeLessThanOrEqual(1);
    expect(spent).toBeGreaterThan(0);
    expect(comparisons.state("cheaper").passedOver.over_budget).toBe(64 - results.length);
    expect(asked.length).toBe(3 * results.length);
  });
});

describe("The report of a comparison", () => {
  it("counts wins, ties, losses and money, and says what follows", async () => {
    const { comparisons, journal, settled, entry } = started({
      small: () => "Lyon",
      judge: prefers("Paris"),
    });
    comparisons.answered(answerOf());
    await settled();
    const [result] = await journal.results();
    if (result === undefined) throw new Error("nothing was compared");
    const many = [
      ...Array.from({ length: 3000 }, () => ({ ...result, outcome: "same" as const, difference: 0 })),
      ...Array.from({ length: 12 }, () => ({ ...result, difference: 1, served_usd: 2, other_usd: 1 })),
      ...Array.from({ length: 10 }, () => ({ ...result, difference: -1 })),
      { ...result, outcome: "failed" as const, difference: null },
      { ...result, comparison: "another" },
      { ...result, with: "what it compared with before" },
    ];
    const report = comparisonReport(entry, many, DAY);
    const counts = { wins: 12, losses: 10, ties: 3000, same: 3000, failed: 1, comparisons: 3022 };
    expect(report).toMatchObject({ ...counts, verdict: "as_good" });
    expect(report.spent).toEqual({ today: 0.375 * 3024, answers: 0.125 * 3023, judging: 0.25 * 3023 });
    expect(report.recommendation).toMatch(
      /^small: .*% cost \[.*\], quality 0\.1 points \[−0\.\d, 0\.\d\], 3,022 comparisons$/,
    );
    const nothing = { recommendation: null, verdict: "unclear", detectable_loss: 1 };
    expect(comparisonReport(entry, [], DAY)).toMatchObject(nothing);
  });
});
