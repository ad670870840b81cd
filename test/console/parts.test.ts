/** What the console works out by itself, without a browser. */
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { largestGroups } from "../../src/console/charts/groups.js";
import { chosenRange, during, rangeNamed, startOf } from "../../src/console/charts/ranges.js";
import { isolatedIn } from "../../src/console/charts/values.js";
import { chunksOf } from "../../src/console/components/chunks.js";
import {
  changePercent,
  changeSince,
  dollars,
  duration,
  isUnclear,
  localInput,
  percent,
  points,
  relativeTime,
} from "../../src/console/components/format.js";
import { meaningText, nearestMeaning } from "../../src/console/cost-weights/meaning.js";
import {
  chosenKeys,
  type KeySummary,
  keyChangeFrom,
  oldSecretEnds,
} from "../../src/console/keys/key-facts.js";
import { type SearchEntry, searchResults } from "../../src/console/layout/search-results.js";
import { publishedSources } from "../../src/console/profiles/published-sources.js";
import { retiredLast, retirementStage, retiringSoon } from "../../src/console/providers/retirement.js";
import { choiceAt } from "../../src/console/router/choices.js";
import { candidatesText, hasEvidence, promptSummary } from "../../src/console/router/evidence.js";
import {
  apiFilters,
  apiQuery,
  FILTERS,
  inOrder,
  inRange,
  isFiltered,
  keyIdsOf,
  setFilters,
  withFilters,
  withoutFilter,
  withTail,
} from "../../src/console/traces/filters.js";
import { scaleOf } from "../../src/console/value/scale.js";
import type { ListedKeyBody } from "../../src/gateway/features/keys/schema.js";
import type { SeriesPointBody as Point } from "../../src/gateway/features/traces/schema/series.js";
import { TRACE_PARAMETERS } from "../../src/gateway/features/traces/schema/trace-query.js";

/** For the rest of a test: its clock differs from UTC, so that a mistaken zone shows on machines of UTC, too. */
function moveToKathmandu(): void {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("TZ", "Asia/Kathmandu");
}

describe("A search", () => {
  const entries: readonly SearchEntry[] = [
    ["Pages", "Providers", "/console/providers"],
    ["Actions", "Pause model gpt-5.4-mini", () => {}],
    ["Keys", "Billing", "/console/keys/key_2", "key_2"],
    ["Models", "gpt-5.4-mini", "/console/traces?model_id=gpt-5.4-mini"],
    ["Documentation", "Access: keys, tokens", "/console/docs/access.html"],
  ];
  const nothing = { traces: [], total: 0, metadata: [], request_ids: [] };
  const found = (text: string, inTraces: object = {}) =>
    searchResults(text, { entries, found: { ...nothing, ...inTraces } }).map(([group, text, to]) => [
      group,
      typeof to === "string" ? to : text,
    ]);

  it("offers names that have all words, in any case, those first that begin with the text, and nothing else", () => {
    expect(found("BILL")).toEqual([["Keys", "/console/keys/key_2"]]);
    expect(found("key").map(([group]) => group)).toEqual(["Keys", "Documentation"]);
    expect(found("mini pause")).toEqual([["Actions", "Pause model gpt-5.4-mini"]]);
    expect(found("gpt-5").map(([group]) => group)).toEqual(["Models", "Actions"]);
    expect(found("48213")).toEqual([]);
    expect(found(" ").map(([group]) => group)).toEqual(["Pages", "Actions"]);
  });

  it("offers conversations, customers, the ends of ids and texts that traces have", () => {
    const conversation = { key: "chat_id", value: "ticket-123" };
    const metadata = [conversation, { key: "customer", value: "ticket GmbH" }];
    const [, customer] = found("Ticket", { metadata });
    expect(found("ticket-123", { metadata: [conversation] })).toEqual([
      ["Metadata", "/console/conversation?metadata.chat_id=ticket-123"],
    ]);
    expect(customer).toEqual(["Metadata", "/console/traces?metadata.customer=ticket+GmbH"]);
    const request_ids = ["req_01KAFC0S3VZ7TJD8M0MDXMGZM8"];
    expect(found("mdxmgzm8", { request_ids })).toEqual([["Requests", `/console/traces/${request_ids[0]}`]]);
    expect(found("gzm8", { request_ids })).toEqual([]);
    const traces = [{ request_id: "req_1", input_start: "What providers?" }];
    expect(found("providers?", { traces, total: 9 })).toEqual([
      ["Requests", "/console/traces/req_1"],
      ["Requests", "/console/traces?q=providers%3F"],
    ]);
  });

  it("leads from the id of a request to its trace", () => {
    const ulid = "01KAFC0S3VZ7TJD8M0HRB1PGEW";
    const texts = [` req_${ulid} `, ulid, ulid.toLowerCase(), `chatcmpl-${ulid}`, `Failed (req_${ulid}).`];
    for (const text of texts) expect(found(text)).toEqual([["Requests", `/console/traces/req_${ulid}`]]);
    expect(found("req_01ABC")).toEqual([["Requests", "/console/traces/req_01ABC"]]);
  });
});

