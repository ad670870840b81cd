import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { metadataText } from "../../src/gateway/traces/metadata-pair.js";
import type { TraceDimension } from "../../src/gateway/traces/series.js";
import type {
  AnswerTo,
  ArgumentOf,
  QuestionName,
  TraceFilter,
  TracePage,
  TraceScope,
  TraceStore,
} from "../../src/gateway/traces/store.js";
import type { Attempt, Feedback, Trace } from "../../src/gateway/traces/trace.js";
import type { TracedMessage } from "../../src/gateway/traces/traced-message.js";
import { MemoryTraceStore } from "../fakes/trace-store.js";
import {
  anyDimensions,
  anyFeedback,
  anyPage,
  anyScope,
  FILTERS,
  filterBy,
  tracesOf,
} from "../gateway/traces/arbitrary-traces.js";
import {
  failedTrace,
  HOSTILE,
  NOON,
  requestIdAt,
  routedTrace,
  said,
  traceWith,
  USAGE,
} from "../gateway/traces/trace-for-test.js";

/** How the store to be tested is had. */
export interface StoreUnderTest {
  /** An empty store, new or emptied. */
  open(): Promise<TraceStore>;
  /** Called after each test; the test may have closed it. */
  dispose(store: TraceStore): Promise<void>;
}

const ALL = { scope: "all" } as const;
const FEEDBACK: Feedback = { score: 0.75, comment: "nearly right", givenAtMs: NOON + 60_000 };
const UNPRICED = {
  ...USAGE,
  input_cost_usd: null,
  output_cost_usd: null,
  cache_input_cost_usd: null,
  total_cost_usd: null,
  estimated: true as const,
};

/** What makes a conversation: roles, parts, calls, and lines that look like other messages. */
const CONVERSATION: readonly TracedMessage[] = [
  { role: "system", content: 'Be "brief".\nuser: hi' },
  {
    role: "user",
    content: [
      { type: "text", text: "Here? 𝄞" },
      { type: "image_url", media_type: "image/png", bytes: 98_765 },
      { type: "file", media_type: "application/pdf", bytes: 3, filename: "map.pdf" },
    ],
    name: "ada",
  },
  {
    role: "assistant",
    content: null,
    reasoning: "Look it up.",
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Ulm"}' } },
      { id: "call_2", type: "custom", custom: { name: "note", input: "" } },
    ],
  },
  { role: "tool", content: "7 °C", tool_call_id: "call_1" },
  { role: "assistant", content: [{ type: "refusal", refusal: "No more." }], refusal: "No." },
  { role: "user", content: "Where then?" },
  { role: "assistant", content: "Elsewhere." },
];

const MANY_MESSAGES: readonly TracedMessage[] = Array.from({ length: 3000 }, (_, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: `${at % 2 === 0 || at === 2999 ? "question" : "answer"} ${at} ${"𝄞".repeat(10)}`,
}));

/** Its reasoning, which no search finds. */
const THOUGHT = traceWith({
  content: { input: said("a"), output: "b", reasoning: "lorem needle ".repeat(4000) },
});

const hostile = (text: string): readonly TracedMessage[] => [
  { role: "assistant", content: text, tool_calls: [{ type: "custom", custom: { name: text, input: text } }] },
  { role: "user", content: [text, text].map((part) => ({ type: "text", text: part })), name: text },
];

const halves = (half: string): readonly TracedMessage[] => [
  { role: "system", content: half },
  { role: "user", content: `a${half}b` },
];

const prompt = (input: string | readonly TracedMessage[], parts: Partial<Trace> = {}): Trace =>
  traceWith({ content: { input: typeof input === "string" ? said(input) : input, output: "" }, ...parts });

/** A trace for each number, so many milliseconds after noon. */
const tracesAt = (...ms: readonly number[]): Trace[] =>
  ms.map((each) => traceWith({ createdAtMs: NOON + each }));

