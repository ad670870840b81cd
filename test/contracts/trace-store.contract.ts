import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseTraceQuery } from "../../src/gateway/api/traces/trace-query.js";
import type { LastFailure } from "../../src/gateway/traces/last-failures.js";
import type {
  AnswerTo,
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
const FIRST_PAGE: TracePage = { limit: 100, offset: 0 };

/** What makes a conversation: roles, parts, calls, and lines that look like other messages. */
const CONVERSATION: readonly TracedMessage[] = [
  { role: "system", content: 'Be "brief".\nuser: hi' },
  {
    role: "user",
    content: [
      { type: "text", text: "Here? 𝄞" },
      { type: "image_url", media_type: "image/png", bytes: 1234 },
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
  {
    role: "user",
    content: [
      { type: "text", text },
      { type: "text", text },
    ],
    name: text,
  },
];

const halves = (half: string): readonly TracedMessage[] => [
  { role: "system", content: half },
  { role: "user", content: `a${half}b` },
];

/** What every `TraceStore` promises. */
export function traceStoreContract(name: string, underTest: StoreUnderTest): void {
  describe(`${name}, as a trace store,`, () => {
    let store: TraceStore;
    beforeEach(async () => {
      store = await underTest.open();
    });
    afterEach(() => underTest.dispose(store));
    const given = async (...traces: readonly Trace[]): Promise<void> => store.append(traces);
    const idsOf = async (filter: TraceFilter, scope: TraceScope = "all"): Promise<string[]> => {
      const { traces, total, hasMore } = await store.ask(
        "list",
        { filter, page: { limit: 1000, offset: 0 } },
        { scope },
      );
      expect({ total, hasMore }).toEqual({ total: traces.length, hasMore: false });
      return traces.map(({ requestId }) => requestId);
    };

    describe("when it stores traces", () => {
      it.each([
        ["a chat", traceWith()],
        ["a failure without model, usage or content", failedTrace()],
        ["a routed request", routedTrace()],
        ["a cost that is not known", traceWith({ usage: { ...USAGE_WITHOUT_COST } })],
        ["a conversation", traceWith({ content: { input: CONVERSATION, output: "It rains." } })],
        [
          "a conversation of very many messages",
          traceWith({ content: { input: MANY_MESSAGES, output: "" } }),
        ],
        ["no messages", traceWith({ content: { input: [], output: "" } })],
        [
          "the one text that earlier versions kept",
          traceWith({ content: { input: "user: hello", output: "" } }),
        ],
        ["empty texts", traceWith({ content: { input: "", output: "" } })],
        ["no content", traceWith({ content: null })],
        ["reasoning", traceWith({ content: { input: "Why?", output: "So.", reasoning: "Hm." } })],
        ["empty reasoning", traceWith({ content: { input: "", output: "", reasoning: "" } })],
        ["streamed, timed out", traceWith({ streamed: true, status: "timeout", kind: "completion" })],
      ])("returns them unchanged: %s", async (_, trace) => {
        await given(trace);
        expect(await store.ask("find", trace.requestId, ALL)).toEqual(trace);
      });

      it.each(HOSTILE.map((text, at) => [at, text] as const))(
        "returns them unchanged for arbitrary texts (%i)",
        async (_, text) => {
          const trace = traceWith({
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
          });
          await given(traceWith(), trace);
          expect(await store.ask("find", trace.requestId, ALL)).toEqual(trace);
          const filter = {
            model: text,
            provider: text,
            source: text,
            metadata: [{ key: text, value: text }],
          };
          expect(await idsOf(filter)).toEqual([trace.requestId]);
          if (text !== "") expect(await idsOf({ text })).toContain(trace.requestId);
        },
      );

      it("replaces half a surrogate pair by U+FFFD, optionally not in metadata", async () => {
        const trace = traceWith({
          content: { input: halves("\ud800"), output: "\udc00", reasoning: "\ud800" },
          metadata: { k: "\ud800" },
        });
        await given(trace);
        const { metadata, ...found } = (await store.ask("find", trace.requestId, ALL)) ?? trace;
        const { metadata: asGiven, ...expected } = trace;
        expect(found).toEqual({
          ...expected,
          content: { input: halves("\ufffd"), output: "\ufffd", reasoning: "\ufffd" },
        });
        expect([asGiven, { k: "\ufffd" }]).toContainEqual(metadata);
      });

      it("lists the fields of a summary, with unknown figures as null", async () => {
        const [chat, failed] = [traceWith(), failedTrace({ createdAtMs: NOON + 1 })];
        await given(chat, failed);
        const { traces } = await store.ask("list", { filter: {}, page: FIRST_PAGE }, ALL);
        expect(traces).toEqual([
          {
            requestId: failed.requestId,
            kind: "chat",
            model: null,
            provider: null,
            tokensIn: null,
            tokensOut: null,
            costUsd: null,
            latencyMs: 812.5,
            status: "error",
            createdAtMs: NOON + 1,
            source: "default",
            principal: "key_1",
            errorCode: "upstream_error",
            inputStart: null,
          },
          {
            requestId: chat.requestId,
            kind: "chat",
            model: "gpt-4o-mini",
            provider: "openai",
            tokensIn: 12,
            tokensOut: 7,
            costUsd: 0.0004,
            latencyMs: 812.5,
            status: "success",
            createdAtMs: NOON,
            source: "default",
            principal: "key_1",
            errorCode: null,
            inputStart: null,
          },
        ]);
      });

      it("lists as many characters of each prompt as are asked for", async () => {
        const long = "é👩‍👩‍👧".repeat(40_000);
        const inputs = ["\ufeffshort", "", long];
        await given(
          ...inputs.map((input, at) =>
            traceWith({ createdAtMs: NOON - at, content: { input, output: "x" } }),
          ),
          traceWith({ createdAtMs: NOON - 9, content: null }),
        );
        const starts = async (filter: TraceFilter) =>
          (await store.ask("list", { filter, page: { ...FIRST_PAGE, inputCharacters: 4 } }, ALL)).traces.map(
            ({ inputStart }) => inputStart,
          );
        expect(await starts({})).toEqual(["\ufeffsho", "", [...long].slice(0, 4).join(""), null]);
        expect(await starts({ text: "short" })).toEqual(["\ufeffsho"]);
      });

      it("finds requests by the code of an attempt, rescued ones too, at the model and provider of that attempt", async () => {
        const called = (provider: string, model: string, code: string, message = ""): Attempt => ({
          ...{ provider, model, status: null, code, message, latency_ms: 3 },
        });
        const rescued = traceWith({
          createdAtMs: NOON,
          attempts: [called("openai", "gpt-4o", "rate_limited"), called("azure", "gpt-4o-mini", "ok")],
        });
        const said = JSON.stringify([called("openai", "gpt-4o", "rate_limited")]);
        const quoted = failedTrace({
          createdAtMs: NOON + 1,
          attempts: [called("openai", "gpt-4o", "server_error", said)],
          error: { code: "upstream_error", message: "" },
          ...{ model: "gpt-4o", provider: "openai" },
        });
        await given(rescued, quoted);
        const found = async (filter: TraceFilter) =>
          (await store.ask("list", { filter, page: { limit: 9, offset: 0 } }, ALL)).traces.map(
            ({ requestId }) => requestId,
          );
        const attemptCode = "rate_limited";
        expect(await found({ attemptCode })).toEqual([rescued.requestId]);
        expect(await found({ attemptCode, model: "gpt-4o", provider: "openai" })).toEqual([
          rescued.requestId,
        ]);
        expect(await found({ attemptCode, model: "gpt-4o-mini" })).toEqual([]);
        expect(await found({ attemptCode, provider: "azure" })).toEqual([]);
        expect(await found({ attemptCode: "upstream_error", model: "gpt-4o" })).toEqual([quoted.requestId]);
        expect(await found({ attemptCode: "upstream_error", model: "gpt-4o-mini" })).toEqual([]);
      });

      it("tells decisions alone from what was executed", async () => {
        const alone = traceWith({ createdAtMs: NOON, kind: "router", usage: null });
        const run = traceWith({ createdAtMs: NOON + 1, kind: "router" });
        const other = failedTrace({ createdAtMs: NOON + 2, kind: "router" });
        await given(alone, run, other);
        const found = async (executed: boolean) =>
          (await store.ask("list", { filter: { executed }, page: { limit: 9, offset: 0 } }, ALL)).traces.map(
            ({ requestId }) => requestId,
          );
        expect(await found(false)).toEqual([alone.requestId]);
        expect(await found(true)).toEqual([other.requestId, run.requestId]);
      });

      it("finds causes call by call, apart by code, status and what was said without its ids and numbers", async () => {
        const call = (code: string, message: string | null, parts: Partial<Attempt> = {}): Attempt => ({
          ...{ provider: "openai", model: "gpt-4o", status: 429, code, message, latency_ms: 3 },
          ...parts,
        });
        const ok = call("ok", null, { provider: "azure", status: 200 });
        const slow = (id: string) => call("rate_limited", `Limit "rpm" of org-${id} reached: wait 1${id} s.`);
        const failing = (createdAtMs: number, attempts: readonly Attempt[]) =>
          failedTrace({ createdAtMs, provider: "openai", model: "gpt-4o", attempts });
        const [earlier, first, second, both, rescued] = [
          failing(NOON - 50, [slow("6"), call("gone", "not here", { status: 404 })]),
          failing(NOON - 5, [slow("7")]),
          failing(NOON, [slow("8"), slow("9")]),
          failing(NOON + 1, [call("server_error", "\u2028 broke", { status: 500 }), slow("10")]),
          traceWith({ createdAtMs: NOON + 12, model: "other", attempts: [slow("11"), ok] }),
        ];
        const without = failedTrace({
          createdAtMs: NOON + 2,
          error: { code: "no_provider_available", message: "none of 3" },
        });
        const reworded = failing(NOON + 3, [call("rate_limited", "Too many.")]);
        const passed = call("circuit_open", "not called", { status: null });
        const quiet = traceWith({ createdAtMs: NOON + 3, attempts: [passed, ok] });
        await given(earlier, first, second, both);
        await given(rescued, without, reworded, quiet, traceWith({ createdAtMs: NOON + 4 }));
        const steps = { originMs: NOON, stepMs: 10, steps: 3 };
        const limited = { code: "rate_limited", provider: "openai", model: "gpt-4o", status: 429 };
        const once = {
          ...{ failed: 1, rescued: 0, elsewhere: 0, failedBefore: 0, rescuedBefore: 0, series: [1, 0, 0] },
          errorCode: "upstream_error",
        };
        expect(await store.ask("causes", { filter: {}, ...steps }, ALL)).toEqual([
          {
            ...{
              ...limited,
              ...once,
              failed: 2,
              rescued: 1,
              elsewhere: 1,
              failedBefore: 2,
              series: [2, 1, 0],
            },
            ...{ firstMs: NOON, lastMs: NOON + 12 },
            last: { requestId: rescued.requestId, message: 'Limit "rpm" of org-11 reached: wait 111 s.' },
          },
          {
            ...{ ...limited, ...once, firstMs: NOON + 3, lastMs: NOON + 3 },
            last: { requestId: reworded.requestId, message: "Too many." },
          },
          {
            ...{ ...once, code: "no_provider_available", provider: null, model: null, status: null },
            ...{ errorCode: "no_provider_available", firstMs: NOON + 2, lastMs: NOON + 2 },
            last: { requestId: without.requestId, message: "none of 3" },
          },
          {
            ...{
              ...limited,
              ...once,
              code: "server_error",
              status: 500,
              firstMs: NOON + 1,
              lastMs: NOON + 1,
            },
            last: { requestId: both.requestId, message: "\u2028 broke" },
          },
        ]);
        const inScope = { scope: { source: "nothing" } } as const;
        expect(await store.ask("causes", { filter: {}, ...steps }, inScope)).toEqual([]);
      });

      it("finds the last failed request of each key that is asked for", async () => {
        const [one, other, third] = ["key_one", "key_other", "key_third"];
        const timeout = { code: "upstream_timeout", message: "took too long" } as const;
        const last = failedTrace({
          createdAtMs: NOON + 3,
          principal: one,
          source: "billing",
          status: "timeout",
          error: timeout,
        });
        const before = failedTrace({ createdAtMs: NOON + 1, principal: one });
        const others = failedTrace({ createdAtMs: NOON + 2, principal: other });
        await given(
          before,
          others,
          last,
          failedTrace({ createdAtMs: NOON + 4, principal: third }),
          traceWith({ createdAtMs: NOON + 5, principal: one }),
        );
        const question = { principals: [one, other, "key_none"], startMs: NOON };
        const found = await store.ask("lastFailures", question, ALL);
        const lastOfOther = {
          principal: other,
          requestId: others.requestId,
          createdAtMs: NOON + 2,
          errorCode: "upstream_error",
        };
        expect(found.toSorted((left, right) => left.createdAtMs - right.createdAtMs)).toEqual([
          lastOfOther,
          {
            principal: one,
            requestId: last.requestId,
            createdAtMs: NOON + 3,
            errorCode: "upstream_timeout",
          },
        ]);
        expect(await store.ask("lastFailures", { ...question, startMs: NOON + 3 }, ALL)).toHaveLength(1);
        expect(await store.ask("lastFailures", question, { scope: { source: "billing" } })).toHaveLength(1);
        expect(await store.ask("lastFailures", { ...question, principals: [] }, ALL)).toEqual([]);
      });

      it("accepts an empty batch, and one larger than its own batches", async () => {
        await store.append([]);
        await store.appendMissing([]);
        await store.append(Array.from({ length: 2500 }, (_, at) => traceWith({ createdAtMs: NOON + at })));
        const { traces, total, hasMore } = await store.ask(
          "list",
          { filter: {}, page: { limit: 1, offset: 0 } },
          ALL,
        );
        expect({ total, hasMore, newest: traces[0]?.createdAtMs }).toEqual({
          total: 2500,
          hasMore: true,
          newest: NOON + 2499,
        });
      });

      it("stores each of several batches that are appended concurrently", async () => {
        const batches = Array.from({ length: 5 }, (_, at) => [
          traceWith({ createdAtMs: NOON + at }),
          traceWith({ createdAtMs: NOON + at }),
        ]);
        await Promise.all(batches.map((batch) => store.append(batch)));
        expect((await idsOf({})).sort()).toEqual(
          batches
            .flat()
            .map(({ requestId }) => requestId)
            .sort(),
        );
      });

      it("stores a trace once when it is appended again, also within a batch", async () => {
        const [first, second] = [traceWith(), traceWith({ createdAtMs: NOON + 1 })];
        await given(first);
        await store.appendMissing([first, second, second]);
        await store.appendMissing([second]);
        expect(await idsOf({})).toEqual([second.requestId, first.requestId]);
      });
    });

    describe("when it lists traces", () => {
      it("returns the newest first, and within one millisecond the larger id first", async () => {
        const [a, b, c] = [traceWith(), traceWith(), traceWith({ createdAtMs: NOON - 1 })];
        await given(b, c, a);
        expect(await idsOf({})).toEqual([b.requestId, a.requestId, c.requestId]);
      });

      it("returns nothing when there are none", async () => {
        expect(await store.ask("list", { filter: {}, page: FIRST_PAGE }, ALL)).toEqual({
          traces: [],
          total: 0,
          hasMore: false,
        });
      });

      it.each([
        [{ limit: 1, offset: 0 }, 1, true],
        [{ limit: 2, offset: 1 }, 2, false],
        [{ limit: 3, offset: 0 }, 3, false],
        [{ limit: 1000, offset: 0 }, 3, false],
        [{ limit: 1, offset: 2 }, 1, false],
        [{ limit: 1, offset: 3 }, 0, false],
        [{ limit: 1000, offset: 1_000_000 }, 0, false],
        [{ limit: 1, offset: Number.MAX_SAFE_INTEGER - 1 }, 0, false],
      ])(
        "returns for the page %o of three traces %i, and whether more follow",
        async (page, count, hasMore) => {
          await given(traceWith(), traceWith(), traceWith());
          const found = await store.ask("list", { filter: {}, page }, ALL);
          expect(found).toMatchObject({ total: 3, hasMore });
          expect(found.traces).toHaveLength(count);
        },
      );

      it("returns all pages without a gap or a repetition", async () => {
        await given(...Array.from({ length: 25 }, (_, at) => traceWith({ createdAtMs: NOON + (at % 4) })));
        const all = await idsOf({});
        const paged: string[] = [];
        for (let offset = 0; offset < 25; offset += 4) {
          const { traces } = await store.ask("list", { filter: {}, page: { limit: 4, offset } }, ALL);
          paged.push(...traces.map(({ requestId }) => requestId));
        }
        expect(paged).toEqual(all);
      });
    });

    describe("in another order", () => {
      const inOrder = async (order: TracePage["order"], offset = 0) => {
        const page = { limit: 10, offset, ...(order !== undefined && { order }) };
        return (await store.ask("list", { filter: {}, page }, ALL)).traces.map(
          ({ createdAtMs }) => createdAtMs - NOON,
        );
      };

      it("sorts by a figure, unknown ones last, of equal ones the newest first", async () => {
        const usage = (total_cost_usd: number | null) => ({ ...USAGE_WITHOUT_COST, total_cost_usd });
        await given(
          traceWith({ createdAtMs: NOON, usage: usage(0.5), latencyMs: 30 }),
          traceWith({ createdAtMs: NOON + 1, usage: usage(null), latencyMs: 10 }),
          traceWith({ createdAtMs: NOON + 2, usage: usage(2), latencyMs: 20 }),
          traceWith({ createdAtMs: NOON + 3, usage: usage(0.5), latencyMs: 20 }),
        );
        expect(await inOrder({ by: "cost_usd", direction: "desc" })).toEqual([2, 3, 0, 1]);
        expect(await inOrder({ by: "cost_usd", direction: "asc" })).toEqual([3, 0, 2, 1]);
        expect(await inOrder({ by: "latency_ms", direction: "desc" })).toEqual([0, 3, 2, 1]);
        expect(await inOrder({ by: "created_at", direction: "asc" })).toEqual([0, 1, 2, 3]);
        expect(await inOrder({ by: "created_at", direction: "desc" })).toEqual([3, 2, 1, 0]);
        expect(await inOrder({ by: "latency_ms", direction: "asc" }, 3)).toEqual([0]);
        expect(await inOrder({ by: "latency_ms", direction: "asc" }, 4)).toEqual([]);
      });
    });

    describe("for the values of the newest traces", () => {
      it("returns each once, the most frequent first, without unknown ones", async () => {
        await given(
          traceWith({ model: "b", metadata: { session: "1", tier: 2 }, effort: "low", source: "\ufeffé'" }),
          traceWith({ model: "a", metadata: { session: "2" }, source: "\ufeffé'" }),
          traceWith({ model: "a", metadata: { 'quo"te': true }, principal: "jwt:ada" }),
          failedTrace(),
        );
        expect(await store.ask("values", undefined, ALL)).toEqual({
          model: ["a", "b"],
          provider: ["openai"],
          source: ["default", "\ufeffé'"],
          principal: ["key_1", "jwt:ada"],
          error_code: ["upstream_error"],
          effort: ["low"],
          metadata_key: ["session", 'quo"te', "tier"],
          metadata: ["4:tier2", '6:quo"tetrue', "7:session1", "7:session2"],
        });
        expect((await store.ask("values", undefined, { scope: { source: "\ufeffé'" } })).model).toEqual([
          "a",
          "b",
        ]);
        expect((await store.ask("values", undefined, { scope: { source: "none" } })).source).toEqual([]);
      });

      it("returns at most 100 of each", async () => {
        await given(
          ...Array.from({ length: 120 }, (_, at) =>
            traceWith({ model: `model ${String(at).padStart(3, "0")}` }),
          ),
        );
        const { model } = await store.ask("values", undefined, ALL);
        expect([model.length, model[0], model[99]]).toEqual([100, "model 000", "model 099"]);
      });
    });

    describe("on a deep page", () => {
      it("returns the same as page by page, with many traces of one millisecond", async () => {
        const reference = new MemoryTraceStore();
        const traces = Array.from({ length: 6500 }, (_, at) =>
          traceWith({ createdAtMs: NOON + ((at * 7919) % 40), source: at % 13 === 0 ? "rare" : "default" }),
        );
        await reference.append(traces);
        await store.append(traces);
        for (const filter of [{}, { source: "default" }, { startMs: NOON + 3, text: "2 + 2" }]) {
          for (const offset of [4999, 5000, 5001, 5985, 6450, 6499, 6500, 100_000]) {
            const page = { limit: 60, offset };
            expect(await store.ask("list", { filter, page }, ALL)).toEqual(
              await reference.ask("list", { filter, page }, ALL),
            );
          }
        }
      });
    });

    describe("for a range of time", () => {
      const filterOf = (query: Record<string, string>): TraceFilter => parseTraceQuery(query).filter;
      const at = (text: string): Trace => traceWith({ createdAtMs: Date.parse(text) });

      it("includes the start and excludes the end, to the millisecond", async () => {
        const [before, start, last, end] = [
          at("2026-01-15T11:59:59.999Z"),
          at("2026-01-15T12:00:00.000Z"),
          at("2026-01-15T12:59:59.999Z"),
          at("2026-01-15T13:00:00.000Z"),
        ];
        await given(before, start, last, end);
        const range = { start_date: "2026-01-15T12:00:00Z", end_date: "2026-01-15T13:00:00Z" };
        expect(await idsOf(filterOf(range))).toEqual([last.requestId, start.requestId]);
        expect(await idsOf(filterOf({ start_date: range.end_date }))).toEqual([end.requestId]);
        expect(await idsOf(filterOf({ end_date: range.start_date }))).toEqual([before.requestId]);
        expect(await idsOf(filterOf({ start_date: range.end_date, end_date: range.start_date }))).toEqual([]);
      });

      it("accepts any zone, and UTC by default", async () => {
        const [before, start] = [at("2026-01-15T11:59:59.999Z"), at("2026-01-15T12:00:00Z")];
        await given(before, start);
        for (const noon of ["2026-01-15T12:00", "2026-01-15T14:00:00+02:00", "2026-01-15T06:30-0530"]) {
          expect(await idsOf(filterOf({ start_date: noon }))).toEqual([start.requestId]);
          expect(await idsOf(filterOf({ end_date: noon }))).toEqual([before.requestId]);
        }
      });

      it("returns a day from its first moment to that of the next", async () => {
        const [before, first, last, next] = [
          at("2026-01-14T23:59:59.999Z"),
          at("2026-01-15"),
          at("2026-01-15T23:59:59.999Z"),
          at("2026-01-16"),
        ];
        await given(before, first, last, next);
        expect(await idsOf(filterOf({ start_date: "2026-01-15", end_date: "2026-01-16" }))).toEqual([
          last.requestId,
          first.requestId,
        ]);
      });

      it("accepts a leap second as start", async () => {
        const [last, first] = [at("2016-12-31T23:59:59.999Z"), at("2017-01-01T00:00:00Z")];
        await given(last, first);
        expect(await idsOf(filterOf({ start_date: "2016-12-31T23:59:60Z" }))).toEqual([first.requestId]);
        expect(await idsOf(filterOf({ end_date: "2016-12-31T23:59:60Z" }))).toEqual([last.requestId]);
      });
    });

    describe("for a filter", () => {
      it("does not look for text in reasoning, however long", async () => {
        const [short, long] = ["needle", `needle${"x".repeat(40_000)}`].map((reasoning, at) =>
          traceWith({ content: { input: "a", output: "b", reasoning }, createdAtMs: NOON + at }),
        ) as [Trace, Trace];
        const found = traceWith({ content: { input: "", output: long.content?.reasoning ?? "" } });
        await given(short, long, found);
        expect(await idsOf({ text: "needle" })).toEqual([found.requestId]);
        expect(await store.ask("find", long.requestId, ALL)).toEqual(long);
      });

      it("finds parts of prompts or answers exactly as written", async () => {
        const prompt = traceWith({ content: { input: "Grüße aus 100 % Berlin", output: "" } });
        const answer = traceWith({ content: { input: "", output: "der Gruß_" }, createdAtMs: NOON + 1 });
        await given(prompt, answer, failedTrace());
        expect(await idsOf({ text: "Gr" })).toEqual([answer.requestId, prompt.requestId]);
        expect(await idsOf({ text: "gr" })).toEqual([]);
        expect(await idsOf({ text: "Gru" })).toEqual([answer.requestId]);
        expect(await idsOf({ text: "100 %" })).toEqual([prompt.requestId]);
        expect(await idsOf({ text: "1%B" })).toEqual([]);
        expect(await idsOf({ text: "Gru\u00df_" })).toEqual([answer.requestId]);
        expect(await idsOf({ text: "Berlinder" })).toEqual([]);
      });

      it("finds what is said anywhere in a conversation, and no name or sign of its form", async () => {
        const trace = traceWith({ content: { input: CONVERSATION, output: "It rains." } });
        await given(trace);
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
        const form = [
          "system",
          "role",
          "content",
          "tool_call",
          "call_1",
          "image",
          "application",
          "1234",
          "brief\\",
          "nuser",
          "[{",
        ];
        for (const text of form) expect([text, await idsOf({ text })]).toEqual([text, []]);
      });

      it("finds parts of any turn of long conversations", async () => {
        const trace = traceWith({ content: { input: MANY_MESSAGES, output: "" } });
        await given(trace);
        for (const text of ["question 0 ", "question 1400 ", "answer 701 ", "question 2999 "])
          expect(await idsOf({ text })).toEqual([trace.requestId]);
        expect(await idsOf({ text: "question 3000 " })).toEqual([]);
      });

      it("lists the beginning of the last user message", async () => {
        await given(traceWith({ content: { input: CONVERSATION, output: "" } }));
        const { traces } = await store.ask(
          "list",
          { filter: {}, page: { ...FIRST_PAGE, inputCharacters: 5 } },
          ALL,
        );
        expect(traces.map(({ inputStart }) => inputStart)).toEqual(["Where"]);
      });

      it("finds parts at the end of long prompts and of long answers", async () => {
        const filler = "lorem ipsum ".repeat(5000);
        const prompt = traceWith({ content: { input: `${filler}needle`, output: "" } });
        const answer = traceWith({
          content: { input: "", output: `${filler}thread` },
          createdAtMs: NOON + 1,
        });
        await given(prompt, answer);
        expect(await idsOf({ text: "m needle" })).toEqual([prompt.requestId]);
        expect(await idsOf({ text: "m thread" })).toEqual([answer.requestId]);
        expect(await idsOf({ text: "lorem" })).toEqual([answer.requestId, prompt.requestId]);
      });

      it("compares metadata values as text, numbers and booleans included, whole keys and values only", async () => {
        const [number, text] = [
          traceWith({ metadata: { tier: 3, beta: true, rate: 1e21 } }),
          traceWith({ metadata: { tier: "3", beta: "true", rate: "0.1" }, createdAtMs: NOON + 1 }),
        ];
        const other = traceWith({ metadata: { tier: 30, Tier: "3", tie: "r3", a: '","tier":"3"' } });
        await given(number, text, other, failedTrace());
        const by = (key: string, value: string) => idsOf({ metadata: [{ key, value }] });
        expect(await by("tier", "3")).toEqual([text.requestId, number.requestId]);
        expect(await by("beta", "true")).toEqual([text.requestId, number.requestId]);
        expect(await by("rate", "1e+21")).toEqual([number.requestId]);
        expect(await by("tier", "3.0")).toEqual([]);
        expect(await by("tier", "")).toEqual([]);
        expect(await by("", "3")).toEqual([]);
        const both = [
          { key: "tier", value: "3" },
          { key: "rate", value: "0.1" },
        ];
        expect(await idsOf({ metadata: both })).toEqual([text.requestId]);
        expect(await idsOf({ metadata: [...both, { key: "rate", value: "0.2" }] })).toEqual([]);
      });

      it("is not confused by metadata texts that look like a value of a key", async () => {
        const values = ['"', ",", ":", '","', '","b":"c', '\\"', "\\", "", "b"];
        const traces = values.flatMap((key) =>
          values.map((value) => traceWith({ metadata: { [key]: value, b: 12 } })),
        );
        await given(
          ...traces,
          traceWith({ metadata: Object.fromEntries(values.map((value) => [value, value])) }),
        );
        const reference = new MemoryTraceStore();
        await reference.append(traces);
        await reference.append([
          traceWith({ metadata: Object.fromEntries(values.map((value) => [value, value])) }),
        ]);
        for (const key of values) {
          for (const value of [...values, "c", "1", "12"]) {
            const filter = { metadata: [{ key, value }] };
            const [{ total }, expected] = await Promise.all([
              store.ask("list", { filter, page: FIRST_PAGE }, ALL),
              reference.ask("list", { filter, page: FIRST_PAGE }, ALL),
            ]);
            expect(total).toBe(expected.total);
          }
        }
      });

      it("requires all filters to match", async () => {
        const wanted = routedTrace({
          source: "shop",
          status: "timeout",
          principal: "key_2",
          error: { code: "upstream_timeout", message: "" },
          metadata: { a: "b" },
        });
        await given(wanted, routedTrace({ source: "shop", status: "timeout" }), routedTrace(), traceWith());
        await store.keepFeedback(wanted.requestId, FEEDBACK, ALL);
        const filter: TraceFilter = {
          startMs: NOON,
          endMs: NOON + 1,
          source: "shop",
          model: "gpt-4o-mini",
          provider: "openai",
          status: "timeout",
          kind: "router",
          principal: "key_2",
          errorCode: "upstream_timeout",
          hasFeedback: true,
          text: "2 + 2",
          metadata: [{ key: "a", value: "b" }],
        };
        expect(await idsOf(filter)).toEqual([wanted.requestId]);
      });
    });

    describe("for feedback", () => {
      const give = (trace: Trace, feedback: Feedback = FEEDBACK, scope: TraceScope = "all") =>
        store.keepFeedback(trace.requestId, feedback, { scope });

      it("returns it with its trace, alone and in exports, and with no other", async () => {
        const [rated, other] = [traceWith(), traceWith({ createdAtMs: NOON + 1 })];
        await given(rated, other);
        expect(await give(rated)).toBe(true);
        expect(await store.ask("find", rated.requestId, ALL)).toEqual({ ...rated, feedback: FEEDBACK });
        expect(await store.ask("find", other.requestId, ALL)).toEqual(other);
        expect(await exported(store, {}, "all")).toEqual([{ ...rated, feedback: FEEDBACK }, other]);
        expect((await store.ask("list", { filter: {}, page: FIRST_PAGE }, ALL)).total).toBe(2);
      });

      it("replaces it when it is given again, also a comment by none", async () => {
        const trace = traceWith();
        await given(trace);
        const { givenAtMs } = FEEDBACK;
        const last = { score: 0, comment: null, givenAtMs: givenAtMs + 2 };
        for (const feedback of [FEEDBACK, { ...FEEDBACK, score: 1, givenAtMs: givenAtMs + 1 }, last]) {
          expect(await give(trace, feedback)).toBe(true);
        }
        expect((await store.ask("find", trace.requestId, ALL))?.feedback).toEqual(last);
        expect(await exported(store, {}, "all")).toEqual([{ ...trace, feedback: last }]);
        expect(await idsOf({ hasFeedback: true })).toEqual([trace.requestId]);
      });

      it("returns any comment unchanged", async () => {
        const traces = HOSTILE.map(() => traceWith());
        await given(...traces);
        for (const [at, trace] of traces.entries())
          await give(trace, { ...FEEDBACK, comment: HOSTILE[at] ?? "" });
        for (const [at, trace] of traces.entries()) {
          expect((await store.ask("find", trace.requestId, ALL))?.feedback?.comment).toBe(HOSTILE[at]);
        }
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

      it("finds it for a trace whose id contains another time than its arrival", async () => {
        const trace = traceWith({ requestId: requestIdAt(NOON + 86_400_000) });
        await given(trace);
        expect(await give(trace)).toBe(true);
        expect(await store.ask("find", trace.requestId, ALL)).toEqual({ ...trace, feedback: FEEDBACK });
      });

      it("filters lists, statistics and exports by its presence", async () => {
        const [rated, other] = [traceWith(), traceWith({ createdAtMs: NOON + 1 })];
        await given(rated, other);
        expect(await idsOf({ hasFeedback: false })).toEqual([other.requestId, rated.requestId]);
        await give(rated);
        expect(await idsOf({ hasFeedback: true })).toEqual([rated.requestId]);
        expect(await idsOf({ hasFeedback: false })).toEqual([other.requestId]);
        expect(await store.ask("stats", { filter: { hasFeedback: true }, by: [] }, ALL)).toMatchObject([
          { requests: 1 },
        ]);
        expect(await exported(store, { hasFeedback: false }, "all")).toEqual([other]);
      });

      it("removes it with its trace, and keeps it otherwise", async () => {
        const [old, kept] = [traceWith({ createdAtMs: NOON - 1 }), traceWith()];
        await given(old, kept);
        await give(old);
        await give(kept);
        expect(await store.removeBefore(NOON)).toBe(1);
        expect(await exported(store, {}, "all")).toEqual([{ ...kept, feedback: FEEDBACK }]);
        await given(old);
        expect(await store.ask("find", old.requestId, ALL)).toEqual(old);
        expect(await idsOf({ hasFeedback: true })).toEqual([kept.requestId]);
      });
    });

    describe("with a scope", () => {
      it("hides other sources from lists, totals, single traces, statistics and exports", async () => {
        const [own, foreign] = [traceWith({ source: "own" }), traceWith({ source: "foreign" })];
        await given(own, foreign);
        const options = { scope: { source: "own" } };
        expect(await idsOf({}, options.scope)).toEqual([own.requestId]);
        expect(await store.ask("find", own.requestId, options)).toEqual(own);
        expect(await store.ask("find", foreign.requestId, options)).toBeUndefined();
        expect(await store.ask("stats", { filter: {}, by: ["source"] }, options)).toMatchObject([
          { group: { source: "own" }, requests: 1 },
        ]);
        expect(await exported(store, {}, options.scope)).toEqual([own]);
      });

      it("ignores a filter by another source", async () => {
        await given(traceWith({ source: "own" }), traceWith({ source: "foreign" }));
        const scope = { source: "own" };
        expect(await idsOf({ source: "foreign" }, scope)).toEqual([]);
        expect(await store.ask("stats", { filter: { source: "foreign" }, by: [] }, { scope })).toEqual([]);
        expect(await exported(store, { source: "foreign" }, scope)).toEqual([]);
      });
    });

    describe("for a single trace", () => {
      it("returns undefined when it does not exist, for any id", async () => {
        await given(traceWith());
        for (const id of [requestIdAt(NOON), "req_", "", "x", "%", "req_01ARZ3NDEKTSV4RRFFQ69G5FAV"]) {
          expect(await store.ask("find", id, ALL)).toBeUndefined();
        }
      });

      it("finds it by an id that contains no time, or another time than its arrival", async () => {
        const [foreign, early] = [
          traceWith({ requestId: "not made here" }),
          traceWith({ requestId: requestIdAt(NOON + 86_400_000) }),
        ];
        await given(foreign, early);
        expect(await store.ask("find", foreign.requestId, ALL)).toEqual(foreign);
        expect(await store.ask("find", early.requestId, ALL)).toEqual(early);
      });
    });

    describe("for statistics", () => {
      it("sums and counts known values by the requested dimensions, nulls last", async () => {
        const day = 86_400_000;
        await given(
          traceWith({ latencyMs: 10, ttftMs: 1, streamed: true }),
          traceWith({ latencyMs: 30, ttftMs: null, usage: { ...USAGE_WITHOUT_COST } }),
          traceWith({ latencyMs: 20, ttftMs: 2, createdAtMs: NOON + day }),
          failedTrace({ latencyMs: 5 }),
          traceWith({ status: "timeout", model: "a", latencyMs: 7, ttftMs: 7 }),
        );
        expect(await store.ask("stats", { filter: {}, by: ["model", "day"] }, ALL)).toEqual([
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
            ...{ requestsWithBaseline: 0, baselineCostUsd: 0, savedUsd: 0 },
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

      it("does not count decisions alone among the requests without a known cost", async () => {
        const decision = { kind: "router", usage: null, attempts: [] } as const;
        await given(traceWith(decision), traceWith({ ...decision, status: "error" }));
        await given(traceWith({ kind: "router", usage: { ...USAGE_WITHOUT_COST } }));
        expect(await store.ask("stats", { filter: {}, by: [] }, ALL)).toMatchObject([
          { requests: 3, requestsWithoutCost: 2 },
        ]);
      });

      it("sums savings exactly, by sign, tag and key, where doubles would drift", async () => {
        const savingOf = (saved: number, baseline: number) => ({
          savings: {
            ...{ baseline_model: "gpt-4o", baseline_cost_usd: baseline / 1e12, saved_usd: saved / 1e12 },
            lost_cache_tokens: 0,
          },
        });
        const many = Array.from({ length: 1000 }, () => traceWith(savingOf(-100_000, 1)));
        await given(
          ...many,
          traceWith(savingOf(1_899_999_999_999_999, 1_900_000_000_000_001)),
          traceWith({ ...savingOf(-7, 3), metadata: { team: "b" }, principal: "key_2" }),
          traceWith(),
        );
        const sums = await store.ask("stats", { filter: {}, by: ["key", "metadata.team"] }, ALL);
        expect(sums).toMatchObject([
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

      it("returns one entry without dimensions, and none without traces", async () => {
        expect(await store.ask("stats", { filter: {}, by: [] }, ALL)).toEqual([]);
        await given(traceWith(), failedTrace());
        expect(await store.ask("stats", { filter: {}, by: [] }, ALL)).toMatchObject([
          { group: {}, requests: 2, errors: 1 },
        ]);
      });

      it("returns percentiles within one rank", async () => {
        await given(...Array.from({ length: 200 }, (_, at) => traceWith({ latencyMs: at + 1 })));
        const [found] = await store.ask("stats", { filter: {}, by: [] }, ALL);
        const latencyMs = found?.latencyMs ?? { p50: 0, p90: 0, p99: 0 };
        for (const [found, rank] of [
          [latencyMs.p50, 100],
          [latencyMs.p90, 180],
          [latencyMs.p99, 198],
        ] as const) {
          expect(Math.abs(found - rank)).toBeLessThanOrEqual(1);
        }
      });
    });

    describe("for an export", () => {
      it("returns every matching trace once, whole, oldest first, however many", async () => {
        const traces = Array.from({ length: 1203 }, (_, at) => traceWith({ createdAtMs: NOON + (at % 7) }));
        await given(...traces, traceWith({ source: "other" }));
        const found = await exported(store, { source: "default" }, "all");
        const expected = traces.toSorted(
          (a, b) => a.createdAtMs - b.createdAtMs || (a.requestId < b.requestId ? -1 : 1),
        );
        expect(found).toEqual(expected);
      });

      it("ends when it is aborted during the export", async () => {
        await given(...Array.from({ length: 1203 }, () => traceWith({ content: null })));
        const controller = new AbortController();
        const batches = store
          .export({ filter: {} }, { ...ALL, signal: controller.signal })
          [Symbol.asyncIterator]();
        expect((await batches.next()).value).not.toHaveLength(1203);
        controller.abort(new Error("enough"));
        await expect(batches.next()).rejects.toThrow("enough");
      });
    });

    describe("for a sample", () => {
      const sampled = async (filter: TraceFilter, most: number, scope: TraceScope = "all") => {
        const found: Trace[] = [];
        for await (const batch of store.export({ filter, most }, { scope })) found.push(...batch);
        return found;
      };

      it("draws so many from all of the time, whole, oldest first, and the same again", async () => {
        const traces = Array.from({ length: 400 }, (_, at) =>
          routedTrace({ createdAtMs: NOON + at * 60_000, content: { input: `prompt ${at}`, output: "…" } }),
        );
        await given(...traces);
        const drawn = await sampled({}, 100);
        expect(drawn).toHaveLength(100);
        const positions = drawn.map(({ requestId }) =>
          traces.findIndex((each) => each.requestId === requestId),
        );
        expect(positions).toEqual(positions.toSorted((left, right) => left - right));
        expect(drawn).toEqual(positions.map((position) => traces[position]));
        // Of 400 evenly drawn, 100 in a quarter have a standard deviation of 3.8.
        for (const quarter of [0, 1, 2, 3]) {
          const within = positions.filter((position) => Math.floor(position / 100) === quarter).length;
          expect(within).toBeGreaterThan(6);
          expect(within).toBeLessThan(44);
        }
        expect(await sampled({}, 100)).toEqual(drawn);
      });

      it("has all that match where there are no more, with their feedback, within the scope", async () => {
        const own = traceWith({ source: "billing", model: "other" });
        await given(own, traceWith({ source: "billing" }), traceWith({ source: "search", model: "other" }));
        await store.keepFeedback(own.requestId, FEEDBACK, ALL);
        expect(await sampled({ model: "other" }, 5, { source: "billing" })).toEqual([
          { ...own, feedback: FEEDBACK },
        ]);
        expect(await sampled({ model: "nobody's" }, 5)).toEqual([]);
      });

      it("ends when it is aborted", async () => {
        await given(...Array.from({ length: 50 }, () => traceWith()));
        const controller = new AbortController();
        const batches = store
          .export({ filter: {}, most: 50 }, { ...ALL, signal: controller.signal })
          [Symbol.asyncIterator]();
        expect((await batches.next()).value).not.toHaveLength(50);
        controller.abort(new Error("enough"));
        await expect(batches.next()).rejects.toThrow("enough");
      });
    });

    describe("when it removes traces", () => {
      it("removes exactly those that arrived before a time, and leaves the rest unchanged", async () => {
        const [old, kept] = [traceWith({ createdAtMs: NOON - 1 }), routedTrace({ createdAtMs: NOON })];
        await given(kept, old);
        expect(await store.removeBefore(NOON)).toBe(1);
        expect(await store.removeBefore(NOON)).toBe(0);
        expect(await idsOf({})).toEqual([kept.requestId]);
        expect(await store.ask("find", kept.requestId, ALL)).toEqual(kept);
        expect(await store.ask("find", old.requestId, ALL)).toBeUndefined();
      });

      it("remains writable", async () => {
        await given(traceWith());
        await store.removeBefore(NOON + 1);
        const later = traceWith({ createdAtMs: NOON + 1 });
        await given(later);
        await store.appendMissing([later]);
        expect(await idsOf({})).toEqual([later.requestId]);
      });
    });

    describe("for any query", () => {
      it("rejects with the signal's reason when it is already aborted", async () => {
        const options = { ...ALL, signal: AbortSignal.abort(new Error("gone")) };
        await expect(store.ask("list", { filter: {}, page: FIRST_PAGE }, options)).rejects.toThrow("gone");
        await expect(store.ask("find", "x", options)).rejects.toThrow("gone");
        await expect(store.ask("stats", { filter: {}, by: [] }, options)).rejects.toThrow("gone");
      });

      it("sees what was appended before it", async () => {
        for (let count = 1; count <= 5; count++) {
          await given(traceWith());
          expect((await store.ask("list", { filter: {}, page: FIRST_PAGE }, ALL)).total).toBe(count);
        }
      });
    });

    describe("for arbitrary traces and filters", () => {
      it("returns the same as the reference implementation", async () => {
        const reference = new MemoryTraceStore();
        await fc.assert(
          fc.asyncProperty(
            anyTraces,
            fc.array(anyFeedback, { maxLength: 10 }),
            fc.array(anyQuestion, { minLength: 5, maxLength: 10 }),
            async (traces, feedback, questions) => {
              await reference.append(traces);
              await store.append(traces);
              for (const [at, given] of feedback.entries()) {
                const requestId = traces[at]?.requestId ?? "none";
                await reference.keepFeedback(requestId, given, ALL);
                await store.keepFeedback(requestId, given, ALL);
              }
              for (const { filter, page, scope, by } of questions) {
                expect(await store.ask("list", { filter, page }, { scope })).toEqual(
                  await reference.ask("list", { filter, page }, { scope }),
                );
                expect(await exported(store, filter, scope)).toEqual(
                  await exported(reference, filter, scope),
                );
                expect(await store.ask("values", undefined, { scope })).toEqual(
                  await reference.ask("values", undefined, { scope }),
                );
                expectSameStats(
                  await store.ask("stats", { filter, by }, { scope }),
                  await reference.ask("stats", { filter, by }, { scope }),
                );
                const keys = {
                  principals: traces.map(({ principal }) => principal),
                  startMs: filter.startMs ?? 0,
                };
                const timesOf = (last: readonly LastFailure[]) =>
                  last.map(({ principal, createdAtMs }) => `${principal} ${createdAtMs}`).toSorted();
                expect(timesOf(await store.ask("lastFailures", keys, { scope }))).toEqual(
                  timesOf(await reference.ask("lastFailures", keys, { scope })),
                );
                const some = traces[page.offset % Math.max(1, traces.length)]?.requestId ?? "none";
                expect(await store.ask("find", some, { scope })).toEqual(
                  await reference.ask("find", some, { scope }),
                );
              }
            },
          ),
          { numRuns: underTest.runs },
        );
      });
    });

    it("is healthy while it is open, returns nothing once it is closed, and can be closed twice", async () => {
      await given(traceWith());
      expect(store.health().ok).toBe(true);
      await Promise.all([store.close(), store.close()]);
      await store.close();
      const down = expect.objectContaining({ code: "store_down" });
      await expect(store.append([traceWith()])).rejects.toEqual(down);
      await expect(store.ask("list", { filter: {}, page: FIRST_PAGE }, ALL)).rejects.toEqual(down);
      await expect(store.ask("find", "x", ALL)).rejects.toEqual(down);
      await expect(store.ask("values", undefined, ALL)).rejects.toEqual(down);
      await expect(store.keepFeedback("x", FEEDBACK, ALL)).rejects.toEqual(down);
      expect(store.health().ok).toBe(false);
    });
  });
}

const FEEDBACK: Feedback = { score: 0.75, comment: "nearly right", givenAtMs: NOON + 60_000 };

const USAGE_WITHOUT_COST = {
  ...(traceWith().usage ?? {}),
  input_cost_usd: null,
  output_cost_usd: null,
  cache_input_cost_usd: null,
  total_cost_usd: null,
  estimated: true,
} as NonNullable<Trace["usage"]>;

const anyQuestion = fc.record({
  filter: anyFilter,
  page: anyPage,
  scope: anyScope,
  by: anyDimensions,
});

async function exported(store: TraceStore, filter: TraceFilter, scope: TraceScope): Promise<Trace[]> {
  const found: Trace[] = [];
  for await (const batch of store.export({ filter }, { scope })) found.push(...batch);
  return found;
}

type Stats = AnswerTo<"stats">;

/** Sums of costs depend on the order in which they are added; percentiles may be a rank off. */
function expectSameStats(found: Stats, expected: Stats): void {
  const exact = ({
    costUsd: _,
    latencyMs: _all,
    ttftMs: _first,
    streamedLatencyMs: _streamed,
    ...rest
  }: Stats[number]) => rest;
  expect(found.map(exact)).toEqual(expected.map(exact));
  for (const [at, { costUsd, latencyMs, ttftMs, streamedLatencyMs }] of found.entries()) {
    expect(costUsd).toBeCloseTo(expected[at]?.costUsd ?? Number.NaN, 9);
    expect(latencyMs === null).toBe(expected[at]?.latencyMs === null);
    expect(ttftMs === null).toBe(expected[at]?.ttftMs === null);
    expect(streamedLatencyMs === null).toBe(expected[at]?.streamedLatencyMs === null);
  }
}