describe("A key filter", () => {
  const keys = [
    { id: "key_1", name: "Support bot, production" },
    { id: "key_2", name: "Support" },
    { id: "anonymous", name: null },
  ];

  it("takes ids as they are, and else all keys whose name contains the text in any case", () => {
    const found = ["key_9", "jwt:ada", "sUpport", "PROD", "nothing", "anonymous"].map((text) =>
      keyIdsOf(text, keys).join(),
    );
    expect(found).toEqual(["key_9", "jwt:ada", "key_1,key_2", "key_1", "", "anonymous"]);
  });
});

describe("An old secret of a key", () => {
  const previous = { prefix: "pk_live_abcd", expires_at: "2026-01-31T12:00:00.000Z", refused: null };
  const at = (time: string) => Date.parse(time);

  it("works until it ends or the key is revoked", () => {
    const before = at("2026-01-31T11:59:59Z");
    expect(oldSecretEnds({ revoked_at: null, previous }, before)).toBe(previous.expires_at);
    expect(oldSecretEnds({ revoked_at: null, previous }, at("2026-01-31T12:00:00Z"))).toBeNull();
    expect(oldSecretEnds({ revoked_at: "2026-01-31T10:00:00Z", previous }, before)).toBeNull();
    expect(oldSecretEnds({ revoked_at: null, previous: null }, before)).toBeNull();
  });
});

describe("What a cost weight means", () => {
  const meaning = { mean_cost_usd: 0.0097, usd_per_point: 0.045 };

  it("is told in dollars, where there are prices", () => {
    expect(meaningText(meaning)).toBe(
      "An answer costs $0.0097 on average, a point of quality is worth up to $0.045.",
    );
    expect(meaningText({ ...meaning, usd_per_point: null })).toBe(
      "An answer costs $0.0097 on average, whatever a point of quality costs.",
    );
    expect([meaningText(null), meaningText(undefined)]).toEqual(["", ""]);
  });

  it("is that of the nearest listed weight", () => {
    const data = [0, 0.5, 1].map((weight) => ({
      cost_weight: weight,
      meaning: { ...meaning, mean_cost_usd: weight },
    }));
    expect(nearestMeaning({ data }, 0.7)?.mean_cost_usd).toBe(0.5);
    expect(nearestMeaning({ data }, 9)?.mean_cost_usd).toBe(1);
    expect(nearestMeaning({ data: [] }, 0.7)).toBeNull();
  });
});

describe("What was read of a prompt", () => {
  it("is told in a line", () => {
    const prompt = {
      tokens: 1200,
      difficulty: 2.6,
      kinds: ["code", "list"],
      asked_tokens: 270,
      visible_tokens: 391.4,
    };
    expect(promptSummary(prompt)).toBe(
      "1,200 tokens · difficulty 2.6 of 4 (hard) · classified as code, list · asks for about 270 tokens · an average model writes 391 visible tokens by its text",
    );
    const unknown = { tokens: 5, difficulty: null, kinds: [], asked_tokens: null, visible_tokens: null };
    expect(promptSummary(unknown)).toBe("5 tokens · of unknown difficulty");
  });
});