const idOf = ({ requestId }: { readonly requestId: string }): string => requestId;
/** The newest first, and of one millisecond the larger id. */
const newestFirst = (traces: readonly Trace[]): string[] =>
  traces.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.requestId < b.requestId ? 1 : -1)).map(idOf);

/** What every `TraceStore` promises. */
export function traceStoreContract(name: string, underTest: StoreUnderTest): void {
  describe(`${name}, as a trace store,`, () => {
    let store: TraceStore;
    let reference: TraceStore;
    beforeEach(async () => {
      store = await underTest.open();
      reference = new MemoryTraceStore();
    });
    afterEach(() => underTest.dispose(store));

    const given = (...traces: readonly Trace[]) =>
      Promise.all([store, reference].map((each) => each.append(traces)));
    const askedAsReference = async <Name extends QuestionName>(name: Name, argument: ArgumentOf<Name>) => {
      const found = await store.ask(name, argument, ALL);
      expect(found).toEqual(await reference.ask(name, argument, ALL));
      return found;
    };
    const list = (filter: TraceFilter = {}, page: Partial<TracePage> = {}, scope: TraceScope = "all") =>
      store.ask("list", { filter, page: { limit: 1000, offset: 0, ...page } }, { scope });
    const idsOf = async (filter: TraceFilter, scope: TraceScope = "all"): Promise<string[]> => {
      const { traces, total, hasMore } = await list(filter, {}, scope);
      expect({ total, hasMore }).toEqual({ total: traces.length, hasMore: false });
      return traces.map(idOf);
    };
    const find = (trace: { readonly requestId: string }) => store.ask("find", trace.requestId, ALL);
    const stats = (by: readonly TraceDimension[] = [], filter: TraceFilter = {}) =>
      store.ask("stats", { filter, by }, ALL);
    const exported = (filter: TraceFilter = {}, scope: TraceScope = "all") =>
      exportOf(store, { filter }, scope);
    const give = (trace: Trace, feedback: Feedback = FEEDBACK, scope: TraceScope = "all") =>
      store.keepFeedback(trace.requestId, feedback, { scope });

    describe("when it stores traces", () => {
      it.each([
        ["a cost that is not known", traceWith({ usage: UNPRICED })],
        ["a conversation", prompt(CONVERSATION)],
        ["a conversation of very many messages", prompt(MANY_MESSAGES)],
        ["long reasoning", THOUGHT],
      ])("returns them unchanged: %s", async (_, trace) => {
        await given(trace);
        expect(await find(trace)).toEqual(trace);
      });

      it("returns any texts unchanged, and finds by them", async () => {
        const traces = HOSTILE.map((text) =>
          traceWith({
            model: text,
            provider: text,
            source: text,
            principal: text,
            finishReason: text,
            error: { code: text, message: text },
            metadata: { [text]: text, plain: text, number: -12.5, yes: false },
            content: {
              input: [...CONVERSATION, ...hostile(text)],
              output: `${text}${text}`,
              reasoning: `${text}.`,
            },
          }),
        );
        await given(traceWith(), ...traces);
        for (const [at, text] of HOSTILE.entries()) {
          const trace = traces[at] as Trace;
          expect(await find(trace)).toEqual(trace);
          const named = { model: text, provider: text, source: text };
          expect(await idsOf({ ...named, metadata: [{ key: text, value: text }] })).toEqual([
            trace.requestId,
          ]);
          if (text !== "") expect(await idsOf({ text })).toContain(trace.requestId);
        }
      });

      it("replaces half a surrogate pair by U+FFFD, optionally not in metadata", async () => {
        const withHalf = (half: string, output = half) => ({
          content: { input: halves(half), output, reasoning: half },
          metadata: { k: half },
        });
        const trace = traceWith(withHalf("\ud800", "\udc00"));
        await given(trace);
        const found = await find(trace);
        expect(found).toEqual({ ...trace, ...withHalf("\ufffd"), metadata: found?.metadata });
        expect(["\ud800", "\ufffd"]).toContain(found?.metadata.k);
      });

      it("accepts empty batches, one larger than its own, and several at once", async () => {
        expect(await list()).toEqual({ traces: [], total: 0, hasMore: false });
        await Promise.all([store.append([]), store.appendMissing([]), store.append([])]);
        const batches = [2500, 2, 2].map((count) =>
          tracesAt(...Array.from({ length: count }, (_, at) => at)),
        );
        await Promise.all(batches.map((batch) => store.append(batch)));
        const found = await list({}, { limit: 5 });
        expect(found.traces.map(idOf)).toEqual(newestFirst(batches.flat()).slice(0, 5));
        expect([found.total, found.hasMore]).toEqual([2504, true]);
      });

      it("stores a trace once when it is appended again, also within a batch", async () => {
        const [first, second] = tracesAt(0, 1) as [Trace, Trace];
        await given(first);
        await store.appendMissing([first, second, second]);
        await store.appendMissing([second]);
        expect(await idsOf({})).toEqual([second, first].map(idOf));
      });
    });

    describe("when it lists traces", () => {
      it("has as many characters of each last user message as are asked for", async () => {
        const long = "é👩‍👩‍👧".repeat(40_000);
        const inputs = ["\ufeffshort", "", long, CONVERSATION];
        await given(
          ...inputs.map((input, at) => prompt(input, { createdAtMs: NOON - at })),
          failedTrace({ createdAtMs: 1 }),
        );
        const starts = async (filter: TraceFilter) =>
          (await list(filter, { inputCharacters: 4 })).traces.map(({ inputStart }) => inputStart);
        expect(await starts({})).toEqual(["\ufeffsho", "", [...long].slice(0, 4).join(""), "Wher", null]);
        expect(await starts({ text: "short" })).toEqual(["\ufeffsho"]);
      });

      it("has on a deep page what pages before leave, with many traces of one millisecond", async () => {
        const traces = Array.from({ length: 6500 }, (_, at) =>
          traceWith({ createdAtMs: NOON + ((at * 7919) % 40), source: at % 13 === 0 ? "rare" : "default" }),
        );
        await store.append(traces);
        for (const filter of [{}, { source: "default" }, { startMs: NOON + 3, text: "2 + 2" }]) {
          const { source, startMs = 0 } = filter as TraceFilter;
          const ids = newestFirst(
            traces.filter(
              (trace) => trace.createdAtMs >= startMs && trace.source === (source ?? trace.source),
            ),
          );
          for (const offset of [4999, 5001, 5985, 6450, 6500, 100_000, Number.MAX_SAFE_INTEGER - 1]) {
            const found = await list(filter, { limit: 60, offset });
            expect(found.traces.map(idOf)).toEqual(ids.slice(offset, offset + 60));
            expect([found.total, found.hasMore]).toEqual([ids.length, offset + 60 < ids.length]);
          }
        }
      });
    });

    describe("for a filter", () => {
      it("finds parts of prompts or answers in any case, also at the end of long ones", async () => {
        const filler = "lorem ipsum ".repeat(5000);
        const asked = prompt(`Grüße aus 100 % Berlin. ${filler}needle`);
        const answered = traceWith({ content: { input: said(""), output: `der Gruß_ ${filler}thread` } });
        const [inAsked, inAnswered, inBoth] = [[asked], [answered], [answered, asked]].map((each) =>
          each.map(idOf),
        );
        await given(asked, answered, failedTrace(), THOUGHT);
        for (const [text, ids] of [
          ["Gr", inBoth],
          ["GRÜ", inAsked],
          ["gru", inAnswered],
          ["Gru\u00df_", inAnswered],
          ["100 %", inAsked],
          ["1%B", []],
          ["M NEEDLE", inAsked],
          ["m thread", inAnswered],
          ["lorem", inBoth],
          ["needleder", []],
        ] as const)
          expect([text, await idsOf({ text })]).toEqual([text, ids]);
      });

      it("finds what is said anywhere in a conversation, and no name or sign of its form", async () => {
        const [trace, many] = [prompt(CONVERSATION), prompt(MANY_MESSAGES)];
        await given(trace, many);
        for (const text of [
          'Be "brief".\nuser: hi',
          "Here?",
          "Where then?",
          "Look it up",
          '{"city":"Ulm"}',
          "map.pdf",
        ])
          expect([text, await idsOf({ text })]).toEqual([text, [trace.requestId]]);
        for (const text of ["question 0 ", "question 1400 ", "answer 701 ", "question 2999 "])
          expect([text, await idsOf({ text })]).toEqual([text, [many.requestId]]);
        const form = ["system", "content", "tool_call", "call_1", "image", "98765", "brief\\", "nuser", "[{"];
        for (const text of form) expect([text, await idsOf({ text })]).toEqual([text, []]);
      });

      it("is not confused by metadata texts that look like a value of a key", async () => {
        const values = ['"', ",", '","', '","b":"c', '\\"', "\\", "", "b"];
        const traces = values.flatMap((key) =>
          values.map((value) => traceWith({ metadata: { [key]: value, b: 12 } })),
        );
        const all = traceWith({ metadata: Object.fromEntries(values.map((value) => [value, value])) });
        await given(...traces, all);
        for (const key of values) {
          for (const value of [...values, "c", "12"]) {
            const matching = [...traces, all].filter(({ metadata }) => String(metadata[key]) === value);
            expect((await list({ metadata: [{ key, value }] })).total, `${key}: ${value}`).toBe(
              matching.length,
            );
          }
        }
      });
    });

    it("returns at most 100 of the values of the newest traces, of each kind", async () => {
      const models = Array.from({ length: 120 }, (_, at) => `model ${String(at).padStart(3, "0")}`);
      await given(...models.map((model) => traceWith({ model })));
      expect((await store.ask("values", {}, ALL)).model).toEqual(models.slice(0, 100));
    });

    it("finds values of metadata by a part and request ids by their end, in any case", async () => {
      const conversation = traceWith({ metadata: { conversation_id: 'Ticket-123 "ä"', tier: 3 } });
      const other = traceWith({ metadata: { team: "ticket" } });
      await given(conversation, other);
      const named = async (containing: string) => {
        const { metadata, request_id, model } = await store.ask("values", { containing }, ALL);
        expect(model).toEqual([]);
        return [metadata, request_id];
      };
      expect(await named("tICKET-12")).toEqual([[metadataText("conversation_id", 'Ticket-123 "ä"')], []]);
      expect((await named('"Ä"'))[0]).toHaveLength(1);
      expect((await named("ticket"))[0]).toHaveLength(2);
      expect(await named(other.requestId.slice(-8).toLowerCase())).toEqual([[], [other.requestId]]);
      for (const none of ["tick_t", "team", "%"]) expect(await named(none)).toEqual([[], []]);
    });

    it("finds a value that old traces alone have, whatever the keys of newer ones contain", async () => {
      const old = traceWith({ metadata: { team: "Sales", tier: 3 }, createdAtMs: NOON });
      const newer = () => traceWith({ metadata: { sales_id: 0 }, createdAtMs: NOON + 1 });
      await store.append([old, ...Array.from({ length: 10_000 }, newer)]);
      const { metadata } = await store.ask("values", { containing: "sales" }, ALL);
      expect(metadata).toEqual([metadataText("team", "Sales")]);
    });

    describe("for failures", () => {
      it("finds causes call by call, apart by code, status and what was said without its ids and numbers", async () => {
        const call = (code: string, message: string | null, parts: Partial<Attempt> = {}): Attempt => ({
          provider: "openai",
          model: "gpt-4o",
          status: 429,
          code,
          message,
          latency_ms: 3,
          ...parts,
        });
        const ok = call("ok", null, { provider: "azure", status: 200 });
        const slow = (id: string) => call("rate_limited", `Limit "rpm" of org-${id} reached: wait 1${id} s.`);
        const failing = (ms: number, ...attempts: readonly Attempt[]) =>
          failedTrace({ createdAtMs: NOON + ms, provider: "openai", model: "gpt-4o", attempts });
        const both = failing(1, call("server_error", "\u2028 broke", { status: 500 }), slow("10"));
        const rescued = traceWith({ createdAtMs: NOON + 12, model: "other", attempts: [slow("11"), ok] });
        const unserved = { code: "no_provider_available", message: "none of 3" };
        const without = failedTrace({ createdAtMs: NOON + 2, error: unserved });
        const reworded = failing(3, call("rate_limited", "Too many."));
        const passed = call("circuit_open", "not called", { status: null });
        await given(
          failing(-50, slow("6"), call("gone", "not here", { status: 404 })),
          failing(-5, slow("7")),
          failing(0, slow("8"), slow("9")),
          ...[both, rescued, without, reworded, traceWith({ createdAtMs: NOON + 4 })],
          traceWith({ createdAtMs: NOON + 3, attempts: [passed, ok] }),
        );
        const question = { filter: {}, originMs: NOON, stepMs: 10, steps: 3 };
        const found = await askedAsReference("causes", question);
        expect(found.map(({ code, failed, rescued }) => [code, failed, rescued])).toEqual([
          ["rate_limited", 2, 1],
          ["rate_limited", 1, 0],
          ["no_provider_available", 1, 0],
          ["server_error", 1, 0],
        ]);
        expect(await store.ask("causes", question, { scope: { source: "nothing" } })).toEqual([]);
      });

      it("finds the last failed request of each key that is asked for", async () => {
        const failed = (principal: string, ms: number, parts: Partial<Trace> = {}) =>
          failedTrace({ createdAtMs: NOON + ms, principal, ...parts });
        const error = { code: "upstream_timeout", message: "took too long" } as const;
        const last = failed("one", 3, { source: "billing", status: "timeout", error });
        const others = failed("other", 2);
        const succeeded = traceWith({ createdAtMs: NOON + 5, principal: "one" });
        await given(failed("one", 1), others, last, failed("third", 4), succeeded);
        const question = { principals: ["one", "other", "none"], startMs: NOON };
        const found = await store.ask("lastFailures", question, ALL);
        expect(new Set(found)).toEqual(new Set(await reference.ask("lastFailures", question, ALL)));
        expect(found).toHaveLength(2);
        expect(await store.ask("lastFailures", { ...question, startMs: NOON + 3 }, ALL)).toHaveLength(1);
        expect(await store.ask("lastFailures", question, { scope: { source: "billing" } })).toHaveLength(1);
        expect(await store.ask("lastFailures", { ...question, principals: [] }, ALL)).toEqual([]);
      });
    });

    describe("for feedback", () => {
      it("returns any comment unchanged, and replaces it when it is given again, also by none", async () => {
        const [trace] = tracesAt(0) as [Trace];
        await given(trace);
        const last = { score: 0, comment: null, givenAtMs: NOON + 60_000 };
        const hostile = HOSTILE.map((comment, at) => ({ score: 1, comment, givenAtMs: NOON + at }));
        for (const feedback of [...hostile, last]) {
          expect(await give(trace, feedback)).toBe(true);
          expect((await find(trace))?.feedback).toEqual(feedback);
        }
        expect(await exported()).toEqual([{ ...trace, feedback: last }]);
        const sums = await store.ask("feedback", { filter: {}, by: [] }, ALL);
        expect(sums).toEqual([{ group: {}, count: 1, sum: 0 }]);
        expect(await idsOf({ hasFeedback: true })).toEqual([trace.requestId]);
      });

      it("refuses it for an unknown trace and for one outside the scope, and stores nothing", async () => {
        const trace = traceWith({ source: "foreign" });
        await given(trace);
        expect(await give(traceWith())).toBe(false);
        expect(await give(trace, FEEDBACK, { source: "own" })).toBe(false);
        expect(await store.keepFeedback("", FEEDBACK, ALL)).toBe(false);
        expect(await idsOf({ hasFeedback: true })).toEqual([]);
        expect(await give(trace, FEEDBACK, { source: "foreign" })).toBe(true);
      });

      it("removes it with its trace, and keeps it otherwise", async () => {
        const [old, kept] = tracesAt(-1, 0) as [Trace, Trace];
        await given(old, kept);
        await give(old);
        await give(kept);
        expect(await store.removeBefore(NOON)).toBe(1);
        expect(await exported()).toEqual([{ ...kept, feedback: FEEDBACK }]);
        await given(old);
        expect(await find(old)).toEqual(old);
        expect(await idsOf({ hasFeedback: true })).toEqual([kept.requestId]);
      });
    });

    describe("for a single trace", () => {
      it("returns undefined when it does not exist, for any id", async () => {
        await given(traceWith());
        for (const requestId of [requestIdAt(NOON), "req_", "", "x", "%", "req_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
          expect(await find({ requestId })).toBeUndefined();
      });

      it("finds it and its feedback by an id that contains no time, or another time than its arrival", async () => {
        for (const requestId of ["not made here", requestIdAt(NOON + 86_400_000)]) {
          const trace = traceWith({ requestId });
          await given(trace);
          expect(await find(trace)).toEqual(trace);
          expect(await give(trace)).toBe(true);
          expect(await find(trace)).toEqual({ ...trace, feedback: FEEDBACK });
        }
      });
    });

    describe("for statistics", () => {
      it("sums savings exactly, by sign, tag and key, where doubles would drift", async () => {
        const saving = (saved: number, baseline: number, parts: Partial<Trace> = {}, model = "gpt-4o") =>
          traceWith({
            savings: {
              baseline_model: model,
              lost_cache_tokens: 0,
              baseline_cost_usd: baseline / 1e12,
              saved_usd: saved / 1e12,
            },
            // DuckDB sums costs as doubles, ClickHouse as whole numbers.
            usage: { ...USAGE, total_cost_usd: 0.5 },
            ...parts,
          });
        await given(
          ...Array.from({ length: 1000 }, () => saving(-100_000, 1)),
          saving(1_899_999_999_999_999, 1_900_000_000_000_001),
          saving(-7, 3, { metadata: { team: "b" }, principal: "key_2" }, 'lab/"own" model'),
          traceWith(),
        );
        expect(await askedAsReference("stats", { filter: {}, by: ["baseline"] })).toHaveLength(3);
        await askedAsReference("stats", { filter: {}, by: ["key", "metadata.team"] });
        const [{ baselineCostUsd, savedUsd } = {}] = await stats();
        expect([baselineCostUsd, savedUsd]).toEqual([
          1_900_000_000_001_004 / 1e12,
          1_899_999_899_999_992 / 1e12,
        ]);
      });

      it("returns percentiles within one rank, as series do", async () => {
        await given(
          ...Array.from({ length: 200 }, (_, at) =>
            traceWith({ latencyMs: at + 1, ttftMs: (at + 1) / 2, streamed: true }),
          ),
        );
        const steps = { originMs: NOON, stepMs: 60_000 };
        const [[whole], [step]] = [await stats(), await store.ask("series", { filter: {}, steps }, ALL)];
        const { latencyMs, ttftMs } = whole ?? {};
        for (const [found, rank] of [
          [latencyMs?.p50, 100],
          [latencyMs?.p90, 180],
          [latencyMs?.p99, 198],
          [ttftMs?.p50, 50],
          [step?.latencyMs?.p95, 190],
          [step?.ttftMs?.p95, 95],
        ] as const)
          expect(Math.abs((found ?? 0) - rank)).toBeLessThanOrEqual(1);
      });
    });

    describe("for an export", () => {
      it("returns every matching trace once, whole, oldest first, however many", async () => {
        const traces = tracesAt(...Array.from({ length: 1203 }, (_, at) => at % 7));
        await given(...traces, traceWith({ source: "other" }));
        const found = await exported({ source: "default" });
        expect(found.map(idOf)).toEqual(newestFirst(traces).reverse());
        expect(found).toEqual(expect.arrayContaining(traces.slice(0, 50)));
      });

      it.each([{}, { most: 1203 }])("ends when it is aborted during the export: %j", async (most) => {
        await given(...Array.from({ length: 1203 }, () => traceWith({ content: null })));
        const controller = new AbortController();
        const options = { ...ALL, signal: controller.signal };
        const batches = store.export({ filter: {}, ...most }, options)[Symbol.asyncIterator]();
        expect((await batches.next()).value).not.toHaveLength(1203);
        controller.abort(new Error("enough"));
        await expect(batches.next()).rejects.toThrow("enough");
      });
    });

    describe("for a sample", () => {
      it("draws so many from all of the time, whole, oldest first, and the same again", async () => {
        // What is drawn depends on the ids.
        const traces = Array.from({ length: 400 }, (_, at) => {
          const createdAtMs = NOON + at * 60_000;
          const content = { input: said(`prompt ${at}`), output: "…" };
          return routedTrace({ createdAtMs, requestId: requestIdAt(createdAtMs, at), content });
        });
        await given(...traces);
        const drawn = await exportOf(store, { filter: {}, most: 100 }, "all");
        expect(drawn).toHaveLength(100);
        const positions = drawn.map(({ createdAtMs }) => (createdAtMs - NOON) / 60_000);
        expect(positions).toEqual(positions.toSorted((left, right) => left - right));
        expect(drawn).toEqual(positions.map((position) => traces[position]));
        // Of 400 evenly drawn, 100 in a quarter have a standard deviation of 3.8.
        for (const quarter of [0, 1, 2, 3]) {
          const within = positions.filter((position) => Math.floor(position / 100) === quarter).length;
          expect(within).toBeGreaterThan(6);
          expect(within).toBeLessThan(44);
        }
        expect(await exportOf(store, { filter: {}, most: 100 }, "all")).toEqual(drawn);
      });
    });

    it("removes exactly the traces that arrived before a time, and remains writable", async () => {
      const [old, kept] = [traceWith({ createdAtMs: NOON - 1 }), routedTrace()];
      await given(kept, old);
      expect(await store.removeBefore(NOON)).toBe(1);
      expect(await store.removeBefore(NOON)).toBe(0);
      expect([await find(kept), await find(old)]).toEqual([kept, undefined]);
      const [later] = tracesAt(1) as [Trace];
      await given(later);
      await store.appendMissing([later]);
      expect(await idsOf({})).toEqual([later, kept].map(idOf));
    });

    it("rejects any query with the signal's reason when it is already aborted", async () => {
      const options = { ...ALL, signal: AbortSignal.abort(new Error("gone")) };
      const page = { limit: 1, offset: 0 };
      await expect(store.ask("list", { filter: {}, page }, options)).rejects.toThrow("gone");
      await expect(store.ask("find", "x", options)).rejects.toThrow("gone");
      await expect(store.ask("stats", { filter: {}, by: [] }, options)).rejects.toThrow("gone");
    });

    it.each(Array.from({ length: PARTS }, (_, part) => part))(
      "returns what the reference implementation returns, for each filter alone and beside others, in each order: part %i",
      async (part) => {
        const stores = [store, reference];
        for (const { traces, feedback, questions } of fc.sample(anyCase, { numRuns: 1, seed: SEED })) {
          for (const each of stores) {
            await each.append(traces);
            for (const [at, outcome] of feedback.entries())
              await each.keepFeedback(traces[at]?.requestId ?? "none", outcome, ALL);
          }
          for (const question of questions.filter((_, at) => at % PARTS === part)) {
            const [found, expected] = await Promise.all(
              stores.map((each) => answersOf(each, question, traces)),
            );
            expect(found?.exact, JSON.stringify(question)).toEqual(expected?.exact);
            expect(found?.feedback).toEqual(
              expected?.feedback.map(({ sum, ...rest }) => ({ ...rest, sum: expect.closeTo(sum, 9) })),
            );
            expectSameFigures(found?.stats ?? [], expected?.stats ?? []);
          }
        }
      },
    );

    it("is healthy while it is open, returns nothing once it is closed, and can be closed twice", async () => {
      await given(traceWith());
      expect(store.health().ok).toBe(true);
      await Promise.all([store.close(), store.close()]);
      await store.close();
      for (const refused of [
        given(traceWith()),
        list(),
        find({ requestId: "x" }),
        store.ask("values", {}, ALL),
        give(traceWith()),
      ])
        await expect(refused).rejects.toMatchObject({ code: "store_down" });
      expect(store.health().ok).toBe(false);
    });
  });
}

/** Tests that the questions to stores are spread over, so that none takes long. */
const PARTS = 6;

/** By which all stores are asked the same, each time. */
export const SEED = 20_261_128;

/** What is drawn. */
export type DrawnBy<Any> = Any extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const anyQuestion = (filters: readonly (keyof TraceFilter)[]) =>
  fc.record({
    filter: filterBy(filters),
    page: anyPage,
    scope: anyScope,
    by: anyDimensions,
  });

/** Each filter is asked for alone, twice, and with each of the four that follow it in their list. */
const anyCase = fc.record({
  traces: tracesOf(150),
  feedback: fc.array(anyFeedback, { minLength: 50, maxLength: 50, size: "max" }),
  questions: fc.tuple(
    ...FILTERS.flatMap((name, at) =>
      [0, 0, 1, 2, 3, 4].map((step) => anyQuestion([name, FILTERS[(at + step) % FILTERS.length] ?? name])),
    ),
  ),
});

/** Of a cause: all but what is of its last call, which of several at the same time may be any. */
const COUNTED = [
  ...["code", "provider", "model", "status", "failed", "rescued", "elsewhere"],
  ...["failedBefore", "rescuedBefore", "series", "firstMs", "lastMs"],
];

type Question = DrawnBy<ReturnType<typeof anyQuestion>>;

/** What a store answers of everything that can be asked, where two stores may differ in the order of sums apart. */
async function answersOf(store: TraceStore, { filter, page, scope, by }: Question, traces: readonly Trace[]) {
  const principals = traces.slice(0, page.limit).map(({ principal }) => principal);
  const failures = await store.ask("lastFailures", { principals, startMs: filter.startMs ?? 0 }, { scope });
  const days = { originMs: NOON + 2, stepMs: 86_400_000, steps: 3 };
  const causes = await store.ask("causes", { filter, ...days }, { scope });
  return {
    exact: {
      list: await store.ask("list", { filter, page }, { scope }),
      exported: await exportOf(store, { filter }, scope),
      sampled: await exportOf(store, { filter, most: 1000 }, scope),
      values: await store.ask("values", {}, { scope }),
      failures: failures.map(({ principal, createdAtMs }) => `${principal} ${createdAtMs}`).toSorted(),
      found: await store.ask("find", traces[page.offset]?.requestId ?? "none", { scope }),
      causes: causes.map((cause) => JSON.stringify(cause, COUNTED)).toSorted(),
    },
    stats: await store.ask("stats", { filter, by }, { scope }),
    feedback: await store.ask("feedback", { filter, by }, { scope }),
  };
}

async function exportOf(
  store: TraceStore,
  selection: { readonly filter: TraceFilter; readonly most?: number },
  scope: TraceScope,
): Promise<Trace[]> {
  const found: Trace[] = [];
  for await (const batch of store.export(selection, { scope })) found.push(...batch);
  return found;
}

type Figures = AnswerTo<"stats"> | AnswerTo<"series">;

/** Sums of costs depend on the order in which they are added; percentiles may be a rank off. */
export function expectSameFigures(found: Figures, expected: Figures): void {
  const comparable = (figures: Figures) =>
    figures.map(({ costUsd, latencyMs, ttftMs, streamedLatencyMs, ...exact }, at) => {
      expect(costUsd).toBeCloseTo(expected[at]?.costUsd ?? Number.NaN, 9);
      return { exact, known: [latencyMs, ttftMs, streamedLatencyMs].map((times) => times !== null) };
    });
  expect(comparable(found)).toEqual(comparable(expected));
}
