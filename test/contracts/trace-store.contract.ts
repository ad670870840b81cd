import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LastFailure } from "../../src/gateway/traces/last-failures.js";
import type { TraceDimension } from "../../src/gateway/traces/series.js";
import type {
  AnswerTo,
  TraceFilter,
  TraceOrder,
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
  anyFilter,
  anyPage,
  anyScope,
  anyTraces,
} from "../gateway/traces/arbitrary-traces.js";
import {
  failedTrace,
  HOSTILE,
  NOON,
  requestIdAt,
  routedTrace,
  traceWith,
  USAGE,
} from "../gateway/traces/trace-for-test.js";

/** How the store to be tested is had. */
export interface StoreUnderTest {
  /** An empty store, new or emptied. */
  open(): Promise<TraceStore>;
  /** Called after each test; the test may have closed it. */
  dispose(store: TraceStore): Promise<void>;
  /** Random cases of each property. */
  readonly runs: number;
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

const hostile = (text: string): readonly TracedMessage[] => [
  { role: "assistant", content: text, tool_calls: [{ type: "custom", custom: { name: text, input: text } }] },
  { role: "user", content: [text, text].map((part) => ({ type: "text", text: part })), name: text },
];

const halves = (half: string): readonly TracedMessage[] => [
  { role: "system", content: half },
  { role: "user", content: `a${half}b` },
];

const prompt = (input: string | readonly TracedMessage[], parts: Partial<Trace> = {}): Trace =>
  traceWith({ content: { input, output: "" }, ...parts });

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
    beforeEach(async () => {
      store = await underTest.open();
    });
    afterEach(() => underTest.dispose(store));

    const given = (...traces: readonly Trace[]) => store.append(traces);
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
        ["a chat", traceWith()],
        ["a failure without model, usage or content", failedTrace()],
        ["a routed request", routedTrace()],
        ["a cost that is not known", traceWith({ usage: UNPRICED })],
        ["a conversation", prompt(CONVERSATION)],
        ["a conversation of very many messages", prompt(MANY_MESSAGES)],
        ["no messages", prompt([])],
        ["the one text that earlier versions kept", prompt("user: hello")],
        ["empty texts", prompt("")],
        ["reasoning", traceWith({ content: { input: "Why?", output: "So.", reasoning: "Hm." } })],
        ["empty reasoning", traceWith({ content: { input: "", output: "", reasoning: "" } })],
        ["streamed, timed out", traceWith({ streamed: true, status: "timeout", kind: "completion" })],
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
      it("has the fields of a summary, with unknown figures as null", async () => {
        const [chat, failed] = [traceWith(), failedTrace({ createdAtMs: NOON + 1 })];
        await given(chat, failed);
        const common = {
          kind: "chat",
          source: "default",
          principal: "key_1",
          latencyMs: 812.5,
          inputStart: null,
        };
        expect((await list()).traces).toEqual([
          {
            ...common,
            requestId: failed.requestId,
            createdAtMs: NOON + 1,
            status: "error",
            model: null,
            provider: null,
            errorCode: "upstream_error",
            tokensIn: null,
            tokensOut: null,
            costUsd: null,
          },
          {
            ...common,
            requestId: chat.requestId,
            createdAtMs: NOON,
            status: "success",
            model: "gpt-4o-mini",
            provider: "openai",
            errorCode: null,
            tokensIn: 12,
            tokensOut: 7,
            costUsd: 0.0004,
          },
        ]);
      });

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