describe("Formatted figures of the console", () => {
  interface Shown {
    readonly kind: string;
    readonly format: (value: never) => string;
    readonly values: readonly (number | null)[];
    readonly texts: string;
  }
  it.each<Shown>([
    {
      kind: "dollars",
      format: dollars,
      values: [-0.132, null, 0, 0.000_003_14, 0.0127, 0.05, 0.09004, 0.9999, 1.5, 99.994, 99.996, 1234.5],
      texts: "−$0.132, –, $0, $0.00000314, $0.0127, $0.05, $0.09, $1.00, $1.50, $99.99, $100, $1,235",
    },
    {
      kind: "milliseconds",
      format: duration,
      values: [null, 0.512, 812.4, 1530, 30_000, 90_000, 7_200_000],
      texts: "–, 0.5 ms, 812 ms, 1.53 s, 30.0 s, 1.5 min, 2.0 h",
    },
    {
      kind: "shares",
      format: percent,
      values: [null, 0, 0.037, 0.0998, 0.5, 0.0003, 0.9996, 1],
      texts: "–, 0%, 3.7%, 10%, 50%, <0.1%, 99.9%, 100%",
    },
    {
      kind: "changes by a share",
      format: changePercent,
      values: [-0.318, 0.05, 0, -0.0001, -0.9996, -1, 22.6, 8681],
      texts: "−32%, +5.0%, 0%, <0.1%, −99.9%, −100%, ×24, ×8,682",
    },
    {
      kind: "changes of a share in points",
      format: points,
      values: [-0.0064, 0.0064, -0.0004],
      texts: "−0.6, +0.6, 0.0",
    },
  ])("show $kind", ({ format, values, texts }) =>
    expect(values.map((value) => format(value as never)).join(", ")).toBe(texts),
  );

  it("show a date to be changed by the clock here", () => {
    moveToKathmandu();
    expect(localInput("2026-01-31T12:00:00Z")).toBe("2026-01-31T17:45");
  });

  it("show recent times as relative, and earlier ones as dates", () => {
    const now = Date.UTC(2026, 0, 31);
    expect(relativeTime(now - 400, now)).toBe("now");
    expect(relativeTime(now - 95_000, now)).toBe("1m ago");
    expect(relativeTime(now - 90 * 86_400_000, now)).toBe("2025-11-02");
  });
});

it("Requests that limits refused are asked for in steps of seconds", async () => {
  const asked: string[] = [];
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    return Response.json({ data: [] });
  });
  // Not by its type: what it imports is of browsers.
  const { listRefusals } = await import(`${new URL("../../src/console/api/statistics.ts", import.meta.url)}`);
  await listRefusals({ key: "key_1", stepMs: 60_000 }, new AbortController().signal);
  expect(asked).toEqual(["/admin/refusals?step=60&key=key_1"]);
});

it("What needs attention is as of the last question, whichever answer comes last", async () => {
  const answers: ((body: object) => void)[] = [];
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("fetch", () => new Promise((answer) => answers.push((body) => answer(Response.json(body)))));
  const { attention, reloadAttention } = await import(
    `${new URL("../../src/console/api/attention.ts", import.meta.url)}`
  );
  const shown = () => attention.value.value;
  const [old, slow, last] = [reloadAttention(), reloadAttention(), reloadAttention()];
  answers[1]?.({ pauses: ["before"] });
  await slow;
  expect(shown()).toEqual({ pauses: ["before"] });
  answers[2]?.({ pauses: ["a pause"] });
  await last;
  answers[0]?.({ pauses: [] });
  await old;
  expect(shown()).toEqual({ pauses: ["a pause"] });
});

describe("The address of the list of traces", () => {
  const NOW = Date.UTC(2026, 0, 31, 12);
  const query = (text: string) => new URLSearchParams(text);

  it("becomes what the API is asked: a range is a beginning, and what is of the page alone is left out", () => {
    expect(apiQuery(query("range=1h&live=1&q=a&sort=cost_usd&offset=50&source="), NOW).toString()).toBe(
      "q=a&start_date=2026-01-31T11%3A00%3A00.000Z&offset=50&sort=cost_usd&limit=50",
    );
    expect(apiFilters(query("range=1h&end_date=2026-01-30&offset=50&order=asc"), NOW).toString()).toBe(
      "end_date=2026-01-30",
    );
    expect([isFiltered(query("range=all&sort=cost_usd&live=1")), isFiltered(query("range=1h"))]).toEqual([
      false,
      true,
    ]);
  });

  it("takes a filter beside the others, in the place of one of its name, and no range beside dates", () => {
    const before = query("range=1h&sort=cost_usd&offset=50&q=old&key=key_1");
    const added = [
      ["q", ""],
      ["source", "billing"],
      ["key", "key_2"],
      ["metadata.tenant", "a b"],
    ] as const;
    expect(withFilters(before, added).toString()).toBe(
      "range=1h&sort=cost_usd&key=key_1&source=billing&key=key_2&metadata.tenant=a+b",
    );
    const dated = withFilters(before, [["end_date", "2026-01-31T12:00:00"]]);
    expect(dated.has("range")).toBe(false);
    expect(localInput(dated.get("end_date"), "second")).toBe("2026-01-31T12:00:00");
  });

  it("has filters that are shown as the form says them, and removed one by one", () => {
    const set = query("q=a+b&executed=false&range=1h&offset=50&metadata.tenant=x&metadata.tenant=y&source=");
    expect(setFilters(set).map(({ label, text }) => `${label}: ${text}`)).toEqual([
      "Prompt or answer: a b",
      "Execution: decision only",
      "tenant: x",
      "tenant: y",
    ]);
    expect(withoutFilter(set, { name: "metadata.tenant", value: "x" }).toString()).toBe(
      "q=a+b&executed=false&range=1h&metadata.tenant=y&source=",
    );
    const [from] = setFilters(query("start_date=2026-01-31T12:00:00Z"));
    expect(from?.text).toBe(localInput("2026-01-31T12:00:00Z", "second").replace("T", " "));
  });

  it("has every filter of the API", () => {
    const named = FILTERS.map(({ name }) => name).toSorted();
    const { limit: _limit, offset: _offset, ...known } = TRACE_PARAMETERS;
    expect(named).toEqual(Object.keys(known).toSorted());
  });

  it("takes dates without a zone for UTC, as the API does, and ignores what is none", () => {
    moveToKathmandu();
    for (const date of ["2026-01-31T12:00:00Z", "2026-01-31T12:00", "2026-01-31T14:00+02:00"])
      expect(localInput(date, "second")).toBe("2026-01-31T17:45:00");
    expect([localInput("yesterday"), localInput(null)]).toEqual(["", ""]);
  });

  it("begins at the first page in another order or range, and the tail is of the newest", () => {
    const before = query("offset=50&live=1&q=a&start_date=2026-01-30");
    expect(inOrder(before, { sort: "cost_usd", order: "asc" }).toString()).toBe(
      "q=a&start_date=2026-01-30&sort=cost_usd&order=asc",
    );
    expect(inRange(before, "24h").toString()).toBe("live=1&q=a&range=24h");
    expect(withTail(query("offset=50&sort=cost_usd"), true).toString()).toBe("live=1");
  });
});

describe("The segments of a long text", () => {
  it("join to the text, without a character lost, added or cut, except line ends between segments", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "\n", "👩", "é", " ".repeat(50), "x".repeat(3999)),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (whole) => {
        const chunks = chunksOf(whole);
        let at = 0;
        for (const chunk of chunks) {
          if (at > 0 && whole[at] === "\n" && !whole.startsWith(chunk, at)) at += 1;
          if (!whole.startsWith(chunk, at)) return false;
          at += chunk.length;
          if (whole[at] === "\n" && at < whole.length) at += 1;
          if (chunk.length > 4000 || Buffer.from(chunk).toString() !== chunk) return false;
        }
        return at === whole.length;
      }),
    );
  });
});