      it("sorts by a figure, unknown ones last, of equal ones the newest first", async () => {
        const at = (ms: number, latencyMs: number, total_cost_usd: number | null) =>
          traceWith({ createdAtMs: NOON + ms, latencyMs, usage: { ...USAGE, total_cost_usd } });
        await given(at(0, 30, 0.5), at(1, 10, null), at(2, 20, 2), at(3, 20, 0.5));
        const inOrder = async (by: TraceOrder["by"], direction: TraceOrder["direction"], offset = 0) =>
          (await list({}, { offset, order: { by, direction } })).traces.map(
            ({ createdAtMs }) => createdAtMs - NOON,
          );
        expect(await inOrder("cost_usd", "desc")).toEqual([2, 3, 0, 1]);
        expect(await inOrder("cost_usd", "asc")).toEqual([3, 0, 2, 1]);
        expect(await inOrder("latency_ms", "desc")).toEqual([0, 3, 2, 1]);
        expect(await inOrder("created_at", "asc")).toEqual([0, 1, 2, 3]);
        expect(await inOrder("created_at", "desc")).toEqual([3, 2, 1, 0]);
        expect(await inOrder("latency_ms", "asc", 3)).toEqual([0]);
        expect(await inOrder("latency_ms", "asc", 4)).toEqual([]);
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
      const called = (provider: string, model: string, code: string, message = ""): Attempt => ({
        provider,
        model,
        status: null,
        code,
        message,
        latency_ms: 3,
      });

      it("finds requests by the code of an attempt, rescued ones too, at the model and provider of that attempt", async () => {
        const limited = called("openai", "gpt-4o", "rate_limited");
        const rescued = traceWith({ attempts: [limited, called("azure", "gpt-4o-mini", "ok")] });
        const quoted = failedTrace({
          attempts: [called("openai", "gpt-4o", "server_error", JSON.stringify([limited]))],
          model: "gpt-4o",
          provider: "openai",
        });
        await given(rescued, quoted);
        const attemptCode = "rate_limited";
        expect(await idsOf({ attemptCode })).toEqual([rescued.requestId]);
        expect(await idsOf({ attemptCode, model: "gpt-4o", provider: "openai" })).toEqual([
          rescued.requestId,
        ]);
        expect(await idsOf({ attemptCode, model: "gpt-4o-mini" })).toEqual([]);
        expect(await idsOf({ attemptCode, provider: "azure" })).toEqual([]);
        expect(await idsOf({ attemptCode: "upstream_error", model: "gpt-4o" })).toEqual([quoted.requestId]);
        expect(await idsOf({ attemptCode: "upstream_error", model: "gpt-4o-mini" })).toEqual([]);
      });

      it("does not look for text in reasoning, however long", async () => {
        const long = `needle${"x".repeat(40_000)}`;
        const thought = ["needle", long].map((reasoning) =>
          traceWith({ content: { input: "a", output: "b", reasoning } }),
        );
        const found = traceWith({ content: { input: "", output: long } });
        await given(...thought, found);
        expect(await idsOf({ text: "needle" })).toEqual([found.requestId]);
        for (const trace of thought) expect(await find(trace)).toEqual(trace);
      });

      it("finds parts of prompts or answers exactly as written, also at the end of long ones", async () => {
        const filler = "lorem ipsum ".repeat(5000);
        const asked = prompt(`Grüße aus 100 % Berlin. ${filler}needle`);
        const answered = traceWith({ content: { input: "", output: `der Gruß_ ${filler}thread` } });
        const [inAsked, inAnswered, inBoth] = [[asked], [answered], [answered, asked]].map((each) =>
          each.map(idOf),
        );
        await given(asked, answered, failedTrace());
        for (const [text, ids] of [
          ["Gr", inBoth],
          ["gr", []],
          ["Gru", inAnswered],
          ["Gru\u00df_", inAnswered],
          ["100 %", inAsked],
          ["1%B", []],
          ["m needle", inAsked],
          ["m thread", inAnswered],
          ["lorem", inBoth],
          ["needleder", []],
        ] as const)
          expect([text, await idsOf({ text })]).toEqual([text, ids]);
      });

      it("finds what is said anywhere in a conversation, and no name or sign of its form", async () => {
        const [trace, many] = [prompt(CONVERSATION), prompt(MANY_MESSAGES)];
        await given(trace, many);
        const said = [
          'Be "brief".\nuser: hi',
          "Here?",
          "Where then?",
          "Look it up",
          "weather",
          '{"city":"Ulm"}',
          "7 °C",
          "map.pdf",
        ];
        for (const text of said) expect([text, await idsOf({ text })]).toEqual([text, [trace.requestId]]);
        for (const text of ["question 0 ", "question 1400 ", "answer 701 ", "question 2999 "])
          expect([text, await idsOf({ text })]).toEqual([text, [many.requestId]]);
        const form = [
          "system",
          "role",
          "content",
          "tool_call",
          "call_1",
          "image",
          "application",
          "98765",
          "brief\\",
          "nuser",
          "[{",
          "question 3000 ",
        ];
        for (const text of form) expect([text, await idsOf({ text })]).toEqual([text, []]);
      });

      it("compares metadata values as text, numbers and booleans included, whole keys and values only", async () => {
        const number = traceWith({ metadata: { tier: 3, beta: true, rate: 1e21 } });
        const text = traceWith({ metadata: { tier: "3", beta: "true", rate: "0.1" } });
        const other = traceWith({ metadata: { tier: 30, Tier: "3", tie: "r3", a: '","tier":"3"' } });
        await given(number, text, other, failedTrace());
        for (const [key, value, found] of [
          ["tier", "3", [text, number]],
          ["beta", "true", [text, number]],
          ["rate", "1e+21", [number]],
          ["tier", "3.0", []],
          ["tier", "", []],
          ["", "3", []],
        ] as const)
          expect(await idsOf({ metadata: [{ key, value }] }), `${key}: ${value}`).toEqual(found.map(idOf));
        const both = [
          { key: "tier", value: "3" },
          { key: "rate", value: "0.1" },
        ];
        expect(await idsOf({ metadata: both })).toEqual([text.requestId]);
        expect(await idsOf({ metadata: [...both, { key: "rate", value: "0.2" }] })).toEqual([]);
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

      it("requires all filters to match", async () => {
        const parts = { source: "shop", status: "timeout", principal: "key_2" } as const;
        const wanted = routedTrace({
          ...parts,
          error: { code: "upstream_timeout", message: "" },
          metadata: { a: "b" },
        });
        await given(wanted, routedTrace({ source: "shop", status: "timeout" }), routedTrace(), traceWith());
        await give(wanted);
        const filter: TraceFilter = {
          ...parts,
          startMs: NOON,
          endMs: NOON + 1,
          model: "gpt-4o-mini",
          provider: "openai",
          kind: "router",
          errorCode: "upstream_timeout",
          hasFeedback: true,
          text: "2 + 2",
          metadata: [{ key: "a", value: "b" }],
        };
        expect(await idsOf(filter)).toEqual([wanted.requestId]);
      });
    });

    describe("for the values of the newest traces", () => {
      const values = (scope: TraceScope = "all") => store.ask("values", undefined, { scope });

      it("returns each once, the most frequent first, without unknown ones", async () => {
        const source = "\ufeffé'";
        await given(
          traceWith({ model: "b", metadata: { session: "1", tier: 2 }, effort: "low", source }),
          traceWith({ model: "a", metadata: { session: "2" }, source }),
          traceWith({ model: "a", metadata: { 'quo"te': true }, principal: "jwt:ada" }),
          failedTrace(),
        );
        expect(await values()).toEqual({
          model: ["a", "b"],
          provider: ["openai"],
          source: ["default", source],
          principal: ["key_1", "jwt:ada"],
          error_code: ["upstream_error"],
          effort: ["low"],
          metadata_key: ["session", 'quo"te', "tier"],
          metadata: ["4:tier2", '6:quo"tetrue', "7:session1", "7:session2"],
        });
        expect((await values({ source })).model).toEqual(["a", "b"]);
        expect((await values({ source: "none" })).source).toEqual([]);
      });

      it("returns at most 100 of each", async () => {
        const models = Array.from({ length: 120 }, (_, at) => `model ${String(at).padStart(3, "0")}`);
        await given(...models.map((model) => traceWith({ model })));
        expect((await values()).model).toEqual(models.slice(0, 100));
      });
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
        const once = (ms: number) => ({
          code: "rate_limited",
          provider: "openai",
          model: "gpt-4o",
          status: 429,
          failed: 1,
          rescued: 0,
          elsewhere: 0,
          failedBefore: 0,
          rescuedBefore: 0,
          series: [1, 0, 0],
          errorCode: "upstream_error",
          firstMs: NOON + ms,
          lastMs: NOON + ms,
        });
        expect(await store.ask("causes", question, ALL)).toEqual([
          {
            ...once(0),
            failed: 2,
            rescued: 1,
            elsewhere: 1,
            failedBefore: 2,
            series: [2, 1, 0],
            lastMs: NOON + 12,
            last: { requestId: rescued.requestId, message: 'Limit "rpm" of org-11 reached: wait 111 s.' },
          },
          { ...once(3), last: { requestId: reworded.requestId, message: "Too many." } },
          {
            ...once(2),
            code: unserved.code,
            provider: null,
            model: null,
            status: null,
            errorCode: unserved.code,
            last: { requestId: without.requestId, message: "none of 3" },
          },
          {
            ...once(1),
            code: "server_error",
            status: 500,
            last: { requestId: both.requestId, message: "\u2028 broke" },
          },
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
        expect(found.toSorted((left, right) => left.createdAtMs - right.createdAtMs)).toEqual([
          {
            principal: "other",
            requestId: others.requestId,
            createdAtMs: NOON + 2,
            errorCode: "upstream_error",
          },
          {
            principal: "one",
            requestId: last.requestId,
            createdAtMs: NOON + 3,
            errorCode: "upstream_timeout",
          },
        ]);
        expect(await store.ask("lastFailures", { ...question, startMs: NOON + 3 }, ALL)).toHaveLength(1);
        expect(await store.ask("lastFailures", question, { scope: { source: "billing" } })).toHaveLength(1);
        expect(await store.ask("lastFailures", { ...question, principals: [] }, ALL)).toEqual([]);
      });
    });

    describe("for feedback", () => {
      it("returns it with its trace, alone and in exports, and with no other, and filters by its presence", async () => {
        const [rated, other] = tracesAt(0, 1) as [Trace, Trace];
        await given(rated, other);
        expect(await idsOf({ hasFeedback: false })).toEqual([other, rated].map(idOf));
        expect(await give(rated)).toBe(true);
        const withIt = { ...rated, feedback: FEEDBACK };
        expect([await find(rated), await find(other)]).toEqual([withIt, other]);
        expect(await exported()).toEqual([withIt, other]);
        expect(await idsOf({ hasFeedback: true })).toEqual([rated.requestId]);
        expect(await idsOf({ hasFeedback: false })).toEqual([other.requestId]);
        expect(await stats([], { hasFeedback: true })).toMatchObject([{ requests: 1 }]);
        expect(await exported({ hasFeedback: false })).toEqual([other]);
      });

      it("replaces it when it is given again, also a comment by none", async () => {
        const [trace] = tracesAt(0) as [Trace];
        await given(trace);
        const { givenAtMs } = FEEDBACK;
        const last = { score: 0, comment: null, givenAtMs: givenAtMs + 2 };
        for (const feedback of [FEEDBACK, { ...FEEDBACK, score: 1, givenAtMs: givenAtMs + 1 }, last])
          expect(await give(trace, feedback)).toBe(true);
        expect((await find(trace))?.feedback).toEqual(last);
        expect(await exported()).toEqual([{ ...trace, feedback: last }]);
        expect(await idsOf({ hasFeedback: true })).toEqual([trace.requestId]);
      });

      it("returns any comment unchanged", async () => {
        const traces = HOSTILE.map(() => traceWith());
        await given(...traces);
        for (const [at, trace] of traces.entries())
          await give(trace, { ...FEEDBACK, comment: HOSTILE[at] ?? "" });
        expect((await exported()).map(({ feedback }) => feedback?.comment)).toEqual(HOSTILE);
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

    it("hides other sources from a scope, also from a filter by another source", async () => {
      const [own, foreign] = [traceWith({ source: "own" }), traceWith({ source: "foreign" })];
      await given(own, foreign);
      const options = { scope: { source: "own" } };
      expect(await idsOf({}, options.scope)).toEqual([own.requestId]);
      expect(await store.ask("find", own.requestId, options)).toEqual(own);
      expect(await store.ask("find", foreign.requestId, options)).toBeUndefined();
      expect(await store.ask("stats", { filter: {}, by: ["source"] }, options)).toMatchObject([
        { group: { source: "own" }, requests: 1 },
      ]);
      expect(await exported({}, options.scope)).toEqual([own]);
      const filter = { source: "foreign" };
      expect(await idsOf(filter, options.scope)).toEqual([]);
      expect(await store.ask("stats", { filter, by: [] }, options)).toEqual([]);
      expect(await exported(filter, options.scope)).toEqual([]);
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
      it("sums and counts known values by the requested dimensions, nulls last", async () => {
        await given(
          traceWith({ latencyMs: 10, ttftMs: 1, streamed: true }),
          traceWith({ latencyMs: 30, ttftMs: null, usage: UNPRICED }),
          traceWith({ latencyMs: 20, ttftMs: 2, createdAtMs: NOON + 86_400_000 }),
          failedTrace({ latencyMs: 5 }),
          traceWith({ status: "timeout", model: "a", latencyMs: 7, ttftMs: 7 }),
        );
        expect(await stats(["model", "day"])).toEqual([
          {
            group: { model: "a", day: "2026-01-15" },
            requests: 1,
            errors: 0,
            timeouts: 1,
            decisions: 0,
            tokensIn: 12,
            tokensOut: 7,
            costUsd: 0.0004,
            requestsWithoutCost: 0,
            requestsWithBaseline: 0,
            baselineCostUsd: 0,
            savedUsd: 0,
            latencyMs: null,
            ttftMs: null,
            streamedLatencyMs: null,
          },
          expect.objectContaining({
            group: { model: "gpt-4o-mini", day: "2026-01-15" },
            requests: 2,
            tokensIn: 24,
            tokensOut: 14,
            costUsd: 0.0004,
            requestsWithoutCost: 1,
            ttftMs: { p50: 1, p90: 1, p99: 1 },
            streamedLatencyMs: { p50: 10, p90: 10, p99: 10 },
          }),
          expect.objectContaining({ group: { model: "gpt-4o-mini", day: "2026-01-16" }, requests: 1 }),
          expect.objectContaining({
            group: { model: null, day: "2026-01-15" },
            errors: 1,
            tokensIn: 0,
            requestsWithoutCost: 1,
            ttftMs: null,
          }),
        ]);
      });

      it("sums savings exactly, by sign, tag and key, where doubles would drift", async () => {
        const saving = (saved: number, baseline: number, parts: Partial<Trace> = {}) =>
          traceWith({
            savings: {
              baseline_model: "gpt-4o",
              lost_cache_tokens: 0,
              baseline_cost_usd: baseline / 1e12,
              saved_usd: saved / 1e12,
            },
            ...parts,
          });
        await given(
          ...Array.from({ length: 1000 }, () => saving(-100_000, 1)),
          saving(1_899_999_999_999_999, 1_900_000_000_000_001),
          saving(-7, 3, { metadata: { team: "b" }, principal: "key_2" }),
          traceWith(),
        );
        expect(await stats(["key", "metadata.team"])).toMatchObject([
          {
            group: { key: "key_1", "metadata.team": null },
            requestsWithBaseline: 1001,
            baselineCostUsd: 1_900_000_000_001_001 / 1e12,
            savedUsd: 1_899_999_899_999_999 / 1e12,
          },
          {
            group: { key: "key_2", "metadata.team": "b" },
            requestsWithBaseline: 1,
            baselineCostUsd: 3e-12,
            savedUsd: -7e-12,
          },
        ]);
      });

      it("returns percentiles within one rank", async () => {
        await given(...Array.from({ length: 200 }, (_, at) => traceWith({ latencyMs: at + 1 })));
        const [found] = await stats();
        for (const [share, rank] of [
          ["p50", 100],
          ["p90", 180],
          ["p99", 198],
        ] as const)
          expect(Math.abs((found?.latencyMs?.[share] ?? 0) - rank)).toBeLessThanOrEqual(1);
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
          const content = { input: `prompt ${at}`, output: "…" };
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

      it("has all that match where there are no more, with their feedback, within the scope", async () => {
        const own = traceWith({ source: "billing", model: "other" });
        await given(own, traceWith({ source: "billing" }), traceWith({ source: "search", model: "other" }));
        await give(own);
        const sampled = (model: string) =>
          exportOf(store, { filter: { model }, most: 5 }, { source: "billing" });
        expect(await sampled("other")).toEqual([{ ...own, feedback: FEEDBACK }]);
        expect(await sampled("nobody's")).toEqual([]);
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

    it("returns for arbitrary traces and questions what the reference implementation returns", async () => {
      const reference = new MemoryTraceStore();
      const property = fc.asyncProperty(
        anyTraces,
        fc.array(anyFeedback, { maxLength: 10 }),
        fc.array(anyQuestion, { minLength: 5, maxLength: 10 }),
        async (traces, feedback, questions) => {
          const stores = [store, reference];
          for (const each of stores) {
            await each.append(traces);
            for (const [at, outcome] of feedback.entries())
              await each.keepFeedback(traces[at]?.requestId ?? "none", outcome, ALL);
          }
          for (const question of questions) {
            const [found, expected] = await Promise.all(
              stores.map((each) => answersOf(each, question, traces)),
            );
            expect(found?.exact).toEqual(expected?.exact);
            expectSameStats(found?.stats ?? [], expected?.stats ?? []);
          }
        },
      );
      await fc.assert(property, { numRuns: underTest.runs });
    });

    it("is healthy while it is open, returns nothing once it is closed, and can be closed twice", async () => {
      await given(traceWith());
      expect(store.health().ok).toBe(true);
      await Promise.all([store.close(), store.close()]);
      await store.close();
      for (const refused of [
        given(traceWith()),
        list(),
        find({ requestId: "x" }),
        store.ask("values", undefined, ALL),
        give(traceWith()),
      ])
        await expect(refused).rejects.toMatchObject({ code: "store_down" });
      expect(store.health().ok).toBe(false);
    });
  });
}

interface Question {
  readonly filter: TraceFilter;
  readonly page: TracePage;
  readonly scope: TraceScope;
  readonly by: readonly TraceDimension[];
}
const anyQuestion: fc.Arbitrary<Question> = fc.record({
  filter: anyFilter,
  page: anyPage,
  scope: anyScope,
  by: anyDimensions,
});

/** What a store answers of everything that can be asked, where two stores may differ in the order of sums apart. */
async function answersOf(store: TraceStore, { filter, page, scope, by }: Question, traces: readonly Trace[]) {
  const keys = { principals: traces.map(({ principal }) => principal), startMs: filter.startMs ?? 0 };
  const failures: readonly LastFailure[] = await store.ask("lastFailures", keys, { scope });
  const some = traces[page.offset % Math.max(1, traces.length)]?.requestId ?? "none";
  return {
    exact: {
      list: await store.ask("list", { filter, page }, { scope }),
      exported: await exportOf(store, { filter }, scope),
      values: await store.ask("values", undefined, { scope }),
      failures: failures.map(({ principal, createdAtMs }) => `${principal} ${createdAtMs}`).toSorted(),
      found: await store.ask("find", some, { scope }),
    },
    stats: await store.ask("stats", { filter, by }, { scope }),
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

type Stats = AnswerTo<"stats">;

/** Sums of costs depend on the order in which they are added; percentiles may be a rank off. */
function expectSameStats(found: Stats, expected: Stats): void {
  const comparable = (stats: Stats) =>
    stats.map(({ costUsd, latencyMs, ttftMs, streamedLatencyMs, ...exact }, at) => {
      expect(costUsd).toBeCloseTo(expected[at]?.costUsd ?? Number.NaN, 9);
      return { exact, known: [latencyMs, ttftMs, streamedLatencyMs].map((times) => times !== null) };
    });
  expect(comparable(found)).toEqual(comparable(expected));
}