describe("The groups of a chart", () => {
  const point = (group: string | null, more: object): Point =>
    ({ start: "2026-01-01T00:00:00.000Z", group, requests: 1, decisions: 0, cost_usd: 0, ...more }) as Point;
  const groupsOf = (totals: readonly Point[]) => {
    const cost_usd = totals.reduce((sum, one) => sum + one.cost_usd, 0);
    const all = [point(null, { requests: totals.length, cost_usd })];
    return largestGroups({ all, totals, split: totals }).map(({ name, points }) => [
      name,
      points[0]?.cost_usd,
    ]);
  };

  it("are those with the largest spend, and what is left of all", () => {
    const groups = groupsOf([..."abcdefg"].map((group, at) => point(group, { cost_usd: at / 10 })));
    expect(groups.map(([name]) => name)).toEqual(["g", "f", "e", "d", "c", "others"]);
    expect(groups.at(-1)?.[1]).toBeCloseTo(0.1, 12);
  });

  it("are those with most requests where nothing was spent", () => {
    const groups = groupsOf([..."abcdefg"].map((group, at) => point(group, { requests: 10 + at })));
    expect(groups.map(([name]) => name)).toEqual(["g", "f", "e", "d", "c", "others"]);
  });

  it("leave nothing of a sum that was added in another order", () => {
    const spent = [0.1, 0.2, 0.3, 0.7, 1.1].map((cost_usd, at) => point(`${at}`, { cost_usd }));
    expect(groupsOf([point("free", {}), ...spent]).at(-1)).toEqual(["others", 0]);
  });

  it("have a value that came after the totals among the others", () => {
    const [known, fresh] = [point("a", { requests: 2 }), point("b", { requests: 1 })];
    const groups = largestGroups({
      all: [point(null, { requests: 3 })],
      totals: [known],
      split: [known, fresh],
    });
    expect(groups.map(({ name, points }) => [name, points[0]?.requests])).toEqual([
      ["a", 2],
      ["others", 1],
    ]);
  });

  it("have no others where all are shown", () => {
    expect(groupsOf([point("a", { cost_usd: 1 }), point(null, {})])).toEqual([
      ["a", 1],
      ["none", 0],
    ]);
  });
});

describe("The points of a chart", () => {
  it("are drawn where a value stands alone between gaps or ends", () => {
    expect(isolatedIn([1, null, 2, 3, null, 4, undefined])).toEqual([0, 5]);
    expect(isolatedIn([1])).toEqual([0]);
    expect(isolatedIn([])).toEqual([]);
  });
});

describe("A chosen part of time", () => {
  const at = (text: string) => Date.parse(`2026-01-31T${text}Z`);

  it("is shown in whole steps around it, at most 91 of them", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 366 * 86_400_000 }), (lengthMs) => {
        const [from, to] = [at("12:00:00") + 1234, at("12:00:00") + 1234 + lengthMs];
        const range = chosenRange(from, to);
        if (range?.endMs === undefined) return false;
        const startMs = startOf(range, 0);
        const steps = range.lengthMs / range.stepMs;
        return startMs <= from && range.endMs >= to && Number.isInteger(steps) && steps >= 4 && steps <= 91;
      }),
    );
  });

  it("has its times in its name", () => {
    expect(chosenRange(at("12:00:10"), at("12:20:00"))).toMatchObject({
      name: "2026-01-31T12:00:00.000Z 2026-01-31T12:20:00.000Z",
      stepMs: 15_000,
    });
  });

  it("is said otherwise in a sentence than one that ends now", () => {
    const chosen = chosenRange(at("12:00:10"), at("12:20:00"));
    expect(chosen && during(chosen)).toMatch(/^from \d+ \w+ \d\d:\d\d to \d\d:\d\d$/);
    expect(during(rangeNamed("1h"))).toBe("in the last hour");
  });

  it("is none without an end after its beginning, or of more than a year", () => {
    const noon = at("12:00:00");
    expect(chosenRange(Number.NaN, noon)).toBeUndefined();
    expect(chosenRange(noon, at("11:00:00"))).toBeUndefined();
    expect(chosenRange(noon - 400 * 86_400_000, noon)).toBeUndefined();
  });
});

describe("The change since the period before", () => {
  it("is a share of what was before, and none where there is nothing to compare with", () => {
    expect(changeSince(4, 5)).toBe(0.25);
    expect([changeSince(0, 5), changeSince(undefined, 5), changeSince(3, null)]).toEqual([null, null, null]);
  });
});

describe("The published scores of a model", () => {
  it("are listed by source, each benchmark once, with the dates", () => {
    const score = (source: string, benchmark: string, date: string | null) => ({ source, benchmark, date });
    const published = [
      score("maker", "gpqa", "2026-04-23"),
      score("host", "hle", null),
      score("maker", "hle", "2026-02"),
      score("maker", "gpqa", "2026-04-23"),
      score("board", "tau2", "2026-05"),
    ];
    expect(publishedSources(published)).toEqual([
      { source: "maker", href: null, dates: "2026-02 to 2026-04-23", benchmarks: ["gpqa", "hle"] },
      { source: "host", href: null, dates: null, benchmarks: ["hle"] },
      { source: "board", href: null, dates: "2026-05", benchmarks: ["tau2"] },
    ]);
  });

  it("link to addresses and repositories, and to nothing else", () => {
    const hrefOf = (source: string) => publishedSources([{ benchmark: "gpqa", source, date: null }])[0]?.href;
    const repository = "https://github.com/owner/scores/tree/0123abcd";
    expect(hrefOf("https://maker.example/news?id=1")).toBe("https://maker.example/news?id=1");
    expect(hrefOf("owner/scores@0123abcd")).toBe(repository);
    expect(hrefOf("A board, by owner/scores@0123abcd")).toBe(repository);
    for (const other of ["javascript:alert(1)", "http://plain.example", "our own measurements"])
      expect(hrefOf(other)).toBeNull();
  });
});

describe("Models that a provider retires", () => {
  const now = Date.UTC(2026, 10, 23);
  const served = (model: string, day: string | null) => ({ model, retires_at: day });
  const models = [
    served("gone", "2026-11-23"),
    served("soon", "2027-02-01"),
    served("stays", null),
    served("later", "2027-03-01"),
  ];

  it("are told apart by when", () =>
    expect(models.map(({ retires_at: day }) => retirementStage(day, now))).toEqual([
      "retired",
      "soon",
      null,
      "later",
    ]));

  it("are counted while they are still served, and listed last afterwards", () => {
    expect(retiringSoon(models, now).map(({ model }) => model)).toEqual(["soon"]);
    expect(retiredLast(models, now).map(({ model }) => model)).toEqual(["soon", "stays", "later", "gone"]);
  });
});

describe("The list of keys", () => {
  const use = { requests_per_minute: null, tokens_per_minute: null, usd_per_month: null };
  const unused = { prefix: "", source: null, team: null, expires_at: null, revoked_at: null, use };
  const summary = (name: string, key: object) =>
    ({
      key: { id: `key_${name}`, name, ...unused, ...key },
      spendUsd: 0,
      refused: 0,
    }) as unknown as KeySummary;
  const useOf = (requests: number, usd: number) => ({
    use: {
      ...use,
      requests_per_minute: { used: requests, limit: 10 },
      usd_per_month: { used: usd, limit: 4 },
    },
  });
  const keys = [
    summary("idle", { source: "Billing" }),
    summary("revoked", { ...useOf(10, 0), revoked_at: "2026-01-02T00:00:00Z" }),
    summary("busy", useOf(9, 1)),
    summary("spender", useOf(0, 3.9)),
  ];
  const names = (text: string) => chosenKeys(keys, text).map(({ key }) => key.name);

  it("begins with the keys nearest to a limit, and ends with those that cannot be used", () => {
    expect(names("")).toEqual(["spender", "busy", "idle", "revoked"]);
  });

  it("is filtered by name, id and source in any case", () => {
    expect(names(" BUS ")).toEqual(["busy"]);
    expect(names("key_spender")).toEqual(["spender"]);
    expect(names("billing")).toEqual(["idle"]);
  });
});

describe("The form of a key", () => {
  const limits: ListedKeyBody["limits"] = {
    requests_per_minute: 60,
    tokens_per_minute: 1000,
    usd_per_month: null,
    max_usd_per_request: null,
    allowed_models: ["gpt-*", "o3"],
    min_cost_weight: null,
  };
  const key = {
    name: "app",
    team: "search",
    limits,
    cost_weight: 0.3,
    expires_at: "2030-01-31T12:30:45.678Z",
  } as ListedKeyBody;
  /** As the dialog shows it. */
  const shown = {
    name: "app",
    team: "search",
    requests: "60",
    tokens: "1000",
    models: "gpt-*, o3",
    weight: "0.3",
    expires: localInput(key.expires_at),
  };
  const changeOf = (given: Readonly<Record<string, string>>) => {
    const form = new FormData();
    for (const [name, text] of Object.entries({ ...shown, ...given })) form.set(name, text);
    return keyChangeFrom(form, key);
  };

  it("is no change as it is shown, to the millisecond", () => {
    expect(changeOf({})).toEqual({ limits: {} });
  });

  it("is the change that it asks for: what is empty is no limit of its own", () => {
    expect(changeOf({ name: " other ", team: "", tokens: "", usd: "0.5", models: "o3" })).toEqual({
      name: "other",
      team: null,
      limits: { tokens_per_minute: null, usd_per_month: 0.5, allowed_models: ["o3"] },
    });
    expect(changeOf({ weight: "", expires: "" })).toMatchObject({ cost_weight: null, expires_at: null });
  });

  it("shows an expiry in local time, and sends the same moment back", () => {
    const expires = localInput("2031-01-31T12:30:00.000Z");
    expect(changeOf({ expires }).expires_at).toBe("2031-01-31T12:30:00.000Z");
    expect(localInput(null)).toBe("");
  });
});

describe("The table of several prompts", () => {
  const choices = [{ from_cost_weight: 0 }, { from_cost_weight: 0.25 }, { from_cost_weight: 0.8 }];

  it("finds the choice at a cost weight", () => {
    expect([0, 0.2, 0.25, 0.79, 1].map((weight) => choiceAt(choices, weight)?.from_cost_weight)).toEqual([
      0, 0, 0.25, 0.25, 0.8,
    ]);
    expect(choiceAt([], 1)).toBeUndefined();
  });
});

describe("The evidence of a candidate", () => {
  it("is none where no profiled prompt is near, for the model or for all", () => {
    expect(hasEvidence({ evidence: 59.9 }, { out_of_distribution: false })).toBe(true);
    expect(hasEvidence({ evidence: 59.9 }, { out_of_distribution: true })).toBe(false);
    expect(hasEvidence({ evidence: 0 }, { out_of_distribution: false })).toBe(false);
  });

  it("is summed up by basis", () => {
    const textOf = (total: number, placed: number) =>
      candidatesText({ candidates_total: total, candidates_placed: placed });
    expect([textOf(2, 1), textOf(312, 0)]).toEqual(["2 (1 measured, 1 estimated)", "312 (312 measured)"]);
  });
});

describe("Estimates", () => {
  it("are unclear where they may be no change", () => {
    const isOf = (low: number, high: number) => isUnclear({ value: (low + high) / 2, low, high });
    expect([isOf(-0.03, 0.039), isOf(0, 0.02)]).toEqual([true, true]);
    expect([isOf(0.001, 0.02), isOf(-0.877, -0.008), isOf(0, 0)]).toEqual([false, false, false]);
  });

  it("share a scale that contains no change, and ends where it is told to", () => {
    const interval = { value: 3, low: 0.2, high: 6 };
    expect(scaleOf([interval])).toEqual({ from: 0, to: 6 });
    expect(scaleOf([interval], { most: 1 })).toEqual({ from: 0, to: 1 });
    expect(scaleOf([{ value: 0, low: 0, high: 0 }])).toEqual({ from: -1, to: 1 });
  });
});
